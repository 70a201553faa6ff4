import type { ServerResponse } from 'node:http'
import { Busy } from '../../errors/index.ts'
import { listNetworks } from '../../platform/net/index.ts'

export interface ReplyBudgetOptions {
  /** Bytes of large replies that clients have not read yet. */
  readonly maxBytes: number
  /** A client that reads slower loses its connection. */
  readonly minBytesPerSecond: number
  /** Any reply may take this long. */
  readonly graceMs: number
}

export const replyBudgetDefaults: ReplyBudgetOptions = {
  maxBytes: 128 * 2 ** 20,
  minBytesPerSecond: 32 * 2 ** 10,
  graceMs: 20_000,
}

/** Smaller replies mostly fit into the buffers of the operating system. */
const LARGE_BYTES = 128 * 2 ** 10
/** One network cannot use up the budget. */
const NETWORK_SHARE = 0.75
const RETRY_AFTER = 5

export type ReplyBudget = ReturnType<typeof createReplyBudget>

interface PendingReply {
  readonly response: ServerResponse
  readonly network: string
  readonly bytes: number
  readonly startedAt: number
}

/**
 * Bounds the memory of replies that are under way: a client that does not read makes the service hold them. If there is
 * no space, the oldest reply is cut whose client had its grace time: it is the slowest.
 */
export function createReplyBudget({ maxBytes, minBytesPerSecond, graceMs }: ReplyBudgetOptions) {
  /** The oldest first. */
  const pending = new Set<PendingReply>()
  const sumBytes = (network?: string) =>
    pending
      .values()
      .reduce((sum, reply) => (network === undefined || reply.network === network ? sum + reply.bytes : sum), 0)

  function cutOldest(network?: string): boolean {
    const latestStart = performance.now() - graceMs
    const isSlow = (reply: PendingReply) =>
      reply.startedAt < latestStart && (network === undefined || reply.network === network)
    const reply = pending.values().find(isSlow)
    if (!reply) return false
    pending.delete(reply)
    reply.response.destroy()
    return true
  }

  function makeSpace(bytes: number, limit: number, network?: string): void {
    while (pending.size > 0 && sumBytes(network) + bytes > limit) if (!cutOldest(network)) throw new Busy(RETRY_AFTER)
  }

  return {
    /** Counts a reply until it is sent. Throws BUSY if there is no memory for it. */
    add(response: ServerResponse, client: string, bytes: number): void {
      if (bytes < LARGE_BYTES || response.destroyed) return
      const [network = ''] = listNetworks(client)
      makeSpace(bytes, NETWORK_SHARE * maxBytes, network)
      makeSpace(bytes, maxBytes)
      const reply = { response, network, bytes, startedAt: performance.now() }
      pending.add(reply)
      const timer = setTimeout(() => response.destroy(), graceMs + (bytes / minBytesPerSecond) * 1000)
      response.once('close', () => {
        clearTimeout(timer)
        pending.delete(reply)
      })
    },
  }
}

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

/** Bounds the memory of replies that are under way: a client that does not read makes the service hold them. */
export function createReplyBudget({ maxBytes, minBytesPerSecond, graceMs }: ReplyBudgetOptions) {
  const bytesByNetwork = new Map<string, number>()
  let total = 0

  function change(network: string, bytes: number): void {
    total += bytes
    const left = (bytesByNetwork.get(network) ?? 0) + bytes
    if (left > 0) bytesByNetwork.set(network, left)
    else bytesByNetwork.delete(network)
  }

  return {
    /** Counts a reply until it is sent. Throws BUSY if there is no memory for it. */
    add(response: ServerResponse, client: string, bytes: number): void {
      if (bytes < LARGE_BYTES || response.destroyed) return
      const [network = ''] = listNetworks(client)
      const ofNetwork = (bytesByNetwork.get(network) ?? 0) + bytes
      if (total > 0 && (total + bytes > maxBytes || ofNetwork > NETWORK_SHARE * maxBytes)) throw new Busy(RETRY_AFTER)
      change(network, bytes)
      const timer = setTimeout(() => response.destroy(), graceMs + (bytes / minBytesPerSecond) * 1000)
      response.once('close', () => {
        clearTimeout(timer)
        change(network, -bytes)
      })
    },
    bytes: () => total,
  }
}

// Replies that are not sent completely: the memory of large ones, and which of a connection is next.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Busy } from '../../errors/index.ts'
import { listNetworks } from '../../platform/net/index.ts'

export interface ReplyBudgetOptions {
  /** Bytes of large replies that clients have not read yet. */
  readonly maxBytes: number
  /** Replies with files that are open at a time. */
  readonly maxFiles: number
  /** A download that is slower may be cut if there is no space. */
  readonly minBytesPerSecond: number
  /** Any reply may take this long, also if there is no space. */
  readonly graceMs: number
  /** The rate of a download is that of at least this time. */
  readonly rateWindowMs: number
}

export const replyBudgetDefaults: ReplyBudgetOptions = {
  maxBytes: 128 * 2 ** 20,
  maxFiles: Number.POSITIVE_INFINITY,
  minBytesPerSecond: 32 * 2 ** 10,
  graceMs: 20_000,
  rateWindowMs: 2500,
}

/**
 * Smaller replies fit into the buffer that Linux gives a new connection. Of 100 KiB, three quarters stay in memory. Those
 * that wait for an earlier one are counted with their requests.
 */
export const LARGE_BYTES = 16 * 2 ** 10
/** One network cannot use up the budget. */
const NETWORK_SHARE = 0.75
/** A file is read in chunks of this size. One of them waits in memory for a client that does not read. */
const FILE_CHUNK_BYTES = 256 * 2 ** 10
/** Factor of the budget that all downloads may take together while none of them is slow. */
const FILES_FACTOR = 4
const RETRY_AFTER = 5

export type ReplyBudget = ReturnType<typeof createReplyBudget>

interface LargeReply {
  readonly response: ServerResponse
  readonly network: string
  readonly bytes: number
  readonly startedAt: number
}

/** Bytes that the connection had sent at a time. */
interface Measurement {
  readonly at: number
  readonly sent: number
}

interface PendingFile extends Omit<LargeReply, 'startedAt'> {
  readonly started: Measurement
  measured: Measurement
  /** Between the last two measurements. */
  bytesPerSecond: number
}

/** Bytes that have left the process. */
const countSent = ({ socket }: ServerResponse) => (socket ? socket.bytesWritten - socket.writableLength : 0)

/**
 * Bounds the memory of replies that are being sent: a client that does not read makes the service hold them. If there is
 * no space, the oldest reply is cut whose grace time has passed: its client is the slowest. If there is none, the network
 * that holds most loses a reply to one that holds less: two networks must not keep all others from their replies. While
 * there is space, no reply is cut: a client may have a slow network.
 */
export function createReplyBudget({
  maxBytes,
  maxFiles,
  minBytesPerSecond,
  graceMs,
  rateWindowMs,
}: ReplyBudgetOptions) {
  /** The oldest first. */
  const pending = new Set<LargeReply>()
  const bytesByNetwork = new Map<string, number>()
  const fileBytesByNetwork = new Map<string, number>()
  let totalBytes = 0
  const files = new Set<PendingFile>()
  const reserved = new WeakSet<ServerResponse>()
  let totalFileBytes = 0

  const change = (sums: Map<string, number>, network: string, bytes: number) => {
    const sum = (sums.get(network) ?? 0) + bytes
    if (sum === 0) sums.delete(network)
    else sums.set(network, sum)
  }

  const addBytes = (network: string, bytes: number) => {
    change(bytesByNetwork, network, bytes)
    totalBytes += bytes
  }

  function remove(reply: LargeReply): void {
    if (pending.delete(reply)) addBytes(reply.network, -reply.bytes)
  }

  /** Of this network, or of those whose grace time has passed. */
  function cutOldest(network: string | undefined, latestStart = Number.POSITIVE_INFINITY): boolean {
    for (const reply of pending) {
      if (reply.startedAt >= latestStart) return false
      if (network !== undefined && reply.network !== network) continue
      remove(reply)
      reply.response.destroy()
      return true
    }
    return false
  }

  /** The network that holds most, if that is more than `bytes`. */
  function findLargest(sums: ReadonlyMap<string, number>, bytes: number): string | undefined {
    let largest: string | undefined
    let most = bytes
    for (const [network, sum] of sums) if (sum > most) [largest, most] = [network, sum]
    return largest
  }

  function makeSpace(bytes: number, network: string): void {
    const countOwn = () => (bytesByNetwork.get(network) ?? 0) + bytes
    const latestStart = performance.now() - graceMs
    while (pending.size > 0 && countOwn() > NETWORK_SHARE * maxBytes)
      if (!cutOldest(network, latestStart)) throw new Busy(RETRY_AFTER)
    while (pending.size > 0 && totalBytes + bytes > maxBytes) {
      if (cutOldest(undefined, latestStart)) continue
      const largest = findLargest(bytesByNetwork, countOwn())
      if (largest === undefined) throw new Busy(RETRY_AFTER)
      cutOldest(largest)
    }
  }

  function removeFile(file: PendingFile): void {
    if (!files.delete(file)) return
    totalFileBytes -= file.bytes
    change(fileBytesByNetwork, file.network, -file.bytes)
  }

  /**
   * The rate of the last seconds: what the operating system buffers at the start makes an unread file look fast. Not urgent:
   * at least that since the start, because the operating system may take a megabyte at once, and then nothing for seconds.
   */
  function measureRate(file: PendingFile, now: Measurement, isUrgent: boolean): number {
    const rateSince = ({ at, sent }: Measurement) => ((now.sent - sent) / Math.max(1, now.at - at)) * 1000
    if (now.at - file.measured.at >= rateWindowMs) {
      file.bytesPerSecond = rateSince(file.measured)
      file.measured = now
    }
    return isUrgent ? file.bytesPerSecond : Math.max(file.bytesPerSecond, rateSince(file.started))
  }

  /** Cuts the slowest download: of this network, or one that is too slow. If it is urgent, there is no grace time. */
  function cutSlowestFile({ network, isUrgent = true }: { network?: string; isUrgent?: boolean }): boolean {
    const now = performance.now()
    let slowest: PendingFile | undefined
    let lowestRate = network === undefined ? minBytesPerSecond : Number.POSITIVE_INFINITY
    for (const file of files) {
      const rate = measureRate(file, { at: now, sent: countSent(file.response) }, isUrgent)
      const mayBeCut = network === undefined ? isUrgent || now - file.started.at > graceMs : file.network === network
      if (mayBeCut && rate <= lowestRate) [slowest, lowestRate] = [file, rate]
    }
    if (!slowest) return false
    removeFile(slowest)
    slowest.response.destroy()
    return true
  }

  return {
    maxBytes,
    /** Counts a reply until it is sent. Throws BUSY if there is no memory for it. */
    add(response: ServerResponse, client: string, bytes: number): void {
      if (bytes < LARGE_BYTES || response.destroyed) return
      const [network = ''] = listNetworks(client)
      makeSpace(bytes, network)
      const reply = { response, network, bytes, startedAt: performance.now() }
      pending.add(reply)
      addBytes(network, bytes)
      response.once('close', () => remove(reply))
    },
    /**
     * The same for a file of this length. A download may take long, so slow ones are cut only if all together take too much
     * memory. One network gets BUSY for more than its share: slow connections cost an attacker nothing. If all take far too
     * much, slow ones have no grace time, and then the network that holds most loses its slowest. A second call for the same
     * reply has no effect.
     */
    addFile(response: ServerResponse, client: string, length = FILE_CHUNK_BYTES): void {
      if (response.destroyed || reserved.has(response)) return
      const [network = ''] = listNetworks(client)
      const bytes = Math.min(length, FILE_CHUNK_BYTES)
      const used = fileBytesByNetwork.get(network) ?? 0
      if (used > 0 && used + bytes > NETWORK_SHARE * maxBytes) throw new Busy(RETRY_AFTER)
      const isAbove = (factor: number) =>
        totalFileBytes + bytes > factor * maxBytes || files.size >= (factor / FILES_FACTOR) * maxFiles
      while (isAbove(1) && cutSlowestFile({ isUrgent: false }));
      while (isAbove(FILES_FACTOR)) {
        // Without the grace time: hundreds of networks could otherwise keep all others from downloads.
        if (cutSlowestFile({})) continue
        const largest = findLargest(fileBytesByNetwork, used + bytes)
        if (largest === undefined) throw new Busy(RETRY_AFTER)
        cutSlowestFile({ network: largest })
      }
      const started = { at: performance.now(), sent: countSent(response) }
      const file = { response, network, bytes, started, measured: started, bytesPerSecond: Number.POSITIVE_INFINITY }
      files.add(file)
      reserved.add(response)
      totalFileBytes += bytes
      change(fileBytesByNetwork, network, bytes)
      response.once('close', () => removeFile(file))
    },
  }
}

type PendingReply = { readonly request: IncomingMessage; readonly response: ServerResponse }

/** The replies of a connection that are not sent at once: those of slow handlers, streams and pipelined requests. */
export class PendingReplies {
  private readonly bySocket = new WeakMap<Socket, Set<PendingReply>>()

  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const pending = this.bySocket.get(socket) ?? new Set()
    const reply = { request, response }
    this.bySocket.set(socket, pending.add(reply))
    response.once('close', () => pending.delete(reply))
  }

  /** The reply that the client gets next. */
  next(socket: Socket): PendingReply | undefined {
    return this.bySocket.get(socket)?.values().next().value
  }

  /** Closes the connection when nothing is pending. */
  closeWhenSent(socket: Socket): void {
    const pending = this.next(socket)
    if (pending) pending.response.once('close', () => this.closeWhenSent(socket))
    else socket.destroySoon()
  }
}

// The connections of the server: opening the port, limits, and closing without losing a reply.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Server as NetServer, type Socket } from 'node:net'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../errors/index.ts'
import { listNetworks } from '../../platform/net/index.ts'
import { type InternalsOptions, stopAccepting } from './http-internals.ts'
import { LARGE_BYTES } from './reply-budget.ts'

/** Why the service cannot listen. */
export class ListenError extends OperatorError {}

const BACKLOG = 2048

/** The first file descriptor that systemd passes on. */
export const SYSTEMD_SOCKET = 3

/**
 * Returns the URL of the server on this machine. With `socket`, a file descriptor, the port is already open. `onError`
 * gets later errors, such as a connection that the operating system had no memory for: without a listener they would end
 * the process.
 */
export async function listen(
  server: NetServer,
  host: string,
  port: number,
  onError: (error: Error) => void = () => {},
  socket?: number,
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(new ListenError(explainError(error, host, port, socket), { cause: error }))
    server.once('error', fail)
    // Node ignores a `backlog` in the options of a file descriptor.
    server.listen(socket === undefined ? { host, port } : { fd: socket }, BACKLOG, () => {
      server.off('error', fail).on('error', onError)
      resolve()
    })
  })
  const opened = server.address() as AddressInfo | string | null
  if (opened === null || typeof opened === 'string') {
    server.close()
    throw new ListenError('The socket of LISTEN_FDS is no TCP port. Set ListenStream to a port.')
  }
  const { address, port: openedPort, family } = opened
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${openedPort}`
}

function explainError({ code, message }: NodeJS.ErrnoException, host: string, port: number, socket?: number): string {
  if (socket !== undefined) return `LISTEN_FDS is set, but there is no socket to listen on: ${message}`
  if (code === 'EADDRINUSE') return `Port ${port} is used by another program. Stop it or set another PORT.`
  if (code === 'EACCES') return `This user may not listen on port ${port}. Set a PORT of 1024 or higher.`
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `HOST ${host} is not an address of this machine.`
  return `Cannot listen on ${host}:${port}: ${message}`
}

/** Opens the port, closes it again and returns its number; throws a ListenError if it cannot be opened. */
export async function checkPort(host: string, port: number): Promise<number> {
  const server = createServer()
  const url = await listen(server, host, port)
  await new Promise((resolve) => server.close(resolve))
  return Number(new URL(url).port || 80)
}

const DRAIN_TIMEOUT_MS = 10_000
const CLOSE_IDLE_INTERVAL_MS = 20

interface DrainOptions extends InternalsOptions {
  /** Resets no connection that waits to be accepted. Useless if other processes accept connections on the same port. */
  readonly emptiesListenQueue?: boolean | undefined
}

/**
 * Accepts no new connections and lets every request finish. Idle connections stay open for `lingerMs`: a client that
 * sends a request at the moment when its connection is closed gets no reply.
 */
export async function drain(server: Server, lingerMs = 0, options: DrainOptions = {}): Promise<void> {
  const lingerUntil = performance.now() + lingerMs
  const releaseRequests = options.emptiesListenQueue ? await holdRequests(server) : () => {}
  const closed = new Promise<void>((resolve) => stopAccepting(server, resolve, options))
  releaseRequests()
  // Repeated, because a connection that is busy now becomes idle when its reply is sent. An immediate runs after requests
  // that have arrived are read, so their connections are not idle.
  const closeIdle = () => {
    if (performance.now() >= lingerUntil) setImmediate(() => server.closeIdleConnections())
  }
  closeIdle()
  const closingIdle = setInterval(closeIdle, CLOSE_IDLE_INTERVAL_MS)
  const closingAll = setTimeout(() => server.closeAllConnections(), lingerMs + DRAIN_TIMEOUT_MS)
  await closed
  clearInterval(closingIdle)
  clearTimeout(closingAll)
}

/** Longer than a client on a busy machine needs to connect again after a reply. */
const QUIET_MS = 100
const MAX_HOLD_MS = 1000
const HOLD_CHECK_INTERVAL_MS = 5

/**
 * Holds requests back until no connection and no request has arrived for QUIET_MS; the returned function answers them.
 * The operating system completes connections before the service accepts them, and resets those that wait when the port
 * closes. A client that waits for a reply opens no connection, so closing the port in between resets none.
 */
async function holdRequests(server: Server): Promise<() => void> {
  const listeners = server.listeners('request') as RequestListener[]
  const held: Parameters<RequestListener>[] = []
  const startedAt = performance.now()
  let lastArrivalAt = startedAt
  const recordArrival = () => {
    lastArrivalAt = performance.now()
  }
  const hold: RequestListener = (request, response) => {
    recordArrival()
    held.push([request, response])
  }
  server.removeAllListeners('request').on('request', hold).on('connection', recordArrival)
  const isQuiet = () => performance.now() - lastArrivalAt >= QUIET_MS
  while (!isQuiet() && performance.now() - startedAt < MAX_HOLD_MS) {
    await sleep(HOLD_CHECK_INTERVAL_MS)
    // Runs after waiting connections are accepted.
    await immediate()
  }
  return () => {
    server.off('request', hold).off('connection', recordArrival)
    for (const listener of listeners) server.on('request', listener)
    for (const [request, response] of held) server.emit('request', request, response)
  }
}

/** Pipelined requests per connection. Hardly any program sends more without waiting for a reply. */
export const MAX_PIPELINED = 32
/**
 * The same for all connections of an address (IPv6: its /64) in one turn: a thousand connections would occupy seconds of
 * each turn.
 */
const MAX_PIPELINED_OF_CLIENT = 4 * MAX_PIPELINED
/** The same for all clients together: some hundred of them would occupy seconds, too. */
const MAX_PIPELINED_OF_ALL = 16 * MAX_PIPELINED
/** With this many the connection is cut. */
export const FLOOD_SIZE = 200

type CountPipelined = (request: IncomingMessage, response: ServerResponse) => number

/** What a pipelined request takes besides its headers, with a reply that is too short for the budget of replies. */
const PIPELINED_BYTES = 2 * 2 ** 10 + LARGE_BYTES
/** Of the memory of replies. */
const PIPELINED_SHARE = 1 / 4

/**
 * Counts the requests that arrive on a connection in one turn of the event loop while an earlier reply is not sent. All
 * of them are answered in that turn, while other connections wait. If its address has sent too many on other connections,
 * the count is MAX_PIPELINED at once. So it is if there is no memory: requests stay in it as long as the client does not
 * read, and Node stops at 64 KiB of replies, which may be those to a hundred requests with 32 KiB of headers each.
 */
export function createPipelineCounter(replyBytes: number): CountPipelined {
  const counters = new WeakMap<Socket, { client: string; turn: number; count: number }>()
  const countsByClient = new Map<string, number>()
  let ofAll = 0
  let totalBytes = 0
  let turn = 0
  let isTurnScheduled = false
  const nextTurn = () => {
    turn++
    isTurnScheduled = false
    countsByClient.clear()
    ofAll = 0
  }

  /** Until the reply is sent. */
  const countBytes = ({ url = '', rawHeaders }: IncomingMessage, response: ServerResponse) => {
    const bytes = rawHeaders.reduce((sum, { length }) => sum + length, PIPELINED_BYTES + url.length)
    totalBytes += bytes
    response.once('close', () => {
      totalBytes -= bytes
    })
  }

  /** A connection that exceeded MAX_PIPELINED is counted on in later turns, too. */
  return (request, response) => {
    const { socket } = request
    countBytes(request, response)
    if (!isTurnScheduled) setImmediate(nextTurn)
    isTurnScheduled = true
    const counter = counters.get(socket)
    const client = counter?.client ?? listNetworks(socket.remoteAddress ?? '').at(-1) ?? ''
    const ofClient = (countsByClient.get(client) ?? 0) + 1
    countsByClient.set(client, ofClient)
    const isFlood =
      ofClient > MAX_PIPELINED_OF_CLIENT || ++ofAll > MAX_PIPELINED_OF_ALL || totalBytes > PIPELINED_SHARE * replyBytes
    const isCountedOn = counter && (counter.turn === turn || counter.count >= MAX_PIPELINED)
    const next = isCountedOn ? counter.count + 1 : 1
    const count = isFlood ? Math.max(next, MAX_PIPELINED) : next
    counters.set(socket, { client, turn, count })
    return count
  }
}

/** Enough for a client to read a reply that arrives while it still sends. */
const LINGER_MS = 2000

/**
 * Closes the connection a while after the last reply. If it were closed while the client sends, the operating system would
 * reset it: the client may lose the reply, and nginx would use no node to which that happened for ten seconds.
 */
export function lingerAfterReply(socket: Socket): void {
  socket.destroySoon = () => void socket.end(() => setTimeout(() => socket.destroy(), LINGER_MS).unref())
}

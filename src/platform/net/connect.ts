// Connecting to a source: addresses that were checked, and limits on what it may send besides content.
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls, DEFAULT_CIPHERS, type TLSSocket } from 'node:tls'
import { LRUCache } from 'lru-cache'
import { createFairSemaphore } from '../concurrency/index.ts'
import { FetchError, getHost, getPort } from './address-policy.ts'
import { listNetworks } from './addresses.ts'

interface Connection {
  readonly socket: Socket | TLSSocket
  /** Counts the bytes that were read, with those of TLS itself. */
  countBytes(): number
}

/** More would open too many connections for one image. */
const MAX_ATTEMPTS = 4

/**
 * Connects to the first of these addresses that answers. Each one is tried when the one before it has failed, or has taken
 * its share of the time: it may still answer, because the network may be slow. The caller has checked the addresses, and
 * they are connected to as literals: no second DNS lookup happens between check and connection (DNS rebinding).
 */
export async function connect(
  url: URL,
  addresses: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Connection> {
  // With the last one: IPv6 addresses come after those of IPv4, and a machine may have only IPv6.
  const tried = addresses.toSpliced(MAX_ATTEMPTS - 1, addresses.length - MAX_ATTEMPTS)
  const timeout = AbortSignal.timeout(timeoutMs)
  const ended = new AbortController()
  const limit = AbortSignal.any([signal, timeout, ended.signal])
  const attempts: Promise<Connection>[] = []
  let problem = 'has no address in DNS'

  async function attempt(address: string): Promise<Connection> {
    const connection = open(url, address, limit)
    const { socket } = connection
    try {
      await once(socket, url.protocol === 'https:' ? 'secureConnect' : 'connect', { signal: limit })
      // Another one may have connected at the same moment.
      limit.throwIfAborted()
      ended.abort()
      return connection
    } catch (error) {
      problem = describeConnectFailure(socket)
      socket.destroy()
      throw error
    }
  }

  try {
    for (const address of tried) {
      const current = attempt(address)
      attempts.push(current)
      const share = sleep(timeoutMs / tried.length, undefined, { signal: ended.signal })
      await Promise.race([current, share]).catch(() => {})
      if (limit.aborted) break
    }
    return await Promise.any(attempts)
  } catch {
    signal.throwIfAborted()
    throw timeout.aborted ? new FetchError('timeout', { max: timeoutMs }) : new FetchError('unreachable', { problem })
  } finally {
    ended.abort()
  }
}

function open(url: URL, address: string, limit: AbortSignal): Connection {
  // A late error without a listener would end the process. The reader of the socket notices the error anyway.
  const tcp = connectTcp({ host: address, port: getPort(url), noDelay: true }).on('error', () => {})
  if (url.protocol === 'http:') return { socket: tcp, countBytes: () => tcp.bytesRead }
  return openTls(tcp, getHost(url), startHandshake(listNetworks(address), limit))
}

/** Without DHE: a source chooses the modulus, and one of 10,000 bits blocks the service for three seconds. */
const CIPHERS = `${DEFAULT_CIPHERS}:!DHE`
/** Certificates usually have 2 to 10 KB. OpenSSL takes up to 40 ms per KB to verify those of an attacker. */
const MAX_HANDSHAKE_BYTES = 16 * 1024

/** A usual handshake takes less. */
const LONG_HANDSHAKE_MS = 20

/** Networks of sources take turns; the one whose handshakes took least time is first. */
const createHandshakeTurns = () =>
  createFairSemaphore({
    maxRunning: 1,
    maxRunningPerGroup: 1,
    maxWaiting: Number.POSITIVE_INFINITY,
    waitTimeoutMs: 60_000,
    computeRetryAfter: () => 1,
  })

const handshakeTurns = createHandshakeTurns()
/** Networks of sources whose last handshake was short. They need not wait for long ones: an attacker has many networks. */
const provenNetworks = new LRUCache<string, true>({ max: 10_000 })
const provenTurns = createHandshakeTurns()

/** `networks` are those of the source. */
export function startHandshake(networks: readonly string[], limit: AbortSignal) {
  const [network = ''] = networks
  let isLong = false
  return {
    /**
     * Runs one step of a handshake at a time. Long steps take at most a quarter of the time: the event loop accepts one
     * connection per turn, so others would wait for many of them.
     */
    async takeTurn(step: () => void): Promise<void> {
      const turns = provenNetworks.has(network) ? provenTurns : handshakeTurns
      using _turn = await turns.acquire(networks, limit)
      await immediate()
      const startedAt = performance.now()
      step()
      const ms = performance.now() - startedAt
      if (ms <= LONG_HANDSHAKE_MS) return
      isLong = true
      provenNetworks.delete(network)
      await sleep(3 * ms)
    },
    /** To be called when the certificate is found valid, also within the last step. */
    complete(): void {
      if (!isLong) provenNetworks.set(network, true)
    },
  }
}

function openTls(tcp: Socket, host: string, handshake: ReturnType<typeof startHandshake>): Connection {
  const stream = new Duplex({
    read: () => void tcp.resume(),
    write: (chunk, _encoding, onWritten) => void tcp.write(chunk, onWritten),
    final: (onEnded) => void tcp.end(onEnded),
    destroy: (error, onDestroyed) => onDestroyed(tcp.destroy() && error),
  })
  const socket = connectTls({
    socket: stream,
    servername: isIP(host) ? '' : host,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment does not disable it.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    ciphers: CIPHERS,
  }).on('error', () => {})
  let isConnected = false
  socket.once('secureConnect', () => {
    isConnected = true
    handshake.complete()
  })
  const pass = (chunk: Buffer | string) => {
    if (stream.push(chunk)) tcp.resume()
  }
  tcp.on('data', (chunk) => {
    tcp.pause()
    if (isConnected) pass(chunk)
    else if (tcp.bytesRead > MAX_HANDSHAKE_BYTES) socket.destroy(new Error('the handshake is too long'))
    else handshake.takeTurn(() => pass(chunk)).catch((error) => socket.destroy(error))
  })
  tcp.on('end', () => stream.push(null))
  tcp.on('close', () => stream.destroy())
  tcp.on('error', (error) => socket.destroy(error))
  return { socket, countBytes: () => tcp.bytesRead - stream.readableLength }
}

const describeConnectFailure = (socket: Socket | TLSSocket) =>
  'authorizationError' in socket && socket.authorizationError
    ? 'has an invalid certificate'
    : 'does not accept connections'

/**
 * Closes a connection with an error. Without one, undici takes a body of unknown length for complete, and ends the process
 * if its request was aborted meanwhile.
 */
export const cut = (socket: Socket) => void socket.destroy(new Error('the connection was cut'))

/** Bytes that may be something other than body: headers, chunk framing, and what was read ahead. */
const MAX_OVERHEAD_BYTES = 1024 * 1024
/** For session tickets. The framing of TLS may take an eighth of the bytes of HTTP in addition. */
const MAX_TLS_OVERHEAD_BYTES = 64 * 1024
const OVERHEAD_CHECK_INTERVAL_MS = 20

/**
 * Cuts off a source that sends more framing than body: one-byte chunks, chunk extensions, interim responses, a status
 * line without an end, TLS records of one byte. No other limit counts these bytes, and parsing them blocks the event
 * loop for all requests.
 */
export function limitProtocolOverhead({ socket, countBytes }: Connection) {
  const startBytes = { http: socket.bytesRead, all: countBytes() }
  let bodyBytes = 0
  let isExceeded = false
  const timer = setInterval(() => {
    const httpBytes = socket.bytesRead - startBytes.http
    const allBytes = countBytes() - startBytes.all
    const isMostlyBody = httpBytes <= 2 * bodyBytes + MAX_OVERHEAD_BYTES
    if (isMostlyBody && allBytes <= 1.125 * httpBytes + MAX_TLS_OVERHEAD_BYTES) return
    isExceeded = true
    cut(socket)
  }, OVERHEAD_CHECK_INTERVAL_MS)
  return {
    onBody: (receivedBytes: number) => {
      bodyBytes = receivedBytes
    },
    isExceeded: () => isExceeded,
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

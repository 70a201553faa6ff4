// Connecting to a source: addresses that were checked, and limits on what it may send besides content.
import { constants } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls, DEFAULT_CIPHERS, type TLSSocket } from 'node:tls'
import { FetchError, getHost, getPort } from './address-policy.ts'
import { listNetworks } from './addresses.ts'
import type { SourceTurns } from './source-turns.ts'

interface Connection {
  readonly socket: Duplex | TLSSocket
  readonly address: string
  /** Counts the bytes that were read, with those of TLS itself. */
  countBytes(): number
  /** The same without those of TLS. */
  countHttpBytes(): number
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
  { connectTimeoutMs: timeoutMs, sourceTurns }: { connectTimeoutMs: number; sourceTurns: SourceTurns },
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
    const connection = open(url, address, sourceTurns, limit)
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

type TakeTurn = (step: () => void) => Promise<number>

function open(url: URL, address: string, turns: SourceTurns, limit: AbortSignal): Connection {
  // A late error without a listener would end the process. The reader of the socket notices the error anyway.
  const tcp = connectTcp({ host: address, port: getPort(url), noDelay: true }).on('error', () => {})
  const networks = listNetworks(address)
  const takeDataTurn = (step: () => void) => turns.takeDataTurn(networks, step)
  const opened =
    url.protocol === 'http:'
      ? openPlain(tcp, takeDataTurn)
      : openTls(tcp, getHost(url), takeDataTurn, turns.startHandshake(networks, limit))
  return { ...opened, address }
}

/** Without DHE: a source chooses the modulus, and one of 10,000 bits blocks the service for three seconds. */
const CIPHERS = `${DEFAULT_CIPHERS}:!DHE`
/** Certificates usually have 2 to 10 KB. OpenSSL takes up to 40 ms per KB to verify those of an attacker. */
const MAX_HANDSHAKE_BYTES = 16 * 1024

/** Parsing so much takes at most some milliseconds, even if it is all overhead. */
const FIRST_SLICE_BYTES = 16 * 1024
/** Slices grow until parsing one takes this long. For usual images, a slice soon is a whole chunk. */
const SHORT_STEP_MS = 1

/**
 * Passes on what arrives in slices, each in a turn. Otherwise sources that send overhead at the same moment, such as
 * chunks of one byte, would be parsed in one turn of the event loop: those of one client took ten seconds.
 */
function readInTurns(tcp: Socket, takeTurn: TakeTurn) {
  let passedBytes = 0
  let isPassing = false
  let sliceBytes = FIRST_SLICE_BYTES
  const stream = new Duplex({
    read: () => void (isPassing || tcp.resume()),
    write: (chunk, _encoding, onWritten) => void tcp.write(chunk, onWritten),
    final: (onEnded) => void tcp.end(onEnded),
    destroy: (error, onDestroyed) => onDestroyed(tcp.destroy() && error),
  })

  async function pass(chunk: Buffer): Promise<void> {
    isPassing = true
    tcp.pause()
    for (let at = 0; at < chunk.length && !stream.destroyed; ) {
      const slice = chunk.subarray(at, at + sliceBytes)
      const ms = await takeTurn(() => {
        passedBytes += slice.length
        stream.push(slice)
      })
      at += slice.length
      sliceBytes = ms < SHORT_STEP_MS ? Math.max(2 * slice.length, FIRST_SLICE_BYTES) : FIRST_SLICE_BYTES
    }
    isPassing = false
    if (stream.readableLength < stream.readableHighWaterMark) tcp.resume()
  }

  let passing = Promise.resolve()
  tcp.on('data', (chunk) => {
    passing = pass(chunk as Buffer).catch((error) => void stream.destroy(error))
  })
  // Node reports the end also while the socket is paused.
  tcp.on('end', () => void passing.then(() => stream.push(null)))
  tcp.on('close', () => tcp.readableEnded || stream.destroy())
  tcp.on('error', (error) => stream.destroy(error))
  return { stream, countBytes: () => passedBytes - stream.readableLength }
}

function openPlain(tcp: Socket, takeDataTurn: TakeTurn) {
  const { stream, countBytes } = readInTurns(tcp, takeDataTurn)
  tcp.once('connect', () => stream.emit('connect'))
  return { socket: stream.on('error', () => {}), countBytes, countHttpBytes: countBytes }
}

function openTls(
  tcp: Socket,
  host: string,
  takeDataTurn: TakeTurn,
  handshake: ReturnType<SourceTurns['startHandshake']>,
) {
  let isConnected = false
  const { stream, countBytes } = readInTurns(tcp, async (step) => {
    if (isConnected) return takeDataTurn(step)
    if (tcp.bytesRead > MAX_HANDSHAKE_BYTES) throw new Error('the handshake is too long')
    return handshake.takeTurn(step)
  })
  const socket = connectTls({
    socket: stream,
    servername: isIP(host) ? '' : host,
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment does not disable it.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    ciphers: CIPHERS,
    // Another handshake would have no turn and could have more certificates.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  }).on('error', () => {})
  stream.on('error', (error) => socket.destroy(error))
  socket.once('secureConnect', () => {
    isConnected = true
    handshake.complete()
  })
  return { socket, countBytes, countHttpBytes: () => socket.bytesRead }
}

const describeConnectFailure = (socket: Duplex) =>
  'authorizationError' in socket && socket.authorizationError
    ? 'has an invalid certificate'
    : 'does not accept connections'

/**
 * Closes a connection with an error. Without one, undici takes a body of unknown length for complete, and ends the process
 * if its request was aborted meanwhile.
 */
export const cut = (socket: Duplex) => void socket.destroy(new Error('the connection was cut'))

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
export function limitProtocolOverhead({ socket, countBytes, countHttpBytes }: Connection) {
  const startBytes = { http: countHttpBytes(), all: countBytes() }
  let bodyBytes = 0
  let isExceeded = false
  const timer = setInterval(() => {
    const httpBytes = countHttpBytes() - startBytes.http
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

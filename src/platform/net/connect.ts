// Connecting to a source: addresses that were checked, and limits on what it may send besides content.
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate as immediate } from 'node:timers/promises'
import { connect as connectTls, DEFAULT_CIPHERS, type TLSSocket } from 'node:tls'
import { FetchError, getHost, getPort } from './address-policy.ts'

interface Connection {
  readonly socket: Socket | TLSSocket
  /** Counts the bytes that were read, with those of TLS itself. */
  countBytes(): number
}

/** The attempts share one timeout: more of them would leave too little time for each. */
const MAX_ATTEMPTS = 4

/**
 * Connects to the first of these addresses that answers. The caller has checked the addresses, and they are connected
 * to as literals: no second DNS lookup happens between check and connection (DNS rebinding).
 */
export async function connect(
  url: URL,
  addresses: readonly string[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Connection> {
  const attempts = addresses.slice(0, MAX_ATTEMPTS)
  let failure = () => new FetchError('unreachable', { problem: 'has no address in DNS' })
  for (const address of attempts) {
    const connection = open(url, address)
    const { socket } = connection
    const timeout = AbortSignal.timeout(Math.ceil(timeoutMs / attempts.length))
    try {
      const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect'
      await once(socket, connected, { signal: AbortSignal.any([signal, timeout]) })
      return connection
    } catch {
      socket.destroy()
      signal.throwIfAborted()
      failure = () =>
        timeout.aborted
          ? new FetchError('timeout', { max: timeoutMs })
          : new FetchError('unreachable', { problem: describeConnectFailure(socket) })
    }
  }
  throw failure()
}

function open(url: URL, address: string): Connection {
  // A late error without a listener would end the process. The reader of the socket notices the error anyway.
  const tcp = connectTcp({ host: address, port: getPort(url), noDelay: true }).on('error', () => {})
  return url.protocol === 'https:' ? openTls(tcp, getHost(url)) : { socket: tcp, countBytes: () => tcp.bytesRead }
}

/** Without DHE: a source chooses the modulus, and one of 10,000 bits blocks the service for three seconds. */
const CIPHERS = `${DEFAULT_CIPHERS}:!DHE`
/** Certificates usually have 2 to 10 KB. OpenSSL takes up to 40 ms per KB to verify those of an attacker. */
const MAX_HANDSHAKE_BYTES = 16 * 1024

let lastTurn: Promise<unknown> = Promise.resolve()
/** Many handshakes in one turn of the event loop would delay all requests. */
const waitForTurn = () => (lastTurn = lastTurn.then(() => immediate()))

function openTls(tcp: Socket, host: string): Connection {
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
  })
  tcp.on('data', async (chunk) => {
    tcp.pause()
    if (!isConnected) {
      if (tcp.bytesRead > MAX_HANDSHAKE_BYTES) return socket.destroy(new Error('the handshake is too long'))
      await waitForTurn()
    }
    if (stream.push(chunk)) tcp.resume()
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

/** Bytes that may be something other than body: headers, chunk framing, and what was read ahead. */
const MAX_OVERHEAD_BYTES = 1024 * 1024
/** Bytes that may be something other than HTTP: session tickets, and the framing of TLS beyond an eighth. */
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
    socket.destroy()
  }, OVERHEAD_CHECK_INTERVAL_MS)
  return {
    onBody: (receivedBytes: number) => {
      bodyBytes = receivedBytes
    },
    isExceeded: () => isExceeded,
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

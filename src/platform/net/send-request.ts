import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { addAbortSignal, pipeline, Readable, type Transform } from 'node:stream'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { Client, type Dispatcher, errors } from 'undici'
import { Busy } from '../../errors/index.ts'
import { FetchError, getHost, getPort } from './address-policy.ts'
import type { Deadline } from './fetcher.ts'

export interface RequestLimits {
  connectTimeoutMs: number
  /** Bytes of the body, both transferred and decompressed. */
  maxBytes: number
  /** From the request to the end of the response headers. */
  headersTimeoutMs: number
}

type OnBytes = ((bytes: number) => void) | undefined

const MAX_HEADER_BYTES = 16 * 1024

export const hasContent = (status: number) => status === 200 || status === 203

/**
 * Connects, sends one request and disconnects. Connections are never reused: a connection that was checked for one host must
 * not answer for another. Bodies are read only in reply to GET, and if the status is 200 or 203.
 */
export async function sendRequest(
  url: URL,
  addresses: readonly string[],
  { headers, post }: { headers: Record<string, string>; post?: string },
  limits: RequestLimits & { onBytes: OnBytes },
  deadline: Deadline,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  const socket = await connect(url, addresses, limits.connectTimeoutMs, deadline.signal)
  const sockets = [socket]
  const client = new Client(url.origin, {
    connect: (_options, callback) => {
      const next = sockets.pop()
      // undici does not accept a callback from inside its own call.
      queueMicrotask(() => (next ? callback(null, next) : callback(new Error('only one connection per hop'), null)))
    },
    allowH2: false,
    pipelining: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  let status: number | undefined
  using overhead = limitProtocolOverhead(socket)
  try {
    const path = url.pathname + url.search
    const content = post === undefined ? ({ method: 'GET' } as const) : ({ method: 'POST', body: post } as const)
    const request = client.request({ ...content, path, headers, signal: deadline.signal })
    const response = await deadline.within(limits.headersTimeoutMs, request)
    status = response.statusCode
    response.body.on('error', () => {})
    const body =
      post === undefined && hasContent(status)
        ? await readBody(response, limits, overhead.onBody, deadline.signal)
        : Buffer.alloc(0)
    return { status, headers: joinRepeated(response.headers), body }
  } catch (error) {
    deadline.signal.throwIfAborted()
    if (error instanceof FetchError || error instanceof Busy) throw error
    const problem = overhead.isExceeded() ? 'sent more protocol overhead than content' : describeFailure(error)
    throw new FetchError('unreachable', { problem, ...(status !== undefined && { sourceStatus: status }) })
  } finally {
    socket.destroy()
    client.destroy().catch(() => {})
  }
}

/**
 * Gives a header that was sent several times one value, which its readers expect: undici gives an array. Several locations
 * stay an array, so that the redirect is refused.
 */
const joinRepeated = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, name === 'location' ? value : value && String(value)]),
  )

const describeFailure = (error: unknown) =>
  error instanceof errors.HeadersOverflowError ? 'sent too many headers' : 'did not send a complete HTTP response'

/** The attempts share one timeout: more of them would leave too little time for each. */
const MAX_ATTEMPTS = 4

/**
 * Connects to the first of these addresses that answers. The caller has checked the addresses, and they are connected
 * to as literals: no second DNS lookup happens between check and connection (DNS rebinding).
 */
async function connect(url: URL, addresses: readonly string[], timeoutMs: number, signal: AbortSignal) {
  const attempts = addresses.slice(0, MAX_ATTEMPTS)
  let failure = () => new FetchError('unreachable', { problem: 'has no address in DNS' })
  for (const address of attempts) {
    const socket = openSocket(url, address)
    const timeout = AbortSignal.timeout(Math.ceil(timeoutMs / attempts.length))
    try {
      const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect'
      await once(socket, connected, { signal: AbortSignal.any([signal, timeout]) })
      return socket
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

function openSocket(url: URL, address: string): Socket {
  const target = { host: address, port: getPort(url), noDelay: true }
  const servername = isIP(getHost(url)) ? '' : getHost(url)
  const socket =
    url.protocol === 'https:'
      ? // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment does not disable it.
        connectTls({ ...target, servername, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] })
      : connectTcp(target)
  // A late error without a listener would end the process. The reader of the socket notices the error anyway.
  return socket.on('error', () => {})
}

const describeConnectFailure = (socket: Socket | TLSSocket) =>
  'authorizationError' in socket && socket.authorizationError
    ? 'has an invalid certificate'
    : 'does not accept connections'

/** Bytes that may be something other than body: headers, chunk framing, and what was read ahead. */
const MAX_OVERHEAD_BYTES = 1024 * 1024
const OVERHEAD_CHECK_INTERVAL_MS = 20

/**
 * Cuts off a source that sends more framing than body: one-byte chunks, chunk extensions, interim responses, a status
 * line without an end. No other limit counts these bytes, and parsing them blocks the event loop for all requests.
 */
function limitProtocolOverhead(socket: Socket) {
  const startBytes = socket.bytesRead
  let bodyBytes = 0
  let isExceeded = false
  const timer = setInterval(() => {
    if (socket.bytesRead - startBytes <= 2 * bodyBytes + MAX_OVERHEAD_BYTES) return
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

type Response = Pick<Dispatcher.ResponseData, 'headers' | 'body' | 'statusCode'>

/** Used if the source does not announce a length. */
const FIRST_ALLOCATION_BYTES = 64 * 1024

// Requests ask for identity, but some servers store files compressed and send them so to everyone. Decompression is bounded
// by the same limit as the transfer, so a decompression bomb fails as `too-large`.
const decompressors = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
])

/** Reads and decompresses a body of at most `maxBytes`, both transferred and decompressed. */
async function readBody(
  response: Response,
  { maxBytes, onBytes }: { maxBytes: number; onBytes: OnBytes },
  onProgress: (receivedBytes: number) => void,
  signal: AbortSignal,
): Promise<Buffer> {
  const { statusCode: sourceStatus } = response
  const encoding = String(response.headers['content-encoding'] ?? 'identity').toLowerCase()
  const createDecompressor = decompressors.get(encoding)
  if (!createDecompressor && encoding !== 'identity' && encoding !== '')
    throw new FetchError('unreachable', { sourceStatus, problem: 'sent a content encoding that was not requested' })
  const countBytes = () => {
    let counted = 0
    return (total: number) => {
      onBytes?.(total - counted)
      counted = total
    }
  }
  const countReceived = countBytes()
  const bytes = await collect(response, maxBytes, (total) => {
    countReceived(total)
    onProgress(total)
  })
  if (!createDecompressor) return bytes
  const body = pipeline(Readable.from(cutIntoSlices(bytes)), createDecompressor(), () => {})
  try {
    return await collect({ headers: {}, body: addAbortSignal(signal, body) }, maxBytes, countBytes())
  } catch (error) {
    if (error instanceof FetchError || error instanceof Busy) throw error
    throw new FetchError('unreachable', { sourceStatus, problem: 'sent a body with a broken content encoding' })
  }
}

const SLICE_BYTES = 64 * 1024

/**
 * Node decompresses in one step until there is output. 16 MiB without output take a second, during which a thread of its
 * pool is not free to read files for other clients.
 */
function* cutIntoSlices(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) yield bytes.subarray(start, start + SLICE_BYTES)
}

/** Collects into one growing buffer, not a list: sixteen million one-byte chunks would take a hundred times their size. */
async function collect(
  { headers, body }: { headers: IncomingHttpHeaders; body: AsyncIterable<Buffer> },
  maxBytes: number,
  onProgress: (receivedBytes: number) => void,
): Promise<Buffer> {
  const tooLarge = () => new FetchError('too-large', { max: maxBytes })
  const declared = Number(headers['content-length'] ?? Number.NaN)
  if (declared > maxBytes) throw tooLarge()
  let bytes = Buffer.allocUnsafeSlow(declared >= 0 ? declared : Math.min(FIRST_ALLOCATION_BYTES, maxBytes))
  let size = 0
  for await (const chunk of body) {
    const needed = size + chunk.length
    if (needed > maxBytes) throw tooLarge()
    if (needed > bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(needed, bytes.length * 2)))
      bytes.copy(larger, 0, 0, size)
      bytes = larger
    }
    chunk.copy(bytes, size)
    size = needed
    onProgress(size)
  }
  if (size === bytes.length) return bytes
  // Caches count the bytes that they hold: free the unused rest of the allocation, and use none from Node's pool.
  const exact = Buffer.allocUnsafeSlow(size)
  bytes.copy(exact, 0, 0, size)
  return exact
}

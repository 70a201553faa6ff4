import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { addAbortSignal, pipeline, Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { Client, type Dispatcher, errors } from 'undici'
import { Busy } from '../../errors/index.ts'
import { FetchError } from './address-policy.ts'
import { connect, cut, limitProtocolOverhead } from './connect.ts'
import type { Deadline } from './fetcher.ts'
import type { SourceTurns } from './source-turns.ts'

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
  limits: RequestLimits & { onBytes: OnBytes; sourceTurns: SourceTurns },
  deadline: Deadline,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }> {
  const connection = await connect(url, addresses, limits, deadline.signal)
  const { socket } = connection
  const sockets = [socket]
  const client = new Client(url.origin, {
    connect: (_options, callback) => {
      const next = sockets.pop()
      // undici does not accept a callback from inside its own call.
      queueMicrotask(() =>
        next ? callback(null, next as Socket) : callback(new Error('only one connection per hop'), null),
      )
    },
    allowH2: false,
    pipelining: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  let status: number | undefined
  using overhead = limitProtocolOverhead(connection)
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
    // A body without a length ends with the connection, and seems complete.
    if (overhead.isExceeded()) throw new Error('the connection was cut')
    return { status, headers: joinRepeated(response.headers), body }
  } catch (error) {
    deadline.signal.throwIfAborted()
    if (error instanceof FetchError || error instanceof Busy) throw error
    const problem = overhead.isExceeded() ? 'sent more protocol overhead than content' : describeFailure(error)
    throw new FetchError('unreachable', { problem, ...(status !== undefined && { sourceStatus: status }) })
  } finally {
    cut(socket)
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

/** Used if the source does not announce a length. */
const FIRST_ALLOCATION_BYTES = 64 * 1024

/** Browsers refuse a larger window, too (RFC 9659). */
const ZSTD_OPTIONS = { params: { [constants.ZSTD_d_windowLogMax]: 23 } }

// Requests ask for identity, but some servers store files compressed and send them so to everyone. Decompression is bounded
// by the same limit as the transfer, so a decompression bomb fails as `too-large`.
const decompressors = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', () => createZstdDecompress(ZSTD_OPTIONS)],
])

/** Reads and decompresses a body of at most `maxBytes`, both transferred and decompressed. */
async function readBody(
  response: Pick<Dispatcher.ResponseData, 'headers' | 'body' | 'statusCode'>,
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
  const countDecompressed = countBytes()
  const body = pipeline(Readable.from(cutIntoSlices(bytes)), createDecompressor(), () => {})
  try {
    // Counted twice, because the window of Brotli and Zstandard may hold all of them.
    return await collect({ headers: {}, body: addAbortSignal(signal, body) }, maxBytes, (total) =>
      countDecompressed(2 * total),
    )
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

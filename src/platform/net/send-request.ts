import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { Client, errors } from 'undici'
import type { Deadline } from './deadline.ts'
import { FetchError } from './fetch-error.ts'
import { readBody } from './read-body.ts'

export interface ResponseLimits {
  /** Bytes of the body, both transferred and decompressed. */
  maxBytes: number
  maxHeaderBytes: number
  /** From the request to the end of the response headers. */
  firstByteTimeoutMs: number
}

export interface SourceResponse {
  status: number
  headers: IncomingHttpHeaders
  /** Empty unless the status is 200 or 203: other bodies are not read. */
  body: Buffer
}

export const hasContent = (status: number) => status === 200 || status === 203

/**
 * Sends one GET over this socket and closes it. Connections are never reused: a connection that was checked for one host
 * must not answer for another.
 */
export async function sendRequest(
  url: URL,
  socket: Socket,
  headers: Record<string, string>,
  limits: ResponseLimits,
  deadline: Deadline,
): Promise<SourceResponse> {
  const sockets = [socket]
  const client = new Client(url.origin, {
    connect: (_options, callback) => {
      const next = sockets.pop()
      // undici does not accept a callback from inside its own call.
      queueMicrotask(() => (next ? callback(null, next) : callback(new Error('only one connection per hop'), null)))
    },
    allowH2: false,
    pipelining: 0,
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  let status: number | undefined
  using overhead = limitProtocolOverhead(socket)
  try {
    const path = url.pathname + url.search
    const request = client.request({ method: 'GET', path, headers, signal: deadline.signal })
    const response = await deadline.within(limits.firstByteTimeoutMs, request)
    status = response.statusCode
    response.body.on('error', () => {})
    const body = hasContent(status) ? await readBody(response, limits.maxBytes, overhead.onBody) : Buffer.alloc(0)
    return { status, headers: response.headers, body }
  } catch (error) {
    deadline.signal.throwIfAborted()
    if (error instanceof FetchError) throw error
    const problem = overhead.isExceeded() ? 'sent more protocol overhead than content' : describeFailure(error)
    throw new FetchError('unreachable', { problem, ...(status !== undefined && { sourceStatus: status }) })
  } finally {
    socket.destroy()
    client.destroy().catch(() => {})
  }
}

const describeFailure = (error: unknown) =>
  error instanceof errors.HeadersOverflowError ? 'sent too many headers' : 'did not send a complete HTTP response'

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

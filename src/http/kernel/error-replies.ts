// The one place that turns errors into replies: those of handlers, and those that happen before there is a request.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import * as errors from '../../errors/index.ts'
import type { Log } from '../../platform/logging/index.ts'
import { lingerAfterReply } from './connections.ts'
import { type InternalsOptions, stopReading } from './http-internals.ts'
import { cache, formatHeaders, json, type Reply } from './replies.ts'
import type { PendingReplies } from './reply-budget.ts'

/** An error that is not meant for clients becomes INTERNAL_ERROR; only the log gets its details. */
export function buildErrorReply(error: unknown, requestId: string, log: Log): Reply {
  if (!(error instanceof errors.ApiError)) log.error({ err: error, requestId }, 'a request failed because of a bug')
  const apiError = error instanceof errors.ApiError ? error : new errors.InternalError()
  const { status } = apiError
  return json(buildErrorBody(apiError, requestId), { status, cache: cache.none, headers: selectHeaders(apiError) })
}

export const buildErrorBody = ({ status, code, message, details }: errors.ApiError, requestId: string) => ({
  success: false,
  status,
  code,
  message,
  ...details,
  requestId,
})

/** How to authenticate. RFC 9110 requires it with every 401; the parameters of Bearer are those of RFC 6750. */
const CHALLENGES: Readonly<Record<string, string>> = {
  [errors.TokenRequired.code]: 'Bearer realm="operator"',
  [errors.TokenInvalid.code]: 'Bearer realm="operator", error="invalid_token"',
  [errors.TokenScopeMissing.code]: 'Bearer realm="operator", error="insufficient_scope"',
  [errors.ClientKeyRequired.code]: 'ApiKey realm="v5", header="X-Client-Key"',
  [errors.ClientKeyInvalid.code]: 'ApiKey realm="v5", header="X-Client-Key", error="invalid_key"',
}

/** Details that HTTP has a header for. */
function selectHeaders(error: errors.ApiError): string[] {
  const { allowed, retryAfter } = error.details
  const headers: string[] = []
  if (error instanceof errors.MethodNotAllowed && Array.isArray(allowed)) headers.push('Allow', allowed.join(', '))
  const challenge = CHALLENGES[error.code]
  if (challenge !== undefined) headers.push('WWW-Authenticate', challenge)
  if (retryAfter !== undefined) headers.push('Retry-After', String(retryAfter))
  return headers
}

/** electron-updater requests up to 1,000 ranges at once. */
export const MAX_HEADER_BYTES = 32 * 1024
/** A thousand take 100 KB and a millisecond, also if the request is refused or never complete. */
export const MAX_HEADERS = 128
export const MAX_URL_LENGTH = 8 * 1024

interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
  /** The position of the error in `rawPacket`. */
  readonly bytesParsed?: number
}

/** No limit stops such requests: their lines would displace all others in minutes. The metrics count all of them. */
const MAX_LINES_PER_SECOND = 10

/** Emitted like an error of the parser. */
export class TinyChunks extends Error {}

interface EarlyErrorOptions extends InternalsOptions {
  readonly log: Log
  readonly nextId: () => string
  readonly pending: PendingReplies
  /** Connections on which a file arrives: they have no time limit. */
  readonly receivingFile: WeakSet<Socket>
  readonly onEarlyError?: ((code: string) => void) | undefined
}

/** Replies to what never becomes a request, where Node would close the connection or reply without a body. */
export function answerEarlyErrors(server: Server, options: EarlyErrorOptions): void {
  const { log, nextId, pending, receivingFile, onEarlyError } = options
  const closing = new WeakSet<Socket>()
  let [second, lines] = [0, 0]

  const logRejection = (id: string, { status, code }: errors.ApiError) => {
    const now = Math.trunc(performance.now() / 1000)
    if (now !== second) [second, lines] = [now, 0]
    if (lines++ < MAX_LINES_PER_SECOND) log.info({ id, status, code }, 'rejected before routing')
  }

  const reject = (socket: Socket, error: errors.ApiError) => {
    if (closing.has(socket)) return
    const next = pending.next(socket)
    if (next?.request.complete) {
      // An earlier request waits for its reply: the client would read this error as that reply.
      closing.add(socket)
      pending.closeWhenSent(socket)
    } else if (next?.response.headersSent) {
      socket.destroy()
      return
    } else {
      writeReply(socket, error)
    }
    onEarlyError?.(error.code)
  }

  const writeReply = (socket: Socket, error: errors.ApiError) => {
    const id = nextId()
    const { headers, length, body } = buildErrorReply(error, id, log)
    const allHeaders = [...headers, 'X-Request-Id', id, 'Access-Control-Allow-Origin', '*', 'Connection', 'close']
    const head = `HTTP/1.1 ${error.status} ${error.code}\r\n${formatHeaders(allHeaders)}Content-Length: ${length}\r\n`
    closing.add(socket)
    socket.write(`${head}\r\n${body}`, 'latin1')
    // The client may still send a body. Nginx would take a node that resets the connection for failed.
    lingerAfterReply(socket)
    stopReading(socket, options)
    socket.destroySoon()
    logRejection(id, error)
  }

  server.on('clientError', (error: ParserError, socket: Socket) => {
    const isReset = error.code === 'ECONNRESET'
    // Bytes that follow the request which got the reply.
    if (!isReset && !socket.writable && closing.has(socket)) return
    if (isReset || !socket.writable) return void socket.destroy(error)
    // The client closed the connection in the middle of a request, and does not wait for the replies to earlier ones.
    if (error.code === 'HPE_INVALID_EOF_STATE' && pending.next(socket)?.request.complete) return void socket.destroy()
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && receivingFile.has(socket)) return
    reject(socket, translateParserError(error))
    // Nothing more is read from the connection, so nobody would notice that the client closes it.
    if (error instanceof TinyChunks) socket.destroySoon()
  })
  server.on('connect', ({ socket }, stream) => {
    // Node no longer watches the connection: a reset would end the process, and a connection that the client keeps or
    // leaves would stay open forever.
    const destroy = () => void socket.destroy()
    for (const part of [socket, stream]) part.on('error', destroy)
    socket.on('timeout', destroy).on('end', destroy).resume()
    reject(socket, new errors.MethodNotAllowed('CONNECT', ['GET', 'HEAD']))
  })
}

/** A well-formed request line, with a method that the parser does not know. */
const REQUEST_LINE = /^([\w!#$%&'*+.^`|~-]{1,40}) \S+ HTTP\/1\.[01]\r?\n/

function translateParserError(error: ParserError): errors.ApiError {
  const { code, rawPacket } = error
  if (code === 'HPE_HEADER_OVERFLOW') {
    // Without a line break in all these bytes it is the URL that is too long.
    const isUrl = rawPacket !== undefined && !rawPacket.includes('\r\n')
    return isUrl ? new errors.UriTooLong(MAX_URL_LENGTH) : new errors.HeadersTooLarge(MAX_HEADER_BYTES, MAX_HEADERS)
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new errors.RequestTimeout()
  if (error instanceof TinyChunks) return new errors.BadRequest('The chunks of the body are too small.')
  const method = code === 'HPE_INVALID_METHOD' ? readUnknownMethod(error) : undefined
  if (method !== undefined) return new errors.MethodUnknown(method)
  return new errors.BadRequest('The request is not valid HTTP/1.1.')
}

/** Other requests may precede this one in the packet. */
function readUnknownMethod({ rawPacket, bytesParsed = 0 }: ParserError): string | undefined {
  const text = rawPacket?.toString('latin1') ?? ''
  return REQUEST_LINE.exec(text.slice(text.lastIndexOf('\n', bytesParsed - 1) + 1))?.[1]
}

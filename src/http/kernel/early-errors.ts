// What goes wrong before a request reaches the router, where Node would answer by itself without a body.
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import {
  type ApiError,
  BadRequest,
  HeadersTooLarge,
  MethodNotAllowed,
  RequestTimeout,
  UriTooLong,
} from '../../errors/index.ts'
import type { Log } from '../../platform/logging/index.ts'
import { buildErrorReply } from './error-handler.ts'
import { formatHeaders } from './head.ts'

export const largest = {
  headerBytes: 32 * 1024,
  urlCharacters: 8 * 1024,
}

interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
}

export interface EarlyErrors {
  readonly log: Log
  readonly nextId: () => string
  readonly onEarlyError?: ((code: string) => void) | undefined
}

export function answerEarlyErrors(server: Server, { log, nextId, onEarlyError }: EarlyErrors): void {
  const end = (socket: Socket, error: ApiError) => {
    endWith(socket, error, nextId(), log)
    onEarlyError?.(error.code)
  }
  const ending = new WeakSet<Socket>()
  const refuse = (socket: Answering, error: ApiError) => {
    const owed = socket._httpMessage
    if (ending.has(socket)) return
    if (owed?.req.complete) {
      // It is an earlier request that waits for this reply: whatever is written now would be taken for it.
      ending.add(socket)
      endWhenAnswered(socket)
      onEarlyError?.(error.code)
    } else if (owed?.headersSent) {
      socket.destroy()
    } else {
      end(socket, error)
    }
  }
  server.on('clientError', (error: ParserError, socket: Socket) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy(error)
    refuse(socket, meaningOf(error))
  })
  server.on('connect', ({ socket }) => refuse(socket, new MethodNotAllowed('CONNECT', ['GET', 'HEAD'])))
}

/** Where Node keeps the reply that a connection waits for. */
interface Answering extends Socket {
  _httpMessage?: ServerResponse | null
}

function endWhenAnswered(socket: Answering): void {
  const owed = socket._httpMessage
  if (owed) owed.once('finish', () => endWhenAnswered(socket))
  else socket.destroySoon()
}

function meaningOf(error: ParserError): ApiError {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    // No line has ended in all these bytes: it is the URL that is too long.
    const inUrl = error.rawPacket !== undefined && !error.rawPacket.includes('\r\n')
    return inUrl ? new UriTooLong(largest.urlCharacters) : new HeadersTooLarge(largest.headerBytes)
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTimeout()
  return new BadRequest('The request is not valid HTTP/1.1.')
}

function endWith(socket: Socket, error: ApiError, id: string, log: Log): void {
  const reply = buildErrorReply(error, id, log)
  const headers = [...reply.headers, 'X-Request-Id', id, 'Access-Control-Allow-Origin', '*', 'Connection', 'close']
  const head = `HTTP/1.1 ${error.status} ${error.code}\r\n${formatHeaders(headers)}Content-Length: ${reply.length}\r\n`
  socket.end(`${head}\r\n${reply.body}`, 'latin1')
  log.info({ id, status: error.status, code: error.code }, 'refused before routing')
}

// Everything that relies on internals of Node. `useInternals: false` switches to the fallback, which uses public API
// only.
import { createHook } from 'node:async_hooks'
import { IncomingMessage, type Server, ServerResponse, STATUS_CODES } from 'node:http'
import { Server as NetServer, Socket } from 'node:net'

export interface InternalsOptions {
  /** Default: true, if this version of Node has the internals. */
  readonly useInternals?: boolean | undefined
}

/** Where Node stores the formatted head of a response until it is sent. */
interface WithFormattedHead {
  _header: string | null
}

const canStoreHead = (() => {
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  ;(response as unknown as WithFormattedHead)._header = 'HTTP/1.1 200 OK\r\n\r\n'
  return response.headersSent
})()

interface Head {
  readonly status: number
  /** Header lines, validated and formatted by `formatHeaders`. */
  readonly headerText: string
  /** The whole body, if it is text. Each character is one byte. */
  readonly text?: string | undefined
  /** The headers say where the body ends, or there is no body. */
  readonly hasKnownLength: boolean
  readonly closesConnection: boolean
}

/** Clients may use a connection again this long; the service keeps it longer. */
const KEEP_ALIVE = 'Keep-Alive: timeout=65\r\n'

type WriteHead = (response: ServerResponse, head: Head, now: number) => void

/**
 * Writes the status line and the headers of a reply; with `text`, the whole reply. `response.writeHead` validates and
 * joins every header of every reply: a tenth of the time of a small reply. This function stores one string instead, most
 * of which is formatted in advance. It ends with the text, because Node queues what it gets in two parts. Unusual replies
 * (HTTP/1.0, a connection that closes, a body of unknown length) always go through `writeHead`.
 */
export function createHeadWriter({ useInternals = true }: InternalsOptions = {}): WriteHead {
  const isFast = useInternals && canStoreHead
  const readClosingLines = createClosingLines()
  const statusLines: string[] = []

  return (response, { status, headerText, text, hasKnownLength, closesConnection }, now) => {
    const isUsual =
      hasKnownLength && !closesConnection && response.shouldKeepAlive && response.req.httpVersionMinor === 1
    if (!isFast || !isUsual) {
      const connection = closesConnection ? 'Connection: close\r\n' : response.shouldKeepAlive ? KEEP_ALIVE : ''
      response.writeHead(status, parseHeaders(headerText + connection))
      if (text !== undefined) response.end(text, 'latin1')
      return
    }
    statusLines[status] ??= `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
    response.statusCode = status
    ;(response as unknown as WithFormattedHead)._header =
      statusLines[status] + headerText + readClosingLines(now) + (text ?? '')
    if (text !== undefined) response.end()
  }
}

const SECOND_MS = 1000

/**
 * The last header lines, formatted once per second. `now` is a value of `performance.now`, which the caller has anyway.
 */
function createClosingLines(): (now: number) => string {
  let validUntil = 0
  let lines = ''
  return (now) => {
    if (now >= validUntil) {
      const date = new Date()
      validUntil = now + SECOND_MS - date.getMilliseconds()
      lines = `${KEEP_ALIVE}Date: ${date.toUTCString()}\r\nConnection: keep-alive\r\n\r\n`
    }
    return lines
  }
}

const parseHeaders = (headerText: string): string[] =>
  headerText
    .split('\r\n')
    .filter(Boolean)
    .flatMap((line) => {
      const end = line.indexOf(': ')
      return [line.slice(0, end), line.slice(end + 2)]
    })

/**
 * Accepts no new connections; calls `onClosed` when the last one is closed. The `close` method of an HTTP server would
 * also cut idle connections at once, and a client that sends a request at that moment would get no reply. The fallback
 * does so.
 */
export function stopAccepting(server: Server, onClosed: () => void, { useInternals = true }: InternalsOptions = {}) {
  if (!useInternals) return server.close(onClosed)
  return NetServer.prototype.close.call(server, () => {
    // Ends the interval in which Node checks connections: it would keep the whole service in memory.
    server.close()
    onClosed()
  })
}

/** What tells the parser of Node that the rest of the bytes is another protocol. */
const STOP = 2

interface Parser {
  onIncoming?: unknown
  /** By the constants of HTTPParser: what the parser calls for a part of a request. */
  [event: number]: unknown
}

const readParser = (socket: Socket) => (socket as { parser?: Parser }).parser

/**
 * Drops what else arrives on a connection. Node would parse all requests of a chunk of 64 KiB, even those that arrive
 * after the last one that is answered. The fallback lets it do so.
 */
export function stopParsing(socket: Socket, { useInternals = true }: InternalsOptions = {}): void {
  const parser = readParser(socket)
  if (useInternals && parser?.onIncoming) parser.onIncoming = () => STOP
}

/**
 * Drops the rest of a body, and what follows it on the connection. Node would make a Buffer of each chunk: chunks of one
 * byte take a hundred times as long to receive as to send. The fallback lets it do so.
 */
export function dropBody(socket: Socket, { useInternals = true }: InternalsOptions = {}): void {
  const parser = readParser(socket)
  const { kOnBody } = (parser?.constructor ?? {}) as { kOnBody?: number }
  if (!useInternals || !parser || kOnBody === undefined || !parser[kOnBody]) return
  const onBody = parser[kOnBody]
  parser[kOnBody] = undefined
  // Node uses the parser again for another connection when this one closes, or becomes one of another protocol (CONNECT).
  const restore = () => {
    parser[kOnBody] = onBody
  }
  socket.prependOnceListener('close', restore)
  parser.onIncoming = () => {
    restore()
    return STOP
  }
}

/** Reads nothing more from a connection. The fallback reads on. */
export function stopReading(socket: Socket, { useInternals = true }: InternalsOptions = {}): void {
  if (!useInternals) return
  socket.pause()
  // Otherwise Node resumes the socket, to drop the rest of the body.
  Object.assign(socket, { _paused: true })
}

/**
 * Returns an object that Node made for `process.nextTick`, as it makes several for each request. Hold it while requests
 * are served: V8 forgets the shape of such objects when garbage collections find none of them, as in an idle service.
 * From then on making them takes ten times as long, a twentieth of the time of a small reply.
 */
export function createTick(): object {
  let tick: object = {}
  const init = (_id: number, _type: string, _trigger: number, resource: object) => {
    tick = resource
  }
  // Promises that were tracked once are slower afterwards.
  const hook = createHook({ init, trackPromises: false }).enable()
  process.nextTick(() => {})
  hook.disable()
  return tick
}

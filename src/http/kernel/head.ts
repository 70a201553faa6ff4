import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'

/** As Node has it: a line break in a value would let a caller write headers, or a whole reply, of his own. */
const UNSAFE = /[^\t\x20-\x7e\x80-\xff]/

/** The lines of headers that are given flat: name, value, name, value … */
export function formatHeaders(headers: readonly string[]): string {
  let lines = ''
  for (let i = 0; i < headers.length; i += 2) {
    const line = `${headers[i]}: ${headers[i + 1]}`
    if (UNSAFE.test(line)) throw new TypeError(`The header ${headers[i]} holds a character that may not be there.`)
    lines += `${line}\r\n`
  }
  return lines
}

const flatOf = (lines: string): string[] =>
  lines
    .split('\r\n')
    .filter(Boolean)
    .flatMap((line) => {
      const end = line.indexOf(': ')
      return [line.slice(0, end), line.slice(end + 2)]
    })

/** Where Node keeps a head that is made and not yet sent; nothing public takes one that is made already. */
interface WithHead {
  _header: string | null
}

/** A Node that keeps it elsewhere is handed the headers one by one. */
const takesHeads = (() => {
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  ;(response as unknown as WithHead)._header = 'HTTP/1.1 200 OK\r\n\r\n'
  return response.headersSent
})()

export interface Head {
  readonly status: number
  /** As `linesOf` makes them, which has checked them. */
  readonly lines: string
  /** Whether the lines tell where the body ends, or there is none. */
  readonly endsByItself: boolean
  /** No further request is read from the connection. */
  readonly isLast: boolean
}

export type WriteHead = (response: ServerResponse, head: Head, now: number) => void

const SECOND = 1000

/**
 * Writes the head of a reply. `writeHead` checks, compares and joins every header of every reply, a fifth of what a small
 * reply costs; here one string is handed over, made of lines that are kept. What is unusual (HTTP/1.0, a connection that
 * is to be closed, a body of unknown length) is left to Node.
 */
export function createHeadWriter(keepAliveMs: number): WriteHead {
  const statusLines: string[] = []
  let dateUntil = 0
  let lastLines = ''

  // On the clock of performance.now: asked for at each request, and a clock that is set puts the date right in a second.
  const lastLinesAt = (now: number) => {
    if (now < dateUntil) return lastLines
    const date = new Date()
    dateUntil = now + SECOND - date.getMilliseconds()
    lastLines = `Date: ${date.toUTCString()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / SECOND}\r\n\r\n`
    return lastLines
  }

  return (response, { status, lines, endsByItself, isLast }, now) => {
    const isUsual = endsByItself && !isLast && response.shouldKeepAlive && response.req.httpVersionMinor === 1
    if (!takesHeads || !isUsual) {
      response.writeHead(status, flatOf(isLast ? `${lines}Connection: close\r\n` : lines))
      return
    }
    statusLines[status] ??= `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
    response.statusCode = status
    ;(response as unknown as WithHead)._header = statusLines[status] + lines + lastLinesAt(now)
  }
}

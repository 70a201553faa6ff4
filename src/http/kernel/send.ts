import { pipeline } from 'node:stream'
import type { BatchedObservers } from './batch-requests.ts'
import { createHeadWriter, formatHeaders } from './head.ts'
import { formatNotModifiedHeaders, formatReplyHeaders, matchesEtag, type Reply } from './replies.ts'
import type { RequestContext } from './request-context.ts'

export interface SendOptions {
  /** PUBLIC_URL is https: browsers shall not come by http again. */
  readonly strictTransport: boolean
  readonly keepAliveMs: number
  readonly observe: BatchedObservers['observe']
}

const EVERYWHERE = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  '*',
  'Cross-Origin-Resource-Policy',
  'cross-origin',
  'Referrer-Policy',
  'no-referrer',
  'X-Content-Type-Options',
  'nosniff',
]
const STRICT_TRANSPORT = ['Strict-Transport-Security', 'max-age=31536000']
const NOTHING_FOLLOWS = [204, 304]

export type Send = (ctx: RequestContext, reply: Reply) => void

export function createSend({ strictTransport, keepAliveMs, observe }: SendOptions): Send {
  const everywhere = formatHeaders(strictTransport ? [...EVERYWHERE, ...STRICT_TRANSPORT] : EVERYWHERE)
  const writeHead = createHeadWriter(keepAliveMs)

  return (ctx, reply) => {
    const { request, response, id, headerText: headerLines, closesConnection: isLast } = ctx
    const { body, length } = reply
    const now = performance.now()
    const asked = reply.etag === undefined ? undefined : request.headers['if-none-match']
    const unchanged = asked !== undefined && reply.status < 300 && matchesEtag(asked, reply.etag ?? '')
    const status = unchanged ? 304 : reply.status
    const endsByItself = length !== undefined || NOTHING_FOLLOWS.includes(status)
    const common = unchanged ? formatNotModifiedHeaders(reply) : formatReplyHeaders(reply) + lengthLine(length)
    const lines = `${everywhere}${common}X-Request-Id: ${id}\r\n${headerLines}`
    writeHead(response, { status, lines, endsByItself, isLast }, now)

    const bodyless = unchanged || request.method === 'HEAD' || body === undefined
    if (bodyless) response.end()
    else if (typeof body === 'string') response.end(body, 'latin1')
    else if (body instanceof Uint8Array) response.end(body)
    // A source that fails half way cuts the connection: the caller sees that the length is wrong.
    else if (length === undefined) pipeline(body, response, () => {})
    else pipeline(body, exactly(length), response, () => {})
    if (bodyless && body && typeof body === 'object' && 'destroy' in body) body.destroy()
    observe(ctx, status, bodyless || length === undefined ? 0 : length, now)
  }
}

/** A byte more would be read as the next reply, and where bytes are missing the next reply as these. */
const exactly = (length: number) =>
  async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let left = length
    for await (const chunk of source) {
      left -= chunk.length
      if (left < 0) break
      yield chunk
    }
    if (left !== 0) throw new Error('the body is not as long as announced')
  }

const lengthLine = (length: number | undefined) => (length === undefined ? '' : `Content-Length: ${length}\r\n`)

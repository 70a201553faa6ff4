import { pipeline } from 'node:stream'
import type { ObserveReply } from './batch-requests.ts'
import { createHeadWriter, type InternalsOptions } from './node-internals.ts'
import { formatHeaders, formatNotModifiedHeaders, formatReplyHeaders, matchesEtag, type Reply } from './replies.ts'
import type { RequestContext } from './request-context.ts'

export interface SendOptions extends InternalsOptions {
  /** PUBLIC_URL is https: browsers must not use http again. */
  readonly strictTransport: boolean
  readonly keepAliveMs: number
  readonly observe: ObserveReply
}

const COMMON_HEADERS = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Expose-Headers', '*'],
  ['Cross-Origin-Resource-Policy', 'cross-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
].flat()
const STRICT_TRANSPORT = ['Strict-Transport-Security', 'max-age=31536000']
const STATUSES_WITHOUT_BODY = [204, 304]

export type Send = (ctx: RequestContext, reply: Reply) => void

/** Adds what belongs to one request: the common headers, the request id, 304 for a matching ETag, no body for HEAD. */
export function createSend({ strictTransport, keepAliveMs, observe, useInternals }: SendOptions): Send {
  const commonHeaders = formatHeaders(strictTransport ? [...COMMON_HEADERS, ...STRICT_TRANSPORT] : COMMON_HEADERS)
  const writeHead = createHeadWriter(keepAliveMs, { useInternals })

  return (ctx, reply) => {
    const { request, response, id, closesConnection } = ctx
    const { body, length, etag } = reply
    const now = performance.now()
    const ifNoneMatch = etag === undefined ? undefined : request.headers['if-none-match']
    const notModified = ifNoneMatch !== undefined && reply.status < 300 && matchesEtag(ifNoneMatch, etag ?? '')
    const status = notModified ? 304 : reply.status
    const hasKnownLength = length !== undefined || STATUSES_WITHOUT_BODY.includes(status)
    const replyHeaders = notModified
      ? formatNotModifiedHeaders(reply)
      : formatReplyHeaders(reply) + formatLength(length)
    const headerText = `${commonHeaders}${replyHeaders}X-Request-Id: ${id}\r\n${ctx.headerText}`
    writeHead(response, { status, headerText, hasKnownLength, closesConnection }, now)

    const isBodyless = notModified || request.method === 'HEAD' || body === undefined
    if (isBodyless) response.end()
    else if (typeof body === 'string') response.end(body, 'latin1')
    else if (body instanceof Uint8Array) response.end(body)
    // A source that fails cuts the connection: the client sees that the body is incomplete.
    else if (length === undefined) pipeline(body, response, () => {})
    else pipeline(body, requireLength(length), response, () => {})
    if (isBodyless && body && typeof body === 'object' && 'destroy' in body) body.destroy()
    observe(ctx, status, isBodyless || length === undefined ? 0 : length, now)
  }
}

/** A client would read surplus bytes as the next reply, and the next reply as the missing bytes. */
const requireLength = (length: number) =>
  async function* (source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let remaining = length
    for await (const chunk of source) {
      remaining -= chunk.length
      if (remaining < 0) break
      yield chunk
    }
    if (remaining !== 0) throw new Error('the body does not have the announced length')
  }

const formatLength = (length: number | undefined) => (length === undefined ? '' : `Content-Length: ${length}\r\n`)

import { pipeline } from 'node:stream'
import type { Exchange } from './exchange.ts'
import type { Observing } from './observed.ts'
import { matchesEtag, type Reply, withoutContent } from './replies.ts'

export interface SendOptions {
  /** PUBLIC_URL is https: browsers shall not come by http again. */
  readonly strictTransport: boolean
  readonly observe: Observing['observe']
}

// One flat array that is copied, not a map that is filled anew for each request.
const EVERYWHERE = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Server-Timing, X-Cache, X-Request-Id',
  'Cross-Origin-Resource-Policy',
  'cross-origin',
  'Referrer-Policy',
  'no-referrer',
  'X-Content-Type-Options',
  'nosniff',
]
const STRICT_TRANSPORT = ['Strict-Transport-Security', 'max-age=31536000']
const CSP_OF_THE_API = "default-src 'none'; frame-ancestors 'none'"

export type Send = (exchange: Exchange, reply: Reply) => void

export function createSend({ strictTransport, observe }: SendOptions): Send {
  const everywhere = strictTransport ? [...EVERYWHERE, ...STRICT_TRANSPORT] : EVERYWHERE

  const ofTheApi = [...everywhere, 'Content-Security-Policy', CSP_OF_THE_API]

  const joined = ({ headers, contentSecurityPolicy }: Reply) =>
    contentSecurityPolicy === undefined
      ? ofTheApi.concat(headers)
      : [...everywhere, 'Content-Security-Policy', contentSecurityPolicy, ...headers]

  const joinedWithoutContent = (reply: Reply) => joined({ ...reply, headers: withoutContent(reply.headers) })

  const headOf = keptFor(joined)
  const unchangedHeadOf = keptFor(joinedWithoutContent)

  return (exchange, reply) => {
    const { request, response } = exchange
    const asked = reply.etag === undefined ? undefined : request.headers['if-none-match']
    const unchanged = asked !== undefined && reply.status < 300 && matchesEtag(asked, reply.etag ?? '')
    const status = unchanged ? 304 : reply.status
    const headers = unchanged ? unchangedHeadOf(reply) : headOf(reply)
    headers.push('X-Request-Id', exchange.id)
    if (exchange.addedHeaders) headers.push(...exchange.addedHeaders)
    response.writeHead(status, headers)

    const { body } = reply
    const bodyless = unchanged || request.method === 'HEAD' || body === undefined
    if (bodyless) response.end()
    else if (typeof body === 'string') response.end(body, reply.latin1 ? 'latin1' : 'utf8')
    else if (body instanceof Uint8Array) response.end(body)
    // A source that fails half way cuts the connection: the caller sees that the length is wrong.
    else pipeline(body, response, () => {})
    if (bodyless && body && typeof body === 'object' && 'destroy' in body) body.destroy()
    observe(exchange, status, bodyless || body === undefined ? 0 : lengthOf(body))
  }
}

/** A reply that is sent again and again is put together once. */
function keptFor(join: (reply: Reply) => string[]): (reply: Reply) => string[] {
  const heads = new WeakMap<Reply, readonly string[]>()
  return (reply) => {
    if (!reply.prepared) return join(reply)
    let head = heads.get(reply)
    if (!head) {
      head = join(reply)
      heads.set(reply, head)
    }
    return head.slice()
  }
}

function lengthOf(body: NonNullable<Reply['body']>): number {
  return typeof body === 'string' || body instanceof Uint8Array ? body.length : 0
}

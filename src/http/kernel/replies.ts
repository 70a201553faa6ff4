import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { formatHeaders } from './head.ts'

/**
 * A reply as plain data. Nothing in it belongs to one request, so a handler may build it once and return it every time;
 * what is of the request (304, HEAD, request id) is added when it is sent.
 */
export interface Reply {
  readonly status: number
  /** Flat: name, value, name, value. Without the length. */
  readonly headers: readonly string[]
  /** Bytes of the body, told where it is not sent, too. */
  readonly length?: number
  /** In a string each character stands for one byte: Node writes it together with the head, and need not encode it. */
  readonly body: string | Uint8Array | Readable | undefined
  readonly etag?: string | undefined
  /** `headers` and the content security policy, formatted; set by `prepareReply`. */
  readonly headerText?: string
  /** The same for the 304 that replaces this reply. */
  readonly notModifiedHeaderText?: string
  /** Instead of the policy for API replies, which lets a browser load nothing. */
  readonly contentSecurityPolicy?: string
}

export const cache = {
  /** Random replies, and errors. */
  none: 'no-store',
  /** Changes at any moment: ask again each time, a 304 is cheap. */
  revalidate: 'no-cache',
  short: 'public, max-age=60, stale-while-revalidate=300',
  /** The name carries a digest or a seed. */
  immutable: 'public, max-age=31536000, immutable',
} as const

const JSON_TYPE = 'application/json; charset=utf-8'

export interface ReplyOptions {
  readonly status?: number
  readonly cache?: string
  readonly headers?: readonly string[]
}

export const json = (value: unknown, options: ReplyOptions = {}): Reply =>
  text(JSON.stringify(value), JSON_TYPE, options)

/** For JSON that was put together of byte strings: its length need not be measured, nor its bytes encoded. */
export const jsonBytes = (body: string, options: ReplyOptions = {}): Reply => withBody(body, JSON_TYPE, options)

/** The reply of most endpoints: `success` and `status`, then what is asked for. */
export const success = (fields: Record<string, unknown>, options: ReplyOptions = {}): Reply =>
  json({ success: true, status: options.status ?? 200, ...fields }, options)

export function text(body: string, type: string, options: ReplyOptions = {}): Reply {
  const isAscii = Buffer.byteLength(body) === body.length
  return withBody(isAscii ? body : Buffer.from(body).toString('latin1'), type, options)
}

/** The body of a reply that was made by `json` or `text`, as text. */
export const readText = ({ body }: Reply): string => Buffer.from(body as string, 'latin1').toString()

export function bytes(body: Uint8Array, type: string, options: ReplyOptions = {}): Reply {
  return withBody(body, type, options)
}

function withBody(
  body: string | Uint8Array,
  type: string,
  { status = 200, cache: policy = cache.revalidate, headers: more }: ReplyOptions,
): Reply {
  const headers = ['Content-Type', type, 'Cache-Control', policy]
  const etag =
    policy === cache.none ? undefined : computeEtag(typeof body === 'string' ? Buffer.from(body, 'latin1') : body)
  if (etag) headers.push('ETag', etag)
  if (more) headers.push(...more)
  return { status, headers, length: body.length, body, etag }
}

/** Above this length, encoding a string for every request costs more than the second write that Node needs for bytes. */
const MAX_STRING_BODY = 16 * 1024

/** For a reply that is sent many times: formats its headers and encodes a large body once instead of at each request. */
export function prepareReply(reply: Reply): Reply {
  const { body } = reply
  const isLargeText = typeof body === 'string' && body.length >= MAX_STRING_BODY
  return {
    ...reply,
    body: isLargeText ? Buffer.from(body, 'latin1') : body,
    headerText: formatReplyHeaders(reply),
    notModifiedHeaderText: formatNotModifiedHeaders(reply),
  }
}

/** Lets a browser load nothing and show the reply in no frame. */
const API_CONTENT_SECURITY_POLICY = "default-src 'none'; frame-ancestors 'none'"

const formatPolicy = ({ contentSecurityPolicy = API_CONTENT_SECURITY_POLICY }: Reply) =>
  formatHeaders(['Content-Security-Policy', contentSecurityPolicy])

export const formatReplyHeaders = (reply: Reply): string =>
  reply.headerText ?? formatPolicy(reply) + formatHeaders(reply.headers)

/** Without the headers that describe a body. */
export const formatNotModifiedHeaders = (reply: Reply): string =>
  reply.notModifiedHeaderText ?? formatPolicy(reply) + formatHeaders(withoutContent(reply.headers))

export const computeEtag = (body: string | Uint8Array) => `"${createHash('sha1').update(body).digest('base64url')}"`

function withoutContent(headers: readonly string[]): string[] {
  const remaining: string[] = []
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? ''
    if (!name.startsWith('Content-')) remaining.push(name, headers[i + 1] ?? '')
  }
  return remaining
}

/** Weak comparison, as RFC 9110 asks for If-None-Match. */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch === '*') return true
  return ifNoneMatch.split(',').some((given) => given.trim().replace(/^W\//, '') === etag.replace(/^W\//, ''))
}

import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/**
 * A reply as plain data. Nothing in it belongs to one request, so a handler may build it once and return it many times.
 * `createSend` adds what depends on the request: 304, HEAD, the request id.
 */
export interface Reply {
  readonly status: number
  /** Flat: name, value, name, value … Without Content-Length. */
  readonly headers: readonly string[]
  /** Length of the body in bytes, also if the body is not sent. */
  readonly length?: number
  /** In a string each character is one byte (latin1): Node writes it together with the head. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | undefined
  readonly etag?: string | undefined
  /** `headers` and the content security policy, formatted; set by `prepareReply`. */
  readonly headerText?: string
  /** The same for the 304 that replaces this reply. */
  readonly notModifiedHeaderText?: string
  /** Default: a policy that lets a browser load nothing. */
  readonly contentSecurityPolicy?: string
  /** Compresses the body; set by `compressible`. A function that held the body itself would keep a second copy in memory. */
  readonly encode?: (encoding: Encoding, body: Reply['body']) => Uint8Array
}

export const isStream = ({ body }: Reply) => typeof body === 'object' && !(body instanceof Uint8Array)

/** Forms of a compressed body. */
export type Encoding = 'br' | 'gzip'

export const cache = {
  /** For random replies and errors. */
  none: 'no-store',
  /** May change at any moment: caches revalidate each time, which costs a cheap 304. */
  revalidate: 'no-cache',
  short: 'public, max-age=60, stale-while-revalidate=300',
  /** The URL contains a digest or a seed. */
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

/** The reply of most endpoints: `success`, `status` and more fields. */
export const success = (fields: Record<string, unknown>, options: ReplyOptions = {}): Reply =>
  json({ success: true, status: options.status ?? 200, ...fields }, options)

export function text(body: string, type: string, options: ReplyOptions = {}): Reply {
  const isAscii = Buffer.byteLength(body) === body.length
  return bytes(isAscii ? body : Buffer.from(body).toString('latin1'), type, options)
}

export const CSV = 'text/csv'

type Row = readonly (string | number)[]

/** A CSV file that browsers save under this name. */
export const csv = (name: string, rows: readonly Row[], { headers = [], ...options }: ReplyOptions): Reply =>
  text(formatCsv(rows), `${CSV}; charset=utf-8`, {
    ...options,
    headers: [...headers, 'Content-Disposition', `attachment; filename="${name}"`],
  })

/** RFC 4180. */
export const formatCsv = (rows: readonly Row[]) => rows.map((row) => `${row.map(formatCell).join(',')}\r\n`).join('')

/** An apostrophe keeps a spreadsheet from running a text as a formula. */
function formatCell(value: string | number): string {
  const cell = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** The body of a reply of `json` or `text`, as text. */
export const readText = ({ body }: Reply): string => Buffer.from(body as string, 'latin1').toString()

/** Each character of a string is one byte. */
export function bytes(body: string | Uint8Array, type: string, options: ReplyOptions = {}): Reply {
  const { status = 200, cache: policy = cache.revalidate, headers: extraHeaders = [] } = options
  const etag = policy === cache.none ? undefined : computeEtag(body, policy, extraHeaders)
  const headers = ['Content-Type', type, 'Cache-Control', policy, ...(etag ? ['ETag', etag] : []), ...extraHeaders]
  return { status, headers, length: body.length, body, etag }
}

/** Redirects to a URL that may differ next time. */
export const redirect = (location: string, headers: readonly string[] = []): Reply => ({
  status: 302,
  headers: ['Location', location, 'Cache-Control', cache.none, ...headers],
  length: 0,
  body: undefined,
})

/** Covers the headers that decide who gets a stored reply, too: after a 304, nginx goes on using those that it stored. */
function computeEtag(body: string | Uint8Array, policy: string, headers: readonly string[]): string {
  const receivers = [policy, ...headers.filter((_, i) => headers[i - 1] === 'Vary')].join()
  const digest = createHash('sha1').update(typeof body === 'string' ? Buffer.from(body, 'latin1') : body)
  return `"${digest.update(receivers).digest('base64url')}"`
}

/** The check of Node itself: a line break in a value would let an attacker add headers, or a whole reply. */
const UNSAFE_CHARACTER = /[^\t\x20-\x7e\x80-\xff]/

/**
 * The header lines of a flat list: name, value, name, value … Several `Vary` become one line, because nginx before 1.23
 * uses only the last, and would serve the reply for one format or language to clients that prefer another.
 */
export function formatHeaders(headers: readonly string[]): string {
  let lines = ''
  let vary = ''
  for (let i = 0; i < headers.length; i += 2) {
    const line = `${headers[i]}: ${headers[i + 1]}`
    if (UNSAFE_CHARACTER.test(line)) throw new TypeError(`The header ${headers[i]} contains a forbidden character.`)
    if (headers[i] === 'Vary') vary += vary === '' ? line : `, ${headers[i + 1]}`
    else lines += `${line}\r\n`
  }
  return vary === '' ? lines : `${lines}${vary}\r\n`
}

/** Above this length, encoding a string for every request costs more than the second write that Node needs for bytes. */
const MAX_STRING_BODY = 16 * 1024

/** For a reply that is sent many times: formats its headers and encodes a large body once instead of at each request. */
export function prepareReply(reply: Reply): Reply {
  const { body } = reply
  const isLargeText = typeof body === 'string' && body.length >= MAX_STRING_BODY
  return {
    ...reply,
    // A copy: Node returns a part of a buffer of 64 KiB, all of which a cached reply would keep in memory.
    body: isLargeText ? new Uint8Array(Buffer.from(body, 'latin1')) : body,
    headerText: formatReplyHeaders(reply),
    notModifiedHeaderText: formatNotModifiedHeaders(reply),
  }
}

/** Lets a browser load nothing and show the reply in no frame. */
const API_CONTENT_SECURITY_POLICY = "default-src 'none'; frame-ancestors 'none'"

/** A browser centres a picture that it opens as a page by styles of its own. Without them it writes errors to the console. */
const PICTURE_CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"

// The builders of replies put the type first.
const choosePolicy = ([name, value]: Reply['headers']) =>
  name === 'Content-Type' && value?.startsWith('image/') ? PICTURE_CONTENT_SECURITY_POLICY : API_CONTENT_SECURITY_POLICY

const formatPolicy = ({ headers, contentSecurityPolicy = choosePolicy(headers) }: Reply) =>
  formatHeaders(['Content-Security-Policy', contentSecurityPolicy])

export const formatReplyHeaders = (reply: Reply): string =>
  reply.headerText ?? formatPolicy(reply) + formatHeaders(reply.headers)

/** Without the headers that describe a body. */
export const formatNotModifiedHeaders = (reply: Reply): string =>
  reply.notModifiedHeaderText ?? formatPolicy(reply) + formatHeaders(removeContentHeaders(reply.headers))

const removeContentHeaders = (headers: readonly string[]) =>
  headers.filter((_, i) => !headers[i - (i % 2)]?.startsWith('Content-'))

/** Maximum per header. Programs send a few; thousands would take milliseconds. */
export const MAX_ETAGS = 100

/** Weak comparison, as RFC 9110 requires for If-None-Match. */
export function matchesEtag(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch === '*') return true
  return ifNoneMatch.split(',', MAX_ETAGS).some((tag) => tag.trim().replace(/^W\//, '') === etag.replace(/^W\//, ''))
}

interface ReplyCacheOptions {
  readonly maxEntries: number
  /** Maximum bytes of all bodies together. */
  readonly maxBytes: number
  /** All replies are dropped when this number changes. */
  readonly revision?: () => number
}

/** Replies that are the same for every request with the same key. A client that makes up keys cannot fill the memory. */
export function createReplyCache({ maxEntries, maxBytes, revision = () => 0 }: ReplyCacheOptions) {
  const replies = new LRUCache<string, Reply>({
    max: maxEntries,
    maxSize: maxBytes,
    // The compressed forms of a reply take less memory than the reply itself.
    sizeCalculation: ({ length = 0, encode }) => (encode ? 2 : 1) * length + 1,
  })
  let cachedRevision = revision()
  return {
    /** `key` must name everything that the reply depends on, apart from the revision. */
    get(key: string, build: () => Reply): Reply {
      const currentRevision = revision()
      if (currentRevision !== cachedRevision) {
        replies.clear()
        cachedRevision = currentRevision
      }
      const cached = replies.get(key)
      if (cached) return cached
      const reply = prepareReply(build())
      replies.set(key, reply)
      return reply
    },
  }
}

import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
// The global of this name is a getter, which takes longer.
import { performance } from 'node:perf_hooks'
import { pipeline } from 'node:stream'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { createHeadWriter, type InternalsOptions } from './http-internals.ts'
import { negotiateEncoding } from './input.ts'
import type { ObserveReply } from './observers.ts'
import {
  type Encoding,
  formatHeaders,
  formatNotModifiedHeaders,
  formatReplyHeaders,
  matchesEtag,
  prepareReply,
  type Reply,
} from './replies.ts'
import type { ReplyBudget } from './reply-budget.ts'
import type { RequestContext } from './request-context.ts'

interface SendOptions extends InternalsOptions {
  /** PUBLIC_URL is https: browsers must not use http again. */
  readonly strictTransport: boolean
  readonly observe: ObserveReply
  readonly replyBudget: ReplyBudget
}

const COMMON_HEADERS = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Expose-Headers', '*'],
  ['Cross-Origin-Resource-Policy', 'cross-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Content-Type-Options', 'nosniff'],
].flat()
const STRICT_TRANSPORT = ['Strict-Transport-Security', 'max-age=31536000']
const PUBLIC = 'Cache-Control: public'
const PRIVATE = 'Cache-Control: private'
const STATUSES_WITHOUT_BODY = [204, 304]

type Send = (ctx: RequestContext, reply: Reply) => void

/** Adds what belongs to one request: the common headers, the request id, 304 for a matching ETag, no body for HEAD. */
export function createSend(options: SendOptions): Send {
  const { strictTransport, observe, replyBudget, useInternals } = options
  const commonHeaders = formatHeaders(strictTransport ? [...COMMON_HEADERS, ...STRICT_TRANSPORT] : COMMON_HEADERS)
  const writeHead = createHeadWriter({ useInternals })

  return (ctx, original) => {
    const { request, response, id, closesConnection } = ctx
    const reply = original.encode ? encodeReply(original, request.headers['accept-encoding']) : original
    const { body, length, etag } = reply
    const now = performance.now()
    const ifNoneMatch = etag === undefined ? undefined : request.headers['if-none-match']
    const notModified =
      reply.status === 304 || (ifNoneMatch !== undefined && reply.status < 300 && matchesEtag(ifNoneMatch, etag ?? ''))
    const status = notModified ? 304 : reply.status
    const hasKnownLength = length !== undefined || STATUSES_WITHOUT_BODY.includes(status)
    let replyHeaders = notModified ? formatNotModifiedHeaders(reply) : formatReplyHeaders(reply) + formatLength(length)
    // One request with the host of an attacker would put the attacker's links into a shared cache.
    const mayDiffer =
      (ctx.dependsOnHost && (etag !== undefined || status === 304)) ||
      (reply.headers.includes('Vary') && isAmbiguous(request, replyHeaders))
    if (mayDiffer) replyHeaders = replyHeaders.replace(PUBLIC, PRIVATE)
    const isBodyless = notModified || request.method === 'HEAD' || body === undefined
    const content = isBodyless ? '' : body
    const text = typeof content === 'string' ? content : undefined
    if (typeof content === 'string' || content instanceof Uint8Array)
      replyBudget.add(response, ctx.client, content.length)
    else replyBudget.addFile(response, ctx.client, length)
    const headerText = `${commonHeaders}${replyHeaders}X-Request-Id: ${id}\r\n${ctx.headerText}`
    writeHead(response, { status, headerText, text, hasKnownLength, closesConnection }, now)

    if (content instanceof Uint8Array) response.end(content)
    else if (typeof content !== 'string') {
      // A source that fails cuts the connection: the client sees that the body is incomplete.
      if (length === undefined) pipeline(content, response, () => {})
      else pipeline(content, requireLength(length), response, () => {})
    }
    observe(ctx, status, isBodyless || length === undefined ? 0 : length, now)
  }
}

const VARIES_BY_ACCEPT = /^Vary:.*\bAccept(?:,|$)/im
const NEGOTIATION = /^accept(?:-encoding|-language)?$/i
/** Nginx takes a space for a comma when it compares these headers, so that another list could have the same key. */
const PLAIN_LIST = /^(?:[\w*-]+(?:;q=[\d.]+)?(?:, *(?!$)|$))*$/i
/** Browsers send less. The header of a client may have 32 KB, which take a millisecond. */
const MAX_LIST_LENGTH = 200
const isPlainList = (text: string) => text.length <= MAX_LIST_LENGTH && PLAIN_LIST.test(text)

/** Whether a shared cache may have seen other headers than this service, and store the reply for the wrong clients. */
function isAmbiguous({ headers, rawHeaders }: IncomingMessage, replyHeaders: string): boolean {
  if (!replyHeaders.includes(PUBLIC)) return false
  // A client can have Squid and Apache remove the header: `Connection: Accept`.
  if (headers.accept === undefined && VARIES_BY_ACCEPT.test(replyHeaders)) return true
  const { 'accept-encoding': encodings = '', 'accept-language': languages = '' } = headers
  if (!isPlainList(String(encodings)) || !isPlainList(languages)) return true
  // Varnish reads only the first of several headers of one name, and leaves the others to the service.
  const names = rawHeaders.filter((name, i) => i % 2 === 0 && NEGOTIATION.test(name)).map((name) => name.toLowerCase())
  return new Set(names).size < names.length
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

/** The preferred one first. */
const ENCODINGS: readonly Encoding[] = ['br', 'gzip']

/** Also needed for the 304 of such a reply. */
export const VARY_ENCODING = ['Vary', 'Accept-Encoding']
/** A shorter body fits into one packet anyway. */
const MIN_BYTES = 1000
/** Compressing this much takes 15 ms, in which nobody is served. */
const MAX_BYTES = 512 * 1024
/** Takes about as long as gzip, and the result is smaller. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** Compressed forms of replies that are sent many times. */
const encodedReplies = new WeakMap<Reply, Partial<Record<Encoding, Reply>>>()

/** Returns a reply that is sent compressed to clients that accept it. Its body must be complete, and not secret. */
export function compressible(reply: Reply, encode: NonNullable<Reply['encode']> = compress): Reply {
  const { length = 0 } = reply
  if (length < MIN_BYTES || (encode === compress && length > MAX_BYTES)) return reply
  const hasVary = reply.headers.includes('Accept-Encoding')
  return { ...reply, headers: hasVary ? reply.headers : [...reply.headers, ...VARY_ENCODING], encode }
}

function compress(encoding: Encoding, body: Reply['body']): Uint8Array {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'latin1') : (body as Uint8Array)
  // A copy: Node returns a part of a buffer of up to 64 KiB, all of which a cached reply would keep in memory.
  return new Uint8Array(encoding === 'br' ? brotliCompressSync(bytes, BROTLI) : gzipSync(bytes))
}

/** The form of the reply that the client prefers. Each is made once. */
export function encodeReply(reply: Reply, acceptEncoding: string | undefined): Reply {
  const encoding = reply.encode && negotiateEncoding(acceptEncoding, ENCODINGS)
  if (!encoding) return reply
  const known = encodedReplies.get(reply) ?? {}
  encodedReplies.set(reply, known)
  known[encoding] ??= buildEncoded(reply, encoding)
  return known[encoding]
}

function buildEncoded(
  { headerText: _, notModifiedHeaderText: __, encode, ...reply }: Reply,
  encoding: Encoding,
): Reply {
  const body = encode!(encoding, reply.body)
  // Each form has its own ETag (RFC 9110, 8.8.3.3).
  const etag = reply.etag && `${reply.etag.slice(0, -1)}-${encoding}"`
  const headers: string[] = []
  for (let i = 0; i < reply.headers.length; i += 2) {
    const [name = '', value = ''] = reply.headers.slice(i, i + 2)
    // A range would be of the body that is not compressed.
    if (name !== 'Accept-Ranges') headers.push(name, name === 'ETag' && etag ? etag : value)
  }
  // Last: the type, which decides about the content security policy, comes first.
  headers.push('Content-Encoding', encoding)
  return prepareReply({ ...reply, headers, body, length: body.length, etag })
}

/** Formatting a number that was not formatted before takes longer. */
const LAST_DIGITS = Array.from({ length: 1000 }, (_, i) => String(i).padStart(3, '0'))

/** Short ids that are unique across processes and restarts. */
export function createRequestIds(): () => string {
  const prefix = randomBytes(6).toString('hex')
  let [block, last] = ['', LAST_DIGITS.length]
  return () => {
    if (last % LAST_DIGITS.length === 0) block = `${prefix}-${last / LAST_DIGITS.length}`
    return block + LAST_DIGITS[last++ % LAST_DIGITS.length]
  }
}

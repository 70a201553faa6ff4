// Range requests: replies with a part of a file or of other content of known length.
import type { Readable } from 'node:stream'
import { RangeNotSatisfiable } from '../../errors/index.ts'
import type { ByteRange } from '../../platform/files/index.ts'
import { cache, matchesEtag, type Reply } from './replies.ts'
import type { RequestContext } from './request-context.ts'

/** Content of known length that a client may request in parts. */
export interface RangedContent {
  readonly type: string
  readonly size: number
  readonly etag: string
  readonly modifiedAt: Date | undefined
  open(range?: ByteRange): Uint8Array | Readable
}

/**
 * Parses a Range header. Undefined means the whole content: no header, a malformed one, or several ranges, which RFC
 * 9110 lets a server ignore. 'none' means that the range lies outside of the content.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | 'none' | undefined {
  const match = header === undefined ? null : /^bytes=(\d*)-(\d*)$/.exec(header.trim())
  if (!match) return undefined
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'none' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= size ? 'none' : { start, end }
}

/** The range that the client requests; undefined for the whole content. */
export function readRequestedRange({ size, etag }: RangedContent, ctx: RequestContext): ByteRange | undefined {
  // The reply is a 304 without a body, whatever the range (RFC 9110, 13.2.2).
  const ifNoneMatch = ctx.header('if-none-match')
  if (ifNoneMatch !== undefined && matchesEtag(ifNoneMatch, etag)) return undefined
  const ifRange = ctx.header('if-range')
  // The client has the start of another version: it needs the whole content.
  if (ifRange !== undefined && ifRange !== etag) return undefined
  const range = parseRange(ctx.header('range'), size)
  if (range !== 'none') return range
  ctx.addHeaders('Content-Range', `bytes */${size}`)
  throw new RangeNotSatisfiable(size)
}

export function buildRangedReply(
  content: RangedContent,
  range: ByteRange | undefined,
  policy: string,
  ctx: RequestContext,
  extraHeaders: readonly string[] = [],
): Reply {
  const { type, size, modifiedAt } = content
  const etag = policy === cache.none ? undefined : content.etag
  const headers = ['Content-Type', type, 'Cache-Control', policy, ...extraHeaders]
  // A random picture is another one at each request, so its parts are not offered.
  if (etag !== undefined) headers.push('Accept-Ranges', 'bytes', 'ETag', etag)
  if (modifiedAt) headers.push('Last-Modified', modifiedAt.toUTCString())
  if (range) headers.push('Content-Range', `bytes ${range.start}-${range.end}/${size}`)
  return {
    status: range ? 206 : 200,
    headers,
    length: range ? range.end - range.start + 1 : size,
    body: ctx.isHead ? undefined : content.open(range),
    etag,
  }
}

import type { Readable } from 'node:stream'
import { RangeNotSatisfiable } from '../../errors/index.ts'
import type { ByteRange } from '../../platform/files/index.ts'
import { parseRange } from './ranges.ts'
import { cache, matchesEtag, type Reply } from './replies.ts'
import type { RequestContext } from './request-context.ts'

/** Bytes of a known length that may be asked for in part. */
export interface RangedContent {
  readonly type: string
  readonly size: number
  readonly etag: string
  readonly modifiedAt: Date | undefined
  open(range?: ByteRange): Uint8Array | Readable
}

/** The part that `Range` asks for; undefined for the whole. */
export function readRequestedRange(
  { size, etag }: RangedContent,
  ctx: RequestContext<unknown, unknown>,
): ByteRange | undefined {
  // Nothing of it is sent, so it does not matter which part is asked for (RFC 9110, 13.2.2).
  const known = ctx.header('if-none-match')
  if (known !== undefined && matchesEtag(known, etag)) return undefined
  const ifRange = ctx.header('if-range')
  // A part is wanted only of the version that the caller has begun to fetch.
  if (ifRange !== undefined && ifRange !== etag) return undefined
  const range = parseRange(ctx.header('range'), size)
  if (range !== 'none') return range
  ctx.addHeaders('Content-Range', `bytes */${size}`)
  throw new RangeNotSatisfiable(size)
}

export function buildRangedReply(
  ranged: RangedContent,
  range: ByteRange | undefined,
  policy: string,
  ctx: RequestContext<unknown, unknown>,
  extra: readonly string[] = [],
): Reply {
  const { type, size, etag, modifiedAt } = ranged
  const length = range ? range.end - range.start + 1 : size
  const headers = ['Content-Type', type, 'Cache-Control', policy]
  headers.push('Accept-Ranges', 'bytes', ...extra)
  if (policy !== cache.none) headers.push('ETag', etag)
  if (modifiedAt) headers.push('Last-Modified', modifiedAt.toUTCString())
  if (range) headers.push('Content-Range', `bytes ${range.start}-${range.end}/${size}`)
  return {
    status: range ? 206 : 200,
    headers,
    length,
    body: ctx.isHead ? undefined : ranged.open(range),
    etag: policy === cache.none ? undefined : etag,
  }
}

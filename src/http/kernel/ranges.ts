// Range requests: replies with parts of a file or of other content of known length.
import { randomUUID } from 'node:crypto'
import { PreconditionFailed, RangeNotSatisfiable } from '../../errors/index.ts'
import { type ByteRange, countBytes, type Piece } from '../../platform/files/index.ts'
import { isNotModified, isRangeOf, type Validators } from './conditions.ts'
import { cache, type Reply } from './replies.ts'
import type { RequestContext } from './request-context.ts'

/** Content of known length that a client may request in parts. */
export interface RangedContent extends Validators {
  readonly type: string
  readonly size: number
  /** Default: the whole content. */
  open(pieces?: readonly Piece[]): Reply['body']
}

/** What a client gets: everything, nothing because it has this version already, or one or more ranges. */
export type Selection = 'all' | 'not modified' | readonly ByteRange[]

/** For the API reference. */
export const rangedReplies = {
  206: 'The requested range, or several as `multipart/byteranges`.',
  304: 'The client has this version already.',
}
export const rangedErrors = [PreconditionFailed, RangeNotSatisfiable]

/** electron-updater sends up to this many ranges in one request. */
const MAX_RANGES = 1000
/** The headers of parts may make a reply this much longer than the content. */
const MAX_SURPLUS_BYTES = 4096

/**
 * Parses a Range header. Undefined means the whole content: no header, or a malformed one, which RFC 9110 lets a server
 * ignore. An empty list means that no range lies within the content, or that there are too many.
 */
export function parseRanges(header: string | undefined, size: number): readonly ByteRange[] | undefined {
  if (header === undefined) return undefined
  const list = /^bytes=(.+)$/i.exec(header)?.[1]
  const texts = list?.split(',', MAX_RANGES + 1).map((text) => text.trim())
  const specs = texts?.filter(Boolean).map((text) => /^(\d*)-(\d*)$/.exec(text))
  if (!specs?.length || !specs.every(isValid)) return undefined
  if (specs.length > MAX_RANGES) return []
  return joinOverlapping(specs.map((spec) => toRange(spec, size)).filter((range) => range !== undefined))
}

const isValid = (spec: RegExpExecArray | null): spec is RegExpExecArray => {
  const [, first = '', last = ''] = spec ?? []
  return first === '' ? last !== '' : last === '' || Number(first) <= Number(last)
}

/** Undefined if it lies outside. `-5` means the last five bytes. */
function toRange([, first = '', last = '']: RegExpExecArray, size: number): ByteRange | undefined {
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  return start <= end ? { start, end } : undefined
}

/** No byte is sent twice, and adjacent ranges are one part. The order changes only if ranges were joined. */
function joinOverlapping(ranges: readonly ByteRange[]): readonly ByteRange[] {
  const joined: ByteRange[] = []
  for (const range of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    if (last && range.start <= last.end + 1)
      joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, range.end) }
    else joined.push(range)
  }
  return joined.length === ranges.length ? ranges : joined
}

/** Evaluates the conditions and the ranges of a request. HEAD ignores ranges (RFC 9110, 14.2). */
export function selectContent(content: RangedContent, ctx: RequestContext): Selection {
  if (isNotModified(content, ctx)) return 'not modified'
  const ranges = ctx.isHead || !isRangeOf(content, ctx) ? undefined : parseRanges(ctx.header('range'), content.size)
  if (ranges?.length !== 0) return ranges ?? 'all'
  ctx.addHeaders('Content-Range', `bytes */${content.size}`)
  throw new RangeNotSatisfiable(content.size)
}

export const includesFirstByte = (selection: Selection) =>
  typeof selection === 'string' ? selection === 'all' : selection.some(({ start }) => start === 0)

export function buildRangedReply(
  content: RangedContent,
  selection: Selection,
  policy: string,
  ctx: RequestContext,
  extraHeaders: readonly string[] = [],
): Reply {
  const { size, modifiedAt } = content
  const { status, type, range, pieces } = selectBody(content, selection)
  const etag = policy === cache.none ? undefined : content.etag
  const headers = ['Content-Type', type, 'Cache-Control', policy, ...extraHeaders]
  // A random picture is another one at each request, so it has no parts and no version.
  if (etag !== undefined) headers.push('Accept-Ranges', 'bytes', 'ETag', etag)
  if (etag !== undefined && modifiedAt) headers.push('Last-Modified', modifiedAt.toUTCString())
  if (range) headers.push('Content-Range', formatContentRange(range, size))
  const body = ctx.isHead || status === 304 ? undefined : content.open(pieces)
  return { status, headers, length: pieces ? countBytes(pieces) : size, body, etag }
}

const formatContentRange = ({ start, end }: ByteRange, size: number) => `bytes ${start}-${end}/${size}`

interface SelectedBody {
  readonly status: number
  readonly type: string
  /** The only range. */
  readonly range?: ByteRange
  readonly pieces?: readonly Piece[]
}

function selectBody({ type, size }: RangedContent, selection: Selection): SelectedBody {
  if (typeof selection === 'string') return { status: selection === 'all' ? 200 : 304, type }
  const boundary = randomUUID()
  const pieces = selection.length === 1 ? selection : splitIntoParts({ type, size }, selection, boundary)
  if (selection.length > 1 && countBytes(pieces) <= size + MAX_SURPLUS_BYTES)
    return { status: 206, type: `multipart/byteranges; boundary=${boundary}`, pieces }
  // Many small ranges of a small file: one range from the first to the last byte is shorter than their headers.
  const start = Math.min(...selection.map((range) => range.start))
  const end = Math.max(...selection.map((range) => range.end))
  return { status: 206, type, range: { start, end }, pieces: [{ start, end }] }
}

function splitIntoParts(
  { type, size }: Pick<RangedContent, 'type' | 'size'>,
  ranges: readonly ByteRange[],
  boundary: string,
): Piece[] {
  const parts = ranges.flatMap((range, i): Piece[] => {
    const headers = `Content-Type: ${type}\r\nContent-Range: ${formatContentRange(range, size)}`
    return [Buffer.from(`${i === 0 ? '' : '\r\n'}--${boundary}\r\n${headers}\r\n\r\n`), range]
  })
  return [...parts, Buffer.from(`\r\n--${boundary}--\r\n`)]
}

// Range requests: replies with parts of a file or of other content of known length.
import { randomUUID } from 'node:crypto'
import { PreconditionFailed, RangeNotSatisfiable } from '../../errors/index.ts'
import { createFairSemaphore } from '../../platform/concurrency/index.ts'
import { type ByteRange, countBytes, type Pieces } from '../../platform/files/index.ts'
import { listNetworks } from '../../platform/net/index.ts'
import { cache, MAX_ETAGS, matchesEtag, type Reply } from './replies.ts'
import type { RequestContext } from './request-context.ts'

/** Content of known length that a client may request in parts. */
export interface RangedContent extends Validators {
  readonly type: string
  readonly size: number
  /** Default: the whole content. */
  open(pieces?: Pieces): Reply['body']
}

/** What a client gets: everything, nothing because it has this version already, or one or more ranges. */
type Selection = 'all' | 'not modified' | readonly ByteRange[]

/** For the API reference. */
export const rangedReplies = { 206: 'The requested range, or several as `multipart/byteranges`.' }
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

/**
 * Call it after waiting for what many requests may wait for together. A thousand ranges take this thread a millisecond, and
 * all those requests continue at once.
 */
export async function waitBeforeRanges(ctx: RequestContext): Promise<void> {
  if (ctx.header('range')?.includes(',')) await ctx.waitForTurn()
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
  ctx: Pick<RequestContext, 'isHead'> & Partial<Pick<RequestContext, 'acquireReads'>>,
  extraHeaders: readonly string[] = [],
): Reply {
  const { size, modifiedAt } = content
  const { status, type, range, pieces, length } = selectBody(content, selection)
  const isMultipart = pieces !== undefined && range === undefined
  const etag = policy === cache.none ? undefined : content.etag
  const headers = ['Content-Type', type, 'Cache-Control', policy, ...extraHeaders]
  // A random picture differs at each request, so it has no parts and no version.
  if (etag !== undefined) headers.push('Accept-Ranges', 'bytes', 'ETag', etag)
  if (etag !== undefined && modifiedAt) headers.push('Last-Modified', modifiedAt.toUTCString())
  if (range) headers.push('Content-Range', formatContentRange(range, size))
  if (ctx.isHead || status === 304) return { status, headers, length, body: undefined, etag }
  const body = content.open(pieces)
  const isReadInParts = isMultipart && typeof body === 'object' && Symbol.asyncIterator in body
  return { status, headers, length, body: isReadInParts ? readInTurns(body, ctx) : body, etag }
}

/**
 * A thousand small parts are as many reads, which take some milliseconds of this thread. Those of a few hundred replies at
 * once would make each turn of the event loop, which accepts one connection, that long.
 */
export function createPartReads() {
  const semaphore = createFairSemaphore({ maxRunning: 2, maxRunningPerGroup: 1 })
  return (client: string, signal: AbortSignal) => semaphore.acquire(listNetworks(client), signal)
}

/** The parts of a file. Clients take turns for each chunk, and hold none while it is sent. */
async function* readInTurns(
  body: AsyncIterable<Uint8Array>,
  ctx: Partial<Pick<RequestContext, 'acquireReads'>>,
): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]()
  const readNext = async () => {
    using _slot = await ctx.acquireReads?.()
    return await chunks.next()
  }
  try {
    for (let next = await readNext(); !next.done; next = await readNext()) yield next.value
  } finally {
    await chunks.return?.()
  }
}

const formatContentRange = ({ start, end }: ByteRange, size: number) => `bytes ${start}-${end}/${size}`

interface SelectedBody {
  readonly status: number
  readonly type: string
  /** The only range. */
  readonly range?: ByteRange
  readonly pieces?: Pieces
  readonly length: number
}

function selectBody({ type, size }: RangedContent, selection: Selection): SelectedBody {
  if (typeof selection === 'string') return { status: selection === 'all' ? 200 : 304, type, length: size }
  if (selection.length > 1) {
    const boundary = randomUUID()
    const pieces = splitIntoParts({ type, size }, selection, boundary)
    const length = countBytes(pieces)
    if (length <= size + MAX_SURPLUS_BYTES)
      return { status: 206, type: `multipart/byteranges; boundary=${boundary}`, pieces, length }
  }
  // Many small ranges of a small file: one range from the first to the last byte is shorter than their headers.
  const start = Math.min(...selection.map((range) => range.start))
  const end = Math.max(...selection.map((range) => range.end))
  return { status: 206, type, range: { start, end }, pieces: [{ start, end }], length: end - start + 1 }
}

/**
 * Each part is built when it is needed: those of a thousand ranges take 300 KB, and many replies may wait for their turn. An
 * array of numbers takes a third of the memory of the ranges.
 */
function splitIntoParts(
  { type, size }: Pick<RangedContent, 'type' | 'size'>,
  ranges: readonly ByteRange[],
  boundary: string,
): Pieces {
  const bounds = new Float64Array(2 * ranges.length)
  for (const [i, { start, end }] of ranges.entries()) bounds.set([start, end], 2 * i)
  return {
    *[Symbol.iterator]() {
      let lineEnd = ''
      for (let i = 0; i < bounds.length; i += 2) {
        const range = { start: bounds[i]!, end: bounds[i + 1]! }
        const headers = `Content-Type: ${type}\r\nContent-Range: ${formatContentRange(range, size)}`
        yield `${lineEnd}--${boundary}\r\n${headers}\r\n\r\n`
        yield range
        lineEnd = '\r\n'
      }
      yield `\r\n--${boundary}--\r\n`
    },
  }
}

// The conditions of a request for a file: If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, If-Range.

/** What tells one version of a file from another. */
interface Validators {
  /** A strong one. */
  readonly etag: string
  readonly modifiedAt: Date | undefined
}

/**
 * True if the client has this version already, so that the reply is a 304. Throws if the client wants another version
 * only. An ETag has precedence over a date (RFC 9110, 13.2.2).
 */
function isNotModified({ etag, modifiedAt }: Validators, ctx: RequestContext): boolean {
  const ifMatch = ctx.header('if-match')
  const isRefused =
    ifMatch === undefined
      ? isModifiedSince(modifiedAt, ctx.header('if-unmodified-since')) === true
      : !matchesStrongly(ifMatch, etag)
  if (isRefused) throw new PreconditionFailed()
  const ifNoneMatch = ctx.header('if-none-match')
  if (ifNoneMatch !== undefined) return matchesEtag(ifNoneMatch, etag)
  return isModifiedSince(modifiedAt, ctx.header('if-modified-since')) === false
}

/** Whether a range continues this version. If not, the client needs the whole file. */
function isRangeOf({ etag, modifiedAt }: Validators, ctx: RequestContext): boolean {
  const ifRange = ctx.header('if-range')
  if (ifRange === undefined || ifRange === etag) return true
  return modifiedAt !== undefined && parseHttpDate(ifRange) === truncateToSeconds(modifiedAt)
}

/** A weak ETag never matches, as RFC 9110 requires for If-Match. */
const matchesStrongly = (ifMatch: string, etag: string) =>
  ifMatch.trim() === '*' || ifMatch.split(',', MAX_ETAGS).some((tag) => tag.trim() === etag)

/** Undefined if the header is missing or invalid, or if the time is unknown: then the condition does not count. */
function isModifiedSince(modifiedAt: Date | undefined, header: string | undefined): boolean | undefined {
  const since = parseHttpDate(header)
  if (since === undefined || modifiedAt === undefined) return undefined
  return truncateToSeconds(modifiedAt) > since
}

/** The precision of the header Last-Modified. */
const truncateToSeconds = (date: Date) => Math.floor(date.getTime() / 1000) * 1000

/** The three formats of RFC 9110, 5.6.7: that of `toUTCString`, and two obsolete ones. The last one has no time zone. */
const HTTP_DATE =
  /^(?:\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT|\w{6,9}, \d\d-\w{3}-\d\d [\d:]{8} GMT|\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})$/

function parseHttpDate(text = ''): number | undefined {
  const time = HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

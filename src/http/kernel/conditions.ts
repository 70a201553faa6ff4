// The conditions of a request for a file: If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, If-Range.
import { PreconditionFailed } from '../../errors/index.ts'
import { MAX_ETAGS, matchesEtag } from './replies.ts'
import type { RequestContext } from './request-context.ts'

/** What tells one version of a file from another. */
export interface Validators {
  /** A strong one. */
  readonly etag: string
  readonly modifiedAt: Date | undefined
}

/**
 * True if the client has this version already, so that the reply is a 304. Throws if the client wants another version
 * only. An ETag has precedence over a date (RFC 9110, 13.2.2).
 */
export function isNotModified({ etag, modifiedAt }: Validators, ctx: RequestContext): boolean {
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
export function isRangeOf({ etag, modifiedAt }: Validators, ctx: RequestContext): boolean {
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

/** As in the header Last-Modified. */
const truncateToSeconds = (date: Date) => Math.floor(date.getTime() / 1000) * 1000

/** The three formats of RFC 9110, 5.6.7: that of `toUTCString`, and two obsolete ones. The last one has no time zone. */
const HTTP_DATE =
  /^(?:\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT|\w{6,9}, \d\d-\w{3}-\d\d [\d:]{8} GMT|\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})$/

function parseHttpDate(text = ''): number | undefined {
  const time = HTTP_DATE.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

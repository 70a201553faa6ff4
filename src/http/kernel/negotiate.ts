import type { IncomingMessage } from 'node:http'

/**
 * Returns the offered type that the `Accept` header prefers, or undefined if none is acceptable. Without a preference
 * (no header, or `*` for both parts) it is the first of `offered`.
 */
export function negotiate<const T extends string>(accept: string | undefined, offered: readonly T[]): T | undefined {
  // What nearly all programs send.
  if (accept === undefined || accept === '' || accept === '*/*') return offered[0]
  const preferences = parseAccept(accept)
  let best: { type: T; quality: number; rank: number } | undefined
  for (const type of offered) {
    const rank = preferences.findIndex(({ matches }) => matches(type))
    const quality = preferences[rank]?.quality ?? 0
    if (quality === 0) continue
    const isBetter = !best || quality > best.quality || (quality === best.quality && rank < best.rank)
    if (isBetter) best = { type, quality, rank }
  }
  return best?.type
}

/** For replies whose format `negotiate` chose. */
export const VARY_BY_ACCEPT = ['Vary', 'Accept']

/** What decides between a page and the reply for programs. */
export const NAVIGATION_HEADERS = 'Accept, Sec-Fetch-Dest'

/** Whether a browser opens the URL as a page. It sends `Sec-Fetch-*` only over HTTPS and to its own machine. */
export const isNavigation = ({ method, headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  (headers['sec-fetch-dest'] ?? 'document') === 'document' &&
  negotiate(headers.accept, ['application/json', 'text/html']) === 'text/html'

const MAX_PREFERENCES = 32
/** Parts of one preference: the media range and its parameters. */
const MAX_PARTS = 8
/** Browsers send fewer. */
const MAX_LANGUAGES = 16
/** RFC 5646 recommends space for 35 characters. */
const MAX_LANGUAGE_TAG = 35

// The most precise preferences come first: `image/webp, */*` prefers the image.
const parseAccept = (accept: string) =>
  accept
    .split(',', MAX_PREFERENCES)
    .map(parsePreference)
    .sort((a, b) => b.precision - a.precision)

function parsePreference(text: string) {
  const [range = '', ...parameters] = text.split(';', MAX_PARTS).map((word) => word.trim().toLowerCase())
  const quality = Number(parameters.find((word) => word.startsWith('q='))?.slice(2) ?? 1)
  const isValid = quality >= 0 && quality <= 1
  const family = range.endsWith('/*') ? range.slice(0, -1) : undefined
  return {
    range,
    quality: isValid ? quality : 0,
    precision: range === '*/*' ? 0 : family ? 1 : 2,
    matches: (type: string) => range === '*/*' || type === range || (family !== undefined && type.startsWith(family)),
  }
}

/** The first encoding that an `Accept-Encoding` header accepts, or undefined: the body is sent as it is. */
export function negotiateEncoding<const T extends string>(header: string | undefined, offered: readonly T[]) {
  if (header === undefined) return undefined
  const preferences = header.split(',', MAX_PREFERENCES).map(parsePreference)
  return offered.find((encoding) => preferences.some(({ range, quality }) => range === encoding && quality > 0))
}

/** The language tags of an `Accept-Language` header, the preferred one first. Tags that cannot exist are left out. */
export function parseAcceptLanguage(header: string): string[] {
  return header
    .split(',', MAX_LANGUAGES)
    .map(parsePreference)
    .filter(({ quality, range }) => quality > 0 && range.length <= MAX_LANGUAGE_TAG)
    .sort((a, b) => b.quality - a.quality)
    .map(({ range }) => range)
}

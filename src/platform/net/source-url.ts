import { ImageUnreachable, ImageUrlInvalid } from '../../errors/index.ts'

export const MAX_URL_CHARACTERS = 2048

/** An absolute http(s) URL of a stranger, its host in the one spelling that the URL parser settles, without fragment. */
export function parseSourceUrl(text: string): URL {
  if (text.length > MAX_URL_CHARACTERS) throw new ImageUrlInvalid(`is longer than ${MAX_URL_CHARACTERS} characters`)
  const url = URL.parse(text)
  if (!url) throw new ImageUrlInvalid('is not an absolute URL')
  const wrong = settle(url)
  if (wrong) throw new ImageUrlInvalid(wrong)
  return url
}

/** Where a redirect leads; the source's mistake, not the caller's, where it leads nowhere we go. */
export function parseRedirect(location: string | string[] | undefined, from: URL, status: number): URL {
  const url = typeof location === 'string' ? URL.parse(location, from) : null
  if (!url) throw new ImageUnreachable(status, 'redirects to nowhere')
  const wrong = settle(url)
  if (wrong) throw new ImageUnreachable(status, `redirects to a URL that ${wrong}`)
  return url
}

/** Brings the URL to its one form; says what is wrong with it otherwise. */
function settle(url: URL): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'is neither http nor https'
  if (url.username !== '' || url.password !== '') return 'holds credentials'
  // Only where it changes something: a setter parses the URL anew, and this runs on every cache hit.
  if (url.href.includes('#')) url.hash = ''
  // "host." and "host" are one host; the list of blocked ones must not be passed by a dot.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  if (/^\.|\.\.|\.$/.test(url.hostname) || url.hostname.length > 253) return 'has no valid host'
  return undefined
}

/** The host as names are compared and addresses dialled: an IPv6 literal without its brackets. */
export const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '')

export const portOf = (url: URL) => Number(url.port || (url.protocol === 'https:' ? 443 : 80))

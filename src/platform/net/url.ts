import { FetchError } from './fetch-error.ts'

export const MAX_URL_CHARACTERS = 2048

/** Parses an absolute http(s) URL from a client. The result has one normalised host and no fragment. */
export function parseFetchUrl(text: string): URL {
  const fail = (problem: string) => new FetchError('invalid-url', { problem })
  if (text.length > MAX_URL_CHARACTERS) throw fail(`is longer than ${MAX_URL_CHARACTERS} characters`)
  const url = URL.parse(text)
  if (!url) throw fail('is not an absolute URL')
  const problem = normalize(url)
  if (problem) throw fail(problem)
  return url
}

/** Resolves a Location header. A bad one is a fault of the source, not of the client. */
export function parseRedirect(location: string | string[] | undefined, from: URL, sourceStatus: number): URL {
  const url = typeof location === 'string' ? URL.parse(location, from) : null
  if (!url) throw new FetchError('bad-redirect', { sourceStatus, problem: 'redirects without a valid location' })
  const problem = normalize(url)
  if (problem) throw new FetchError('bad-redirect', { sourceStatus, problem: `redirects to a URL that ${problem}` })
  return url
}

/** Normalises the URL in place. Returns what is wrong with it, if anything. */
function normalize(url: URL): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'is neither http nor https'
  if (url.username !== '' || url.password !== '') return 'contains credentials'
  // Setters parse the URL again, and this runs on every cache hit: call them only if they change something.
  if (url.href.includes('#')) url.hash = ''
  // "host." and "host" are the same host: a trailing dot must not bypass the blocklist.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1)
  if (/^\.|\.\.|\.$/.test(url.hostname) || url.hostname.length > 253) return 'has no valid host'
  return undefined
}

/** The host for comparing and connecting: IPv6 literals without brackets. */
export const getHost = (url: URL) => url.hostname.replace(/^\[|\]$/g, '')

export const getPort = (url: URL) => Number(url.port || (url.protocol === 'https:' ? 443 : 80))

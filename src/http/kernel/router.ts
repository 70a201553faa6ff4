import type { IncomingMessage } from 'node:http'
import { parse } from 'fast-querystring'
import findMyWay from 'find-my-way'
import type { ApiError } from '../../errors/index.ts'
import { BadPath, BadRequest, HeadersTooLarge, MethodNotAllowed, UnknownPath, UriTooLong } from '../../errors/index.ts'
import { MAX_HEADER_BYTES, MAX_HEADERS, MAX_URL_LENGTH } from './error-replies.ts'
import { createQueryReader } from './input.ts'
import type { Reply } from './replies.ts'
import { isValidHost } from './request-context.ts'
import type { Route } from './route.ts'

const SLASH = '/'.charCodeAt(0)
const ABSOLUTE_URL = /^https?:\/\/([^/?#]*)(.*)$/i

/**
 * The first check of a request: no other code reads a URL that is too long. Returns the error for an invalid host, which
 * is the reply after bans and attacks are checked: a wrong host must not hide an attack.
 */
export function createTargetCheck(): (request: IncomingMessage) => ApiError | undefined {
  // Nearly all requests name the same host.
  let lastValidHost = ''

  // Several headers are joined with a comma. A proxy may have checked another one than the service would use.
  const checkHost = (host = '') => {
    if (host === lastValidHost || host === '') return undefined
    if (!isValidHost(host)) return new BadRequest('Send one Host header with a valid host name or address.')
    lastValidHost = host
    return undefined
  }

  return (request) => {
    const { url = '', httpVersionMinor, headers, rawHeaders } = request
    if (url.length > MAX_URL_LENGTH) throw new UriTooLong(MAX_URL_LENGTH)
    // Older versions of Node drop further headers instead, such as the X-Forwarded-For of a proxy.
    if (rawHeaders.length > 2 * MAX_HEADERS) throw new HeadersTooLarge(MAX_HEADER_BYTES, MAX_HEADERS)
    const isMissing = headers.host === undefined && httpVersionMinor === 1
    const problem = isMissing ? new BadRequest('HTTP/1.1 requires a Host header.') : checkHost(headers.host)
    if (url.charCodeAt(0) === SLASH) return problem
    useAbsoluteUrl(request, url)
    return problem ?? checkHost(headers.host)
  }
}

/** Proxies may send an absolute URL. Its host counts instead of the Host header (RFC 9112, 3.2.2). */
function useAbsoluteUrl(request: IncomingMessage, url: string): void {
  const [, host, rest = ''] = ABSOLUTE_URL.exec(url) ?? []
  if (host === undefined) return
  request.headers.host = host
  request.url = rest.startsWith('/') ? rest : `/${rest}`
}

/** The route that a URL leads to. One match serves all requests for that URL. */
export interface RouteMatch {
  readonly route: Route
  readonly index: number
  readonly params: Readonly<Record<string, string | undefined>>
  /** Returns the declared parameters; throws for an invalid one. */
  readonly readQuery: () => Record<string, unknown>
}

// Longer than any existing name: the route itself replies to a longer one ("no such file").
const MAX_PARAMETER_LENGTH = 8 * 1024

/** Most requests are for the same few URLs; a match is found again by one lookup in a map. */
const MAX_CACHED_URLS = 500
/** Enough for most URLs that contain the URL of an image. */
const MAX_CACHED_URL_LENGTH = 400

export function createRouter(routes: readonly Route[]) {
  const tree = findMyWay({ maxParamLength: MAX_PARAMETER_LENGTH, querystringParser: (text) => text })
  for (const [index, { method, path }] of routes.entries()) tree.on(method, path, () => {}, { index })
  const methods = [...new Set(routes.map(({ method }) => method))]
  const queryReaders = routes.map(({ query, method }) => createQueryReader(query, method !== 'GET'))
  const matches = new Map<string, RouteMatch>()
  let lastUrl: string | undefined
  let lastMatch: RouteMatch | undefined

  const lookUp = (method: string, url: string): RouteMatch | undefined => {
    // `OPTIONS *` is about the server, not about the page at its root.
    const found = url === '*' ? null : tree.find(method as 'GET', url)
    if (found === null) return undefined
    const { index } = found.store as { index: number }
    let query: Record<string, unknown> | undefined
    return {
      route: routes[index]!,
      index,
      params: found.params,
      readQuery: () => {
        // Not earlier: a thousand parameters take a millisecond, also of a request above the rate limit.
        query ??= queryReaders[index]!(parse(found.searchParams as unknown as string))
        return query
      },
    }
  }

  /** HEAD included; empty for an unknown path. */
  const listMethods = (url: string): string[] =>
    methods.filter((method) => lookUp(method, url)).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method))

  return {
    find(method: string, url: string): RouteMatch | undefined {
      if (method === 'GET' && url === lastUrl) return lastMatch
      const cached = method === 'GET' ? matches.get(url) : undefined
      if (cached) {
        lastUrl = url
        lastMatch = cached
        return cached
      }
      const match = lookUp(method === 'HEAD' ? 'GET' : method, url)
      if (!match || method !== 'GET' || url.length > MAX_CACHED_URL_LENGTH) return match
      // Emptied as a whole: cheaper at each hit than an LRU, and clients that make up URLs cannot fill the memory.
      if (matches.size >= MAX_CACHED_URLS) matches.clear()
      matches.set(url, match)
      return match
    },

    /** The error for a URL that `find` has no route for. */
    explainNotFound(method: string, url: string): ApiError {
      const path = url.split(/[?#]/, 1)[0] ?? ''
      if (!isDecodable(path)) return new BadPath()
      const allowed = listMethods(path)
      if (allowed.length > 0) return new MethodNotAllowed(method, allowed)
      return new UnknownPath(...suggestPath(path, (other) => lookUp('GET', other)?.route))
    },

    buildPreflightReply(url: string): Reply {
      const allowed = listMethods(url)
      if (allowed.length === 0) throw new UnknownPath()
      const isForOperator = methods.some((method) => lookUp(method, url)?.route.operatorScope)
      const headers = [
        ['Access-Control-Allow-Methods', allowed.join(', ')],
        ['Access-Control-Allow-Headers', isForOperator ? OPERATOR_HEADERS : ALLOWED_HEADERS],
        ['Access-Control-Max-Age', ONE_DAY_SECONDS],
      ].flat()
      return { status: 204, headers, body: undefined }
    },
  }
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

const ONE_DAY_SECONDS = '86400'
/** `*` does not include Authorization. The other names are for browsers older than 2019, such as Safari 12. */
const ALLOWED_HEADERS = '*, Authorization, Content-Type, If-None-Match, Range, X-Client-Key, X-Install-Id'
/** Not `*`: with a User-Agent of its own, which Firefox and Safari permit, a page could get its visitors banned. */
const OPERATOR_HEADERS = 'Authorization, Content-Range, Content-Type, If-Match, If-None-Match'

/** A browser sends this before a request with custom headers such as X-Client-Key. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers['access-control-request-method'] !== undefined && headers.origin !== undefined

// Bounds for suggestions, because scanners request many unknown paths, and the reply repeats a suggestion several times.
// Longer and deeper than any real path with a typo.
const MAX_SUGGESTION_LENGTH = 200
const MAX_SUGGESTION_DEPTH = 8

type FindRoute = (path: string) => Pick<Route, 'params'> | undefined

/** `allowed` are the values that a missing last segment may have. */
type Suggestion = [path?: string, allowed?: readonly string[]]

function suggestPath(path: string, findRoute: FindRoute): Suggestion {
  if (path.length > MAX_SUGGESTION_LENGTH) return []
  const normalized = path.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1')
  const similar = [normalized, normalized.toLowerCase()].find((other) => other !== path && findRoute(other))
  if (similar !== undefined) return [similar]
  const segments = normalized.split('/')
  if (segments.length > MAX_SUGGESTION_DEPTH) return []
  return suggestLastSegment(normalized, findRoute) ?? [switchPlural(segments, findRoute)]
}

/** /api/v1/animals → /api/v1/animals/cat */
function suggestLastSegment(path: string, findRoute: FindRoute): Suggestion | undefined {
  // No route has a fixed segment of this name: only a route with a parameter in this place is found.
  const params = findRoute(`${path}/-`)?.params ?? {}
  const { enum: allowed } = (Object.values(params).at(-1) ?? {}) as { enum?: readonly string[] }
  return allowed?.[0] === undefined ? undefined : [`${path}/${allowed[0]}`, allowed]
}

/** /api/v2/random/animals/cat → /api/v2/random/animal/cat: v1 says animals, v2 says animal. */
const switchPlural = (segments: readonly string[], findRoute: FindRoute): string | undefined =>
  segments
    .map((segment, at) => segments.with(at, segment.endsWith('s') ? segment.slice(0, -1) : `${segment}s`).join('/'))
    .find((other) => findRoute(other))

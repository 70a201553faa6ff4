import findMyWay from 'find-my-way'
import { type ApiError, BadPath, MethodNotAllowed, UnknownPath } from '../../errors/index.ts'
import { createQueryReader, type QueryReader } from './parameters.ts'
import type { Route } from './route.ts'
import { suggestPath } from './suggest-path.ts'

interface RegisteredRoute {
  readonly route: Route
  /** Position in the list of routes. */
  readonly index: number
  readonly readQuery: QueryReader | undefined
}

/** The route that a URL leads to. One match serves all requests for that URL. */
export class RouteMatch {
  readonly route: Route
  /** Position of the route in the list of routes. */
  readonly index: number
  readonly params: Record<string, string>
  private readonly readQuery: QueryReader | undefined
  private readonly search: Record<string, string | string[]>
  private cachedQuery: Record<string, unknown> | undefined

  constructor(
    { route, index, readQuery }: RegisteredRoute,
    params: Record<string, string>,
    search: Record<string, string | string[]>,
  ) {
    this.route = route
    this.index = index
    this.params = params
    this.readQuery = readQuery
    this.search = search
  }

  /** The declared parameters; throws for an invalid one. */
  get query(): Record<string, unknown> {
    this.cachedQuery ??= this.readQuery ? this.readQuery(this.search) : {}
    return this.cachedQuery
  }
}

export interface Router {
  find(method: string, url: string): RouteMatch | undefined
  /** What a client is told where there is no such route. */
  explainNotFound(method: string, url: string): ApiError
  /** The methods of a path, HEAD included; empty where there is nothing. */
  listMethods(url: string): string[]
}

// Longer than any name that exists, so that a longer one is answered by the route itself ("no such file").
const LONGEST_PARAMETER = 8 * 1024

/** Most requests are for the same few URLs; a match is found again by one lookup in a map. */
const MAX_CACHED_URLS = 500
/** Enough for most URLs that contain the URL of an image. */
const MAX_CACHED_URL_LENGTH = 400

export function createRouter(routes: readonly Route[]): Router {
  const ways = findMyWay({ maxParamLength: LONGEST_PARAMETER })
  const methods = new Set<string>()
  for (const [index, route] of routes.entries()) {
    const registered: RegisteredRoute = { route, index, readQuery: createQueryReader(route.query) }
    ways.on(route.method, route.path, () => {}, registered)
    methods.add(route.method)
  }

  // `OPTIONS *` is about the server, not about the page at its root.
  const lookUp = (method: string, url: string) => (url === '*' ? null : ways.find(method as 'GET', url))

  const methodsAt = (url: string) => {
    const known = [...methods].filter((method) => lookUp(method, url) !== null)
    return known.includes('GET') ? ['GET', 'HEAD', ...known.filter((method) => method !== 'GET')] : known
  }

  const search = (method: string, url: string): RouteMatch | undefined => {
    const found = lookUp(method, url)
    if (found === null) return undefined
    return new RouteMatch(
      found.store as RegisteredRoute,
      found.params as Record<string, string>,
      found.searchParams as Record<string, string | string[]>,
    )
  }

  const matches = new Map<string, RouteMatch>()

  return {
    listMethods: methodsAt,
    find(method, url) {
      const cached = method === 'GET' ? matches.get(url) : undefined
      if (cached) return cached
      const match = search(method === 'HEAD' ? 'GET' : method, url)
      if (!match || method !== 'GET' || url.length > MAX_CACHED_URL_LENGTH) return match
      // Emptied as a whole: cheaper at each hit than an LRU, and clients that make up URLs cannot fill the memory.
      if (matches.size >= MAX_CACHED_URLS) matches.clear()
      matches.set(url, match)
      return match
    },
    explainNotFound(method, url) {
      const path = url.split(/[?#]/, 1)[0] ?? ''
      if (!isDecodable(path)) return new BadPath()
      const allowed = methodsAt(path)
      if (allowed.length > 0) return new MethodNotAllowed(method, allowed)
      const meant = suggestPath(path, (other) => search('GET', other)?.route)
      return new UnknownPath(meant.suggestion, meant.allowed)
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

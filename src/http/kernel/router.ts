import findMyWay from 'find-my-way'
import { type ApiError, BadPath, MethodNotAllowed, UnknownPath } from '../../errors/index.ts'
import { type QueryReader, queryReader } from './parameters.ts'
import type { Route } from './route.ts'
import { meantBy } from './suggest-path.ts'

export interface Entry {
  readonly route: Route
  /** The place of the route in the table. */
  readonly index: number
  readonly readQuery: QueryReader | undefined
}

/** Of a URL without a query. */
export const NO_SEARCH: Found['search'] = Object.freeze({})

/** May be handed out for several requests: it is filled in, and never changed. */
export interface Found {
  readonly entry: Entry
  readonly params: Record<string, string>
  readonly search: Record<string, string | string[]>
  /** What the route reads in `search`, once it was read. */
  query?: Record<string, unknown>
}

export interface Router {
  find(method: string, url: string): Found | undefined
  /** What a client is told where there is no such route. */
  whyNot(method: string, url: string): ApiError
  /** The methods of a path, HEAD included; empty where there is nothing. */
  methodsAt(url: string): string[]
}

// Longer than any name that exists, so that a longer one is answered by the route itself ("no such file").
const LONGEST_PARAMETER = 8 * 1024

/** Most callers ask for the same few URLs: what one means is found again by a look into a map. */
const MAX_CACHED_URLS = 500
/** Most of those that carry the URL of a picture. */
const LONGEST_REMEMBERED = 400

export function createRouter(routes: readonly Route[]): Router {
  const ways = findMyWay({ maxParamLength: LONGEST_PARAMETER })
  const methods = new Set<string>()
  for (const [index, route] of routes.entries()) {
    const entry: Entry = { route, index, readQuery: queryReader(route.query) }
    ways.on(route.method, route.path, () => {}, entry)
    methods.add(route.method)
  }

  // `OPTIONS *` is about the server, not about the page at its root.
  const lookUp = (method: string, url: string) => (url === '*' ? null : ways.find(method as 'GET', url))

  const methodsAt = (url: string) => {
    const known = [...methods].filter((method) => lookUp(method, url) !== null)
    return known.includes('GET') ? ['GET', 'HEAD', ...known.filter((method) => method !== 'GET')] : known
  }

  const search = (method: string, url: string): Found | undefined => {
    const found = lookUp(method, url)
    if (found === null) return undefined
    return {
      entry: found.store as Entry,
      params: found.params as Record<string, string>,
      search: found.searchParams as Record<string, string | string[]>,
    }
  }

  let remembered = new Map<string, Found>()

  return {
    methodsAt,
    find(method, url) {
      const known = method === 'GET' ? remembered.get(url) : undefined
      if (known) return known
      const found = search(method === 'HEAD' ? 'GET' : method, url)
      if (!found || method !== 'GET' || url.length > LONGEST_REMEMBERED) return found
      const isPlain = !/[?#;]/.test(url)
      // Forgotten all at once where callers ask for ever new URLs: the memory stays bounded.
      if (remembered.size >= MAX_CACHED_URLS) remembered = new Map()
      const kept = isPlain ? { ...found, search: NO_SEARCH } : found
      remembered.set(url, kept)
      return kept
    },
    whyNot(method, url) {
      const path = url.split(/[?#]/, 1)[0] ?? ''
      if (!isDecodable(path)) return new BadPath()
      const allowed = methodsAt(path)
      if (allowed.length > 0) return new MethodNotAllowed(method, allowed)
      const meant = meantBy(path, (other) => search('GET', other)?.entry.route)
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

import CachePolicy from 'http-cache-semantics'
import type { Fetched } from '../../platform/net/index.ts'

/** How long a source may be used unasked, and what to ask with afterwards. */
export interface Freshness {
  policy: CachePolicy
  freshUntil: number
}

type Headers = ReturnType<CachePolicy['responseHeaders']>
type Conditional = { 'if-none-match'?: string; 'if-modified-since'?: string }

const request = { method: 'GET', url: '/', headers: {} }

const cachingHeaders = ['cache-control', 'expires', 'pragma', 'date', 'age', 'vary', 'etag', 'last-modified']

/** Only what is about caching: records outlive their pictures, and a source may send 16 KB of headers. */
const aboutCaching = ({ status, headers }: Pick<Fetched, 'status' | 'headers'>) => ({
  status,
  headers: Object.fromEntries(cachingHeaders.flatMap((name) => (headers[name] ? [[name, headers[name]]] : []))),
})

/** Undefined where a 304 is not about the picture that we have. */
export function freshnessOf(fetched: Fetched, heuristicMs: number, before?: CachePolicy): Freshness | undefined {
  const policy = fetched.status === 304 ? revalidated(fetched, before) : new CachePolicy(request, aboutCaching(fetched))
  if (!policy) return undefined
  // A picture behind a redirect is as fresh as the least fresh step on the way to it.
  const steps = fetched.redirects.map((hop) => new CachePolicy(request, aboutCaching(hop))).map(timeToLive)
  const lasting = Math.min(lifetime(policy, heuristicMs), ...steps)
  return { policy, freshUntil: Date.now() + lasting }
}

/** What a source is asked with whether it still has the same picture. */
export function conditionalHeaders(policy: CachePolicy): Conditional {
  const headers = policy.revalidationHeaders(request)
  const names = ['if-none-match', 'if-modified-since'] as const
  return Object.fromEntries(names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])))
}

function revalidated(fetched: Fetched, before: CachePolicy | undefined): CachePolicy | undefined {
  const outcome = before?.revalidatedPolicy({ ...request, headers: conditionalHeaders(before) }, aboutCaching(fetched))
  return outcome?.modified ? undefined : outcome?.policy
}

/** Whatever a source says of years to come, and whatever its dates would have us guess. */
const MAX_SAID_MS = 365 * 24 * 3600 * 1000
const MAX_GUESSED_MS = 24 * 3600 * 1000

const variesByAll = ({ vary }: Headers) => vary?.includes('*') ?? false
const saysHowLong = ({ expires, 'cache-control': rule = '' }: Headers) =>
  expires !== undefined || /\b(s-maxage|max-age)\b/i.test(String(rule))

/** Not the policy's own one, to which the time counts in which a stale picture might do. */
function timeToLive(policy: CachePolicy): number {
  const headers = policy.responseHeaders()
  if (!policy.storable() || variesByAll(headers)) return 0
  const most = saysHowLong(headers) ? MAX_SAID_MS : MAX_GUESSED_MS
  return Math.min(most, Math.max(0, (policy.maxAge() - policy.age()) * 1000))
}

/** A source that says nothing of caching leaves the guess to us (RFC 9111, 4.2.2); six filters then fetch it once. */
function lifetime(policy: CachePolicy, heuristicMs: number): number {
  const headers = policy.responseHeaders()
  const says = ['cache-control', 'expires', 'pragma'].some((name) => headers[name] !== undefined)
  return says || variesByAll(headers) ? timeToLive(policy) : Math.max(heuristicMs, timeToLive(policy))
}

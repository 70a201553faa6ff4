import { hash } from 'node:crypto'
import CachePolicy from 'http-cache-semantics'
import { LRUCache } from 'lru-cache'
import { ImageTimeout, ImageUnreachable } from '../../errors/index.ts'
import { createFairSingleFlight } from '../../platform/concurrency/index.ts'
import type { Fetched, Fetcher } from '../../platform/net/index.ts'
import { computeDigest } from './image-fetcher.ts'
import type { SourceBudget } from './job-queue.ts'
import type { SafeCache } from './result-cache.ts'

export interface SourceCacheOptions {
  maxBytes: number
  /** How long a source without caching headers counts as fresh. */
  heuristicMs: number
  /** How long a source that failed is not fetched again. */
  failedForMs: number
}

/** How long a source may be used without asking it, and what to ask with afterwards. */
type Freshness = { policy: CachePolicy; storedAt: number; freshUntil: number }

/** What is known about a source without its bytes. */
export interface SourceRecord extends Freshness {
  /** The URL after redirects. */
  url: string
  digest: string
}

export interface Source extends SourceRecord {
  body: Buffer
}

type OnFetch = (ms: number, startedAt: number) => void

/** About 20,000 typical records. They answer If-None-Match long after the bytes of their images were evicted. */
const MAX_RECORD_BYTES = 16 * 1024 * 1024
const MAX_FAILED = 1000
/** Filters of one image usually come together. Later its memory is better used for something else. */
const UNUSED_BODY_MS = 20_000
/** Per entry, for its key and bookkeeping. */
const ENTRY_OVERHEAD_BYTES = 512

/** Source images by URL, under the freshness rules of HTTP. Concurrent reads of one URL share one fetch. */
export function createSourceCache(
  fetcher: Fetcher,
  shared: SafeCache,
  budget: SourceBudget,
  options: SourceCacheOptions,
) {
  const records = new LRUCache<string, SourceRecord>({
    maxSize: MAX_RECORD_BYTES,
    sizeCalculation: (record, href) => serializeRecord(record).length + href.length + ENTRY_OVERHEAD_BYTES,
  })
  const bodies = new LRUCache<string, Buffer>({
    maxSize: options.maxBytes,
    ttl: UNUSED_BODY_MS,
    updateAgeOnGet: true,
    ttlAutopurge: true,
    sizeCalculation: (body) => body.length + ENTRY_OVERHEAD_BYTES,
  })
  // A page that shows a dead source to many visitors must not take a slot and ten seconds for each of them. Only faults
  // of the source are remembered; BUSY or a refused address may be different a second later.
  const failures = new LRUCache<string, Error>({ max: MAX_FAILED, ttl: options.failedForMs })
  const share = createFairSingleFlight<Source>()
  /** Records that are stored at their second use. */
  const unstored = new WeakSet<SourceRecord>()
  const reads = { hit: 0, miss: 0, revalidated: 0 }

  function throwIfFailed(href: string): void {
    const failure = failures.get(href)
    if (failure) throw failure
  }

  /** Returns a record that may be used without asking the source, also if it failed since. */
  const findFresh = (href: string): SourceRecord | undefined => checkFresh(href, records.get(href))

  function shareRecord(href: string, record: SourceRecord): void {
    const ttlMs = record.freshUntil - Date.now()
    if (ttlMs > 0) shared.write(recordKey(fetcher.rules, href), () => serializeRecord(record), ttlMs)
  }

  function checkFresh(href: string, record: SourceRecord | undefined): SourceRecord | undefined {
    if (!record || !isFresh(record)) return undefined
    if (unstored.delete(record)) shareRecord(href, record)
    // The target of the redirects may be blocked by now, or forbidden here and not on the node that fetched it.
    if (record.url !== href) fetcher.check(record.url)
    return record
  }

  /** Like `findFresh`, but also asks the second-level cache. */
  async function readFresh(href: string): Promise<SourceRecord | undefined> {
    const local = findFresh(href)
    if (local) return local
    const record = checkFresh(href, await shared.read(recordKey(fetcher.rules, href), parseRecord))
    if (record) records.set(href, record)
    return record
  }

  async function read(href: string, client: string, signal: AbortSignal, onFetch: OnFetch): Promise<Source> {
    throwIfFailed(href)
    const record = records.get(href)
    const body = record && bodies.get(record.digest)
    const cached = body && { ...record, body }
    if (cached && isFresh(cached)) {
      reads.hit++
      return cached
    }
    const startedAt = performance.now()
    try {
      return (await fetchSource(href, client, cached, signal)) ?? (await fetchSource(href, client, undefined, signal))!
    } catch (error) {
      if (error instanceof ImageUnreachable || error instanceof ImageTimeout) failures.set(href, error)
      throw error
    } finally {
      onFetch(performance.now() - startedAt, startedAt)
    }
  }

  /** Returns undefined if a 304 does not match the cached image. */
  async function fetchSource(href: string, client: string, cached: Source | undefined, signal: AbortSignal) {
    const revalidate = cached && { url: cached.url, headers: buildConditions(cached.policy) }
    const aborted = new AbortController()
    using space = budget.open(client, (reason) => aborted.abort(reason))
    const fetched = await fetcher.get(href, {
      client,
      signal: AbortSignal.any([signal, aborted.signal]),
      revalidate,
      onBytes: space.add,
    })
    const freshness = computeFreshness(fetched, options.heuristicMs, cached?.policy)
    if (!freshness) return undefined
    const isUnchanged = fetched.status === 304 && cached !== undefined
    reads[isUnchanged ? 'revalidated' : 'miss']++
    const { digest, body } = isUnchanged ? cached : { digest: await computeDigest(fetched.body), body: fetched.body }
    return store(href, { url: fetched.url, digest, body, ...freshness })
  }

  function store(href: string, source: Source): Source {
    const { body, ...record } = source
    if (!isStorable(record)) {
      records.delete(href)
      return source
    }
    records.set(href, record)
    bodies.set(record.digest, body)
    if (shared.storesOnReuse) unstored.add(record)
    else shareRecord(href, record)
    return source
  }

  return {
    findFresh,
    readFresh,
    throwIfFailed,
    isFetching: fetcher.isFetching,
    /** Reads from memory or fetches. `onFetch` is called if this call fetched. */
    read: async (href: string, client: string, signal: AbortSignal, onFetch: OnFetch) =>
      (
        await share(href, client, signal, (sharedSignal, onOutside) => {
          onOutside(() => fetcher.isFetching(href))
          return read(href, client, sharedSignal, onFetch)
        })
      ).value,
    countReads: () => ({ ...reads }),
    status: () => ({
      sources: { entries: bodies.size, bytes: bodies.calculatedSize },
      records: { entries: records.size, bytes: records.calculatedSize },
    }),
  }
}

/** A source that forbids storing forbids it for results, too. */
export const isStorable = ({ policy }: Freshness) => policy.storable()

/** Clocks of nodes may differ by a minute. A record from later than that would be fresh for as long as a clock was wrong. */
const isFresh = ({ storedAt, freshUntil }: Freshness, now = Date.now()) => storedAt <= now + 60_000 && freshUntil > now

/** A node that may fetch from other hosts must not get what this one fetched. */
const recordKey = (rules: string, href: string) => `source:${hash('sha256', `${rules} ${href}`)}`

const serializeRecord = ({ policy, ...record }: SourceRecord) =>
  Buffer.from(JSON.stringify({ ...record, policy: policy.toObject() }))

function parseRecord(bytes: Buffer): SourceRecord {
  const { policy, ...record } = JSON.parse(bytes.toString())
  return { ...record, policy: CachePolicy.fromObject(policy) }
}

const REQUEST = { method: 'GET', url: '/', headers: {} }

const cachingHeaders = ['cache-control', 'expires', 'pragma', 'date', 'age', 'etag', 'last-modified']

/** Keeps only what matters: a source may send 16 KB of headers, and `CachePolicy` splits so long a `Vary` in 500 ms. */
function pickCachingHeaders({ status, headers }: Pick<Fetched, 'status' | 'headers'>) {
  const picked = cachingHeaders.flatMap((name) => (headers[name] ? [[name, headers[name]]] : []))
  return { status, headers: { ...Object.fromEntries(picked), ...(headers.vary?.includes('*') && { vary: '*' }) } }
}

/** Returns undefined if a 304 does not match the cached image. */
export function computeFreshness(fetched: Fetched, heuristicMs: number, cached?: CachePolicy): Freshness | undefined {
  const policy =
    fetched.status === 304 ? revalidatePolicy(fetched, cached) : new CachePolicy(REQUEST, pickCachingHeaders(fetched))
  if (!policy) return undefined
  // An image behind redirects is as fresh as the least fresh of them.
  const hops = fetched.redirects.map((hop) => computeTimeToLive(new CachePolicy(REQUEST, pickCachingHeaders(hop))))
  const storedAt = Date.now()
  return { policy, storedAt, freshUntil: storedAt + Math.min(computeLifetime(policy, heuristicMs), ...hops) }
}

function buildConditions(policy: CachePolicy): { 'if-none-match'?: string; 'if-modified-since'?: string } {
  const headers = policy.revalidationHeaders(REQUEST)
  const names = ['if-none-match', 'if-modified-since'] as const
  return Object.fromEntries(names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])))
}

function revalidatePolicy(fetched: Fetched, cached: CachePolicy | undefined): CachePolicy | undefined {
  const request = cached && { ...REQUEST, headers: buildConditions(cached) }
  const outcome = request && cached.revalidatedPolicy(request, pickCachingHeaders(fetched))
  return outcome?.modified ? undefined : outcome?.policy
}

/** Limits for lifetimes that a source states, and for those that are guessed from its dates. */
const MAX_STATED_MS = 365 * 24 * 3600 * 1000
const MAX_GUESSED_MS = 24 * 3600 * 1000

type Headers = ReturnType<CachePolicy['responseHeaders']>

const variesByAll = ({ vary }: Headers) => vary === '*'
const statesLifetime = ({ expires, 'cache-control': rule = '' }: Headers) =>
  expires !== undefined || /\b(s-maxage|max-age)\b/i.test(String(rule))

/** Not `policy.timeToLive()`, which includes the time in which a stale image may be used. */
function computeTimeToLive(policy: CachePolicy): number {
  const headers = policy.responseHeaders()
  if (!policy.storable() || variesByAll(headers)) return 0
  const maxMs = statesLifetime(headers) ? MAX_STATED_MS : MAX_GUESSED_MS
  return Math.min(maxMs, Math.max(0, (policy.maxAge() - policy.age()) * 1000))
}

/** Without caching headers the lifetime is ours to choose (RFC 9111, 4.2.2): six filters then need one fetch. */
function computeLifetime(policy: CachePolicy, heuristicMs: number): number {
  const headers = policy.responseHeaders()
  const hasRules = ['cache-control', 'expires', 'pragma'].some((name) => headers[name] !== undefined)
  const ttlMs = computeTimeToLive(policy)
  return hasRules || variesByAll(headers) ? ttlMs : Math.max(heuristicMs, ttlMs)
}

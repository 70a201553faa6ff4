import { hash } from 'node:crypto'
import CachePolicy from 'http-cache-semantics'
import { LRUCache } from 'lru-cache'
import { ImageTimeout, ImageUnreachable } from '../../errors/index.ts'
import { createSharing } from '../../platform/concurrency/index.ts'
import type { Fetched, Fetcher } from '../../platform/net/index.ts'
import { conditionalHeaders, type Freshness, freshnessOf } from './freshness.ts'
import type { SharedCache } from './second-level.ts'

export interface SourceOptions {
  /** Bytes of source pictures that are kept. */
  maxBytes: number
  /** How long a source that says nothing of caching counts as fresh. */
  heuristicMs: number
  /** How long a source that failed is not asked again. */
  deadForMs: number
}

/** What is known of a source without its bytes. */
export interface Known extends Freshness {
  /** Where the redirects led. */
  url: string
  digest: string
}

export interface Source extends Known {
  body: Buffer
}

type OnFetch = (startedAt: number, ms: number) => void

// About 20,000 usual ones; they answer If-None-Match long after their pictures had to go.
const MAX_RECORD_BYTES = 16 * 1024 * 1024
const MAX_DEAD = 1000

const sha256 = (data: string | Buffer) => hash('sha256', data)

/** Source pictures by URL, under HTTP's own rules of freshness; who asks for the same at the same time shares a fetch. */
export function createSources(fetcher: Fetcher, sharedCache: SharedCache, options: SourceOptions) {
  const records = new LRUCache<string, Known>({
    maxSize: MAX_RECORD_BYTES,
    sizeCalculation: (known, href) => writeRecord(known).length + href.length + 512,
  })
  const bodies = new LRUCache<string, Buffer>({
    maxSize: options.maxBytes,
    sizeCalculation: (body) => body.length + 512,
  })
  // A dead source is remembered for a moment: a page that shows it to many must not take a place and ten seconds for
  // each of them. Only what concerns the source itself; "busy" or a refused address may be otherwise the next second.
  const dead = new LRUCache<string, Error>({ max: MAX_DEAD, ttl: options.deadForMs })
  const share = createSharing<Source>()
  const reads = { hit: 0, miss: 0, revalidated: 0 }

  function refuseDead(href: string): void {
    const failure = dead.get(href)
    if (failure) throw failure
  }

  /** What may be used without asking the source; throws where it failed a moment ago. */
  function fresh(href: string): Known | undefined {
    refuseDead(href)
    return usable(href, records.get(href))
  }

  function usable(href: string, known: Known | undefined): Known | undefined {
    if (!known || known.freshUntil <= Date.now()) return undefined
    // Where the redirects led may have been blocked since, or be forbidden here and not on the node that went there.
    if (known.url !== href) fetcher.check(known.url)
    return known
  }

  /** The same, with what other nodes know. */
  async function recall(href: string): Promise<Known | undefined> {
    const here = fresh(href)
    if (here) return here
    const known = usable(href, await sharedCache.find(recordKey(href), readRecord))
    if (known) records.set(href, known)
    return known
  }

  async function read(href: string, signal: AbortSignal, onFetch: OnFetch): Promise<Source> {
    refuseDead(href)
    const known = records.get(href)
    const body = known && bodies.get(known.digest)
    const kept = body && { ...known, body }
    if (kept && kept.freshUntil > Date.now()) {
      reads.hit++
      return kept
    }
    const started = performance.now()
    try {
      return (await ask(href, kept, signal)) ?? (await ask(href, undefined, signal))!
    } catch (error) {
      if (error instanceof ImageUnreachable || error instanceof ImageTimeout) dead.set(href, error)
      throw error
    } finally {
      onFetch(started, performance.now() - started)
    }
  }

  /** Undefined where the source's 304 is about another picture than the one kept. */
  async function ask(href: string, kept: Source | undefined, signal: AbortSignal): Promise<Source | undefined> {
    const revalidate = kept && { url: kept.url, headers: conditionalHeaders(kept.policy) }
    const fetched = await fetcher.get(href, { signal, revalidate })
    const freshness = freshnessOf(fetched, options.heuristicMs, kept?.policy)
    if (freshness) reads[fetched.status === 304 ? 'revalidated' : 'miss']++
    return freshness && keep(href, { ...picture(fetched, kept), ...freshness })
  }

  function keep(href: string, source: Source): Source {
    const { body, ...known } = source
    if (!isStorable(known)) {
      records.delete(href)
      return source
    }
    records.set(href, known)
    bodies.set(known.digest, body)
    const lasting = known.freshUntil - Date.now()
    if (lasting > 0) sharedCache.keep(recordKey(href), () => writeRecord(known), lasting)
    return source
  }

  return {
    fresh,
    recall,
    /** `onFetch` is told where the source itself was asked, and by this call. */
    read: async (href: string, signal: AbortSignal, onFetch: OnFetch) =>
      (await share(href, signal, (shared) => read(href, shared, onFetch))).value,
    reads: () => ({ ...reads }),
    status: () => ({
      sources: { entries: bodies.size, bytes: bodies.calculatedSize },
      records: { entries: records.size, bytes: records.calculatedSize },
    }),
  }
}

/** A source that forbids storing forbids it for what is made of it, too. */
export const isStorable = ({ policy }: Freshness) => policy.storable()

const picture = ({ status, url, body }: Fetched, kept: Source | undefined) =>
  status === 304 && kept ? { url, digest: kept.digest, body: kept.body } : { url, digest: sha256(body), body }

const recordKey = (href: string) => `source:${sha256(href)}`

const writeRecord = ({ policy, ...known }: Known) =>
  Buffer.from(JSON.stringify({ ...known, policy: policy.toObject() }))

function readRecord(bytes: Buffer): Known {
  const { policy, ...known } = JSON.parse(bytes.toString())
  return { ...known, policy: CachePolicy.fromObject(policy) }
}

import { ApiError } from '../errors.ts'
import type { Fetcher } from '../net/index.ts'
import type { Engine, Processed } from './engine-type.ts'
import { createQueue, type QueueOptions } from './queue.ts'
import { createResults, type Result, type ResultOptions, resultKey, type Variant } from './results.ts'
import { forgiving, type Log, type SecondLevel } from './second-level.ts'
import { createSharing } from './sharing.ts'
import { createSources, isStorable, type Known, type Source, type SourceOptions } from './sources.ts'

export interface ImagesOptions {
  fetcher: Fetcher
  engine: Engine
  /** Changes whenever the same source and filter may give other bytes; part of every ETag. */
  version: string
  queue?: Partial<QueueOptions>
  sources?: Partial<SourceOptions>
  results?: Partial<ResultOptions>
  secondLevel?: SecondLevel | undefined
  log?: Log | undefined
  onStage?: OnStage | undefined
  /** Told of each picture that was not given, by error code; CANCELLED where the caller hung up. */
  onRefused?: ((code: string) => void) | undefined
}

/** Told of each stage of the work on a picture; `startedAt` is on the clock of `performance.now`. */
export type OnStage = (stage: Stage, startedAt: number, ms: number) => void
export type Stage = 'wait' | 'fetch' | 'decode' | 'filter' | 'encode'

// Memory at its worst, whatever callers do:
//   queue.jobs x 2 x the fetcher's maxBytes   a source while it arrives: its buffer and the larger one it moves to,
//                                             or the bytes of the wire and those decoded from them
// + what the engine needs for its own threads x its pixel limit
// + sources.maxBytes + results.maxBytes       the caches
// + 16 MiB of what is known of sources, and queue.waiting requests that hold nothing but their URL
export const imagesDefaults = {
  queue: { jobs: 16, waiting: 64, waitMs: 30_000, stuckAfterMs: 60_000 },
  sources: { maxBytes: 64 * 1024 * 1024, heuristicMs: 60_000, deadForMs: 5000 },
  results: { maxBytes: 128 * 1024 * 1024, sharedForMs: 24 * 3600 * 1000 },
} satisfies Partial<ImagesOptions>

export interface FilterRequest extends Variant {
  imageUrl: string
  /** Whose turn it is: the address of the client. */
  caller: string
  ifNoneMatch?: string | undefined
  signal: AbortSignal
  /** Told of the stages that are worked through for this very request. */
  onStage?: OnStage | undefined
}

interface Facts {
  etag: string
  /** Seconds for which the source is fresh. */
  maxAge: number
  /** Nothing was computed; this request did the work; another one did. */
  cache: 'hit' | 'miss' | 'shared'
}

export type Filtered = Facts & ({ notModified: true } | ({ notModified: false; timings: Timings } & Result))

/** Milliseconds by stage; `shared` where the result came from the second level. */
type Timings = Processed['timings'] & { fetch: number; shared?: number }

export interface Images {
  filtered(request: FilterRequest): Promise<Filtered>
  status(): ReturnType<ReturnType<typeof createQueue>['status']> & {
    caches: Record<'sources' | 'records' | 'results', { entries: number; bytes: number }>
    /** Replies so far. */
    replies: Record<Facts['cache'], number>
    /** How sources were come by so far: kept and fresh, asked for, or asked whether they are the same. */
    sourceReads: Record<'hit' | 'miss' | 'revalidated', number>
  }
  /** Breaks off what is under way; fetcher and engine are closed by whoever made them. */
  close(): void
}

interface Name {
  key: string
  etag: string
  maxAge: number
}

const hasTag = (ifNoneMatch: string | undefined, etag: string) =>
  ifNoneMatch?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)

const noTime = { fetch: 0, decode: 0, filter: 0, encode: 0 }

/** Filtered pictures by URL; work that was done, or is under way, is not done again. */
export function createImages({ fetcher, engine, version, ...given }: ImagesOptions): Images {
  const sharedCache = forgiving(given.secondLevel, given.log)
  const sources = createSources(fetcher, sharedCache, { ...imagesDefaults.sources, ...given.sources })
  const results = createResults(sharedCache, { ...imagesDefaults.results, ...given.results })
  const queue = createQueue({ ...imagesDefaults.queue, ...given.queue })
  const shareReply = createSharing<Filtered>()
  const shareResult = createSharing<Processed>()
  const replies = { hit: 0, miss: 0, shared: 0 }
  const closed = new AbortController()
  const stagesOf =
    ({ onStage }: FilterRequest): OnStage =>
    (...stage) => {
      given.onStage?.(...stage)
      onStage?.(...stage)
    }

  /** What the result of this source and request is called, and how long the name holds. */
  function name(known: Known, request: FilterRequest): Name {
    const key = resultKey(version, known.digest, request)
    const freshMs = isStorable(known) ? known.freshUntil - Date.now() : 0
    return { key, etag: `"${key}"`, maxAge: Math.max(0, Math.floor(freshMs / 1000)) }
  }

  const unchanged = ({ etag, maxAge }: Name, { ifNoneMatch }: FilterRequest): Filtered | undefined =>
    hasTag(ifNoneMatch, etag) ? { notModified: true, etag, maxAge, cache: 'hit' } : undefined

  const found = ({ etag, maxAge }: Name, result: Result | undefined, timings: Timings = noTime): Filtered | undefined =>
    result && { notModified: false, ...result, etag, maxAge, cache: 'hit', timings }

  async function recalled(wanted: Name, request: FilterRequest): Promise<Filtered | undefined> {
    const here = unchanged(wanted, request) ?? found(wanted, results.get(wanted.key))
    if (here) return here
    const begun = performance.now()
    const result = await results.recall(wanted.key)
    return found(wanted, result, { ...noTime, shared: performance.now() - begun })
  }

  async function reply(href: string, request: FilterRequest, signal: AbortSignal): Promise<Filtered> {
    const known = await sources.recall(href)
    const ready = known && (await recalled(name(known, request), request))
    if (ready) return ready
    const tell = stagesOf(request)
    const arrived = performance.now()
    return queue.run(request.caller, signal, async () => {
      const started = performance.now()
      tell('wait', arrived, started - arrived)
      const source = await sources.read(href, signal, (fetchedAt, ms) => tell('fetch', fetchedAt, ms))
      const fetch = performance.now() - started
      const wanted = name(source, request)
      return (await recalled(wanted, request)) ?? (await made(wanted, source, request, fetch, signal))
    })
  }

  async function made(
    { key, etag, maxAge }: Name,
    source: Source,
    request: FilterRequest,
    fetch: number,
    signal: AbortSignal,
  ): Promise<Filtered> {
    const { value, joined } = await shareResult(key, signal, async (shared) => {
      const { filter, strength, output } = request
      const processed = await engine.process({ bytes: source.body, filter, strength, output }, shared)
      const { timings, ...result } = processed
      tellTimings(stagesOf(request), timings)
      if (isStorable(source)) results.keep(key, result)
      return processed
    })
    const timings = { fetch, ...value.timings }
    return { notModified: false, ...value, etag, maxAge, cache: joined ? 'shared' : 'miss', timings }
  }

  async function filtered(request: FilterRequest): Promise<Filtered> {
    // On every request, cached or not: a host may have been blocked since.
    const { href } = fetcher.vet(request.imageUrl)
    const known = sources.fresh(href)
    const wanted = known && name(known, request)
    const ready = wanted && (unchanged(wanted, request) ?? found(wanted, results.get(wanted.key)))
    if (ready) return ready
    const { filter, strength, output, ifNoneMatch } = request
    const signal = AbortSignal.any([request.signal, closed.signal])
    const same = JSON.stringify([href, filter, strength, output, ifNoneMatch])
    const { value, joined } = await shareReply(same, signal, (shared) => reply(href, request, shared))
    return joined && value.cache === 'miss' ? { ...value, cache: 'shared' } : value
  }

  return {
    async filtered(request) {
      try {
        const outcome = await filtered(request)
        replies[outcome.cache]++
        return outcome
      } catch (error) {
        given.onRefused?.(error instanceof ApiError ? error.code : 'CANCELLED')
        throw error
      }
    },
    status: () => ({
      ...queue.status(),
      caches: { ...sources.status(), results: results.status() },
      replies: { ...replies },
      sourceReads: sources.reads(),
    }),
    close: () => closed.abort(),
  }
}

/** The threads tell how long each stage took; they are told in their order, up to now. */
function tellTimings(tell: OnStage, timings: Processed['timings']): void {
  let at = performance.now() - timings.decode - timings.filter - timings.encode
  for (const stage of ['decode', 'filter', 'encode'] as const) {
    tell(stage, at, timings[stage])
    at += timings[stage]
  }
}

import { ApiError, Busy } from '../../errors/index.ts'
import { createFairSingleFlight } from '../../platform/concurrency/index.ts'
import type { Log } from '../../platform/logging/index.ts'
import type { Fetcher } from '../../platform/net/index.ts'
import type { Engine, ProcessedImage } from './engine.ts'
import { withImageErrors } from './image-fetcher.ts'
import { createJobQueue, createSourceBudget, type JobQueueOptions, type SourceBudgetOptions } from './job-queue.ts'
import { type FilterResult, findInMemory, type OnStage, runPipeline } from './pipeline.ts'
import type { ResultCacheOptions, SecondLevelCache, Variant } from './result-cache.ts'
import { createResultCache, createResultNaming, ignoreCacheErrors, nameVariant } from './result-cache.ts'
import { createSourceCache, type SourceCacheOptions } from './source-cache.ts'

export { createEngine, type Engine, type EngineOptions, type ImageJob } from './engine.ts'
export { type Fit, fits, MAX_REQUESTED_SIDE, MAX_SIDE, type OutputFormat, outputFormats } from './formats.ts'
export * from './image-fetcher.ts'
export { planMemory } from './memory.ts'
export type { FilterResult, OnStage } from './pipeline.ts'
export type { SecondLevelCache } from './result-cache.ts'

export interface ImagesOptions {
  fetcher: Fetcher
  engine: Pick<Engine, 'process' | 'announce'>
  /** Changes whenever the same source and filter may give other bytes. Part of every ETag. */
  version: string
  queue?: Partial<JobQueueOptions>
  sources?: Partial<SourceCacheOptions>
  budget?: Partial<SourceBudgetOptions>
  results?: Partial<ResultCacheOptions>
  /**
   * After this time a request fails with BUSY, whatever it waits for: proxies cut connections that are silent longer.
   * The maximum of FILTER_TIMEOUT_MS is less, and its help names this time.
   */
  replyTimeoutMs?: number
  secondLevelCache?: SecondLevelCache | undefined
  log?: Pick<Log, 'warn'> | undefined
  onStage?: OnStage | undefined
  /** Called with the error code of each failed request; CANCELLED if the client disconnected, FAILED for a bug. */
  onFailed?: ((code: string) => void) | undefined
}

// `planMemory` lowers these limits if there is less memory.
export const imagesDefaults = {
  queue: {
    jobs: 16,
    waiting: 256,
    waitTimeoutMs: 30_000,
    overdueAfterMs: 60_000,
    releaseAfterMs: 100,
    slowAfterMs: 2000,
    maxOpen: Number.POSITIVE_INFINITY,
  },
  budget: { maxHeldBytes: 256 * 1024 * 1024, slowAfterMs: 2000 },
  sources: { maxBytes: 12 * 1024 * 1024, heuristicMs: 60_000, failedForMs: 5000 },
  results: { maxBytes: 24 * 1024 * 1024, sharedForMs: 24 * 3600 * 1000 },
  replyTimeoutMs: 100_000,
} satisfies Partial<ImagesOptions>

/** Seconds to wait before retrying, after the reply timeout. */
const RETRY_AFTER = 60

export interface FilterRequest extends Variant {
  imageUrl: string
}

export interface FilterRequestOptions {
  /** The address of the client. Clients take turns. */
  client: string
  ifNoneMatch?: string | undefined
  signal: AbortSignal
  /** Called for the stages that were done for this request. */
  onStage?: OnStage | undefined
}

export type Images = ReturnType<typeof createImages>
export type PreparedRequest = ReturnType<Images['prepare']>

/** Filters images by URL. Work that was done or is running is not done again. */
export function createImages({ fetcher: plainFetcher, engine, version, ...options }: ImagesOptions) {
  const fetcher = withImageErrors({
    ...plainFetcher,
    async get(url, options) {
      using announced = new DisposableStack()
      // A fetch may have waited for seconds: no source is fetched for an image that would be refused by now.
      const onStart = () => void announced.use(engine.announce(options.client ?? ''))
      return await plainFetcher.get(url, { ...options, onStart })
    },
  })
  const shared = ignoreCacheErrors(options.secondLevelCache, options.log)
  const budget = createSourceBudget({ ...imagesDefaults.budget, ...options.budget })
  const services = {
    budget,
    sources: createSourceCache(fetcher, shared, budget, { ...imagesDefaults.sources, ...options.sources }),
    results: createResultCache(shared, { ...imagesDefaults.results, ...options.results }),
    queue: createJobQueue({ ...imagesDefaults.queue, ...options.queue }),
    engine,
    shareResult: createFairSingleFlight<ProcessedImage>(),
  }
  const { sources, results, queue } = services
  const shareReply = createFairSingleFlight<FilterResult>()
  const { replyTimeoutMs = imagesDefaults.replyTimeoutMs } = options
  const replies = { hit: 0, miss: 0, shared: 0 }
  const closed = new AbortController()

  const reportFailure = (error: unknown, isDisconnected = false) =>
    options.onFailed?.(error instanceof ApiError ? error.code : isDisconnected ? 'CANCELLED' : 'FAILED')

  function reportFailures<T>(action: () => T): T {
    try {
      return action()
    } catch (error) {
      reportFailure(error)
      throw error
    }
  }

  /** Validates the URL; throws an API error if it is invalid or forbidden. The result can be used for later requests. */
  function prepare({ imageUrl, ...variant }: FilterRequest) {
    const { href, recheck } = reportFailures(() => fetcher.check(imageUrl))
    const nameResult = createResultNaming(version, variant)

    /** Returns a result that needs no work. Throws if the host is blocked by now. */
    const findCached = (ifNoneMatch: string | undefined) =>
      reportFailures(() => {
        // On every request, cached or not: the host may have been blocked since.
        recheck()
        const record = sources.findFresh(href)
        const result = record && findInMemory(nameResult(record), ifNoneMatch, services)
        if (result) replies.hit++
        return result
      })

    async function run(request: FilterRequestOptions): Promise<FilterResult> {
      const { client, ifNoneMatch, signal: clientSignal, onStage } = request
      const reportStage: OnStage = (...stage) => {
        options.onStage?.(...stage)
        onStage?.(...stage)
      }
      try {
        const timeout = new AbortController()
        using _timer = setTimeout(() => timeout.abort(new Busy(RETRY_AFTER)), replyTimeoutMs)
        const anySignal = AbortSignal.any([clientSignal, closed.signal, timeout.signal])
        const key = JSON.stringify([href, nameVariant(variant), ifNoneMatch])
        const run = { variant, href, nameResult, client, ifNoneMatch, onStage: reportStage }
        const { value, joined } = await shareReply(key, client, anySignal, (signal, onFetching) =>
          runPipeline({ ...run, signal, onFetching }, services),
        )
        const result = joined && value.cache === 'miss' ? { ...value, cache: 'shared' as const } : value
        replies[result.cache]++
        return result
      } catch (error) {
        reportFailure(error, clientSignal.aborted)
        throw error
      }
    }

    return { findCached, run }
  }

  return {
    prepare,
    status: () => ({
      ...queue.status(),
      caches: { ...sources.status(), results: results.status() },
      /** Replies since the start. */
      replies: { ...replies },
      /** Reads of sources since the start: fresh in memory, fetched, or revalidated. */
      sourceReads: sources.countReads(),
    }),
    /** Aborts running work. Fetcher and engine are closed by their creator. */
    close() {
      queue.close()
      closed.abort()
    },
  }
}

import { createFairSemaphore, type createFairSingleFlight } from '../../platform/concurrency/index.ts'
import { listNetworks } from '../../platform/net/index.ts'
import type { Engine, ProcessedImage } from './engine.ts'
import type { createResultCache, Result, ResultName, Variant } from './result-cache.ts'
import { type createSourceCache, isStorable, type Source, type SourceRecord } from './source-cache.ts'

type Stage = 'wait' | 'fetch' | 'decode' | 'filter' | 'encode'

/** Called after each stage of an image. `startedAt` is on the clock of `performance.now`. */
export type OnStage = (stage: Stage, startedAt: number, ms: number) => void

/** Milliseconds by stage; `cache` if the result was read from disk or from the cache of all nodes. */
export type Timings = ProcessedImage['timings'] & { fetch: number; cache?: number }

export type FilterResult = Omit<ResultName, 'key'> & {
  /** `hit`: nothing was computed; `miss`: this request did the work; `shared`: another request did. */
  cache: 'hit' | 'miss' | 'shared'
} & ({ notModified: true } | ({ notModified: false; timings: Timings } & Result))

export interface PipelineServices {
  readonly sources: ReturnType<typeof createSourceCache>
  readonly results: ReturnType<typeof createResultCache>
  readonly queue: ReturnType<typeof createJobQueue>
  readonly engine: Pick<Engine, 'process'>
  readonly shareResult: ReturnType<typeof createFairSingleFlight<ProcessedImage>>
}

/** One request on its way through the pipeline. */
export interface PipelineRun {
  readonly variant: Variant
  /** Of the source, checked and normalised. */
  readonly href: string
  readonly nameResult: (source: SourceRecord) => ResultName
  readonly client: string
  readonly ifNoneMatch: string | undefined
  readonly signal: AbortSignal
  readonly onStage: OnStage
}

/**
 * The way of a request that the memory caches cannot answer. Before it, `images.prepare` validates the URL and
 * `findCached` checks the blocklist and reads the memory caches. `processImage` continues in a child process, which
 * strips metadata, reads the header, decodes, filters and encodes; see worker.ts.
 */
export async function runPipeline(run: PipelineRun, services: PipelineServices): Promise<FilterResult> {
  // If the source is fresh, here or on another node, the result may be in memory or in the shared cache.
  const record = await services.sources.readFresh(run.href)
  const cached = record && (await readResult(record, run, services))
  if (cached) return cached
  using _slot = await waitForSlot(run, services)
  const startedAt = performance.now()
  const source = await services.sources.read(run.href, run.signal, (at, ms) => run.onStage('fetch', at, ms))
  const fetchMs = performance.now() - startedAt
  // The source may have been fetched again without a change, or another URL may have the same bytes.
  return (await readResult(source, run, services)) ?? (await processImage(run, services, source, fetchMs))
}

async function waitForSlot({ client, signal, onStage }: PipelineRun, { queue }: PipelineServices) {
  const arrivedAt = performance.now()
  const slot = await queue.start(client, signal)
  onStage('wait', arrivedAt, performance.now() - arrivedAt)
  return slot
}

/** Requests for the same result share the work, and its cache entry is written once. */
async function processImage(
  { variant, client, signal, nameResult, onStage }: PipelineRun,
  { engine, results, shareResult }: PipelineServices,
  source: Source,
  fetchMs: number,
): Promise<FilterResult> {
  const { key, etag, maxAge } = nameResult(source)
  const { value, joined } = await shareResult(key, client, signal, async (sharedSignal) => {
    const processed = await engine.process({ bytes: source.body, ...variant }, sharedSignal, client)
    const { timings, ...result } = processed
    reportTimings(onStage, timings)
    if (isStorable(source)) results.write(key, result)
    return processed
  })
  const timings = { fetch: fetchMs, ...value.timings }
  return { notModified: false, ...value, etag, maxAge, cache: joined ? 'shared' : 'miss', timings }
}

const noTimings: Timings = { fetch: 0, decode: 0, filter: 0, encode: 0 }

const hasTag = (ifNoneMatch: string | undefined, etag: string) =>
  ifNoneMatch?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)

const toHit = ({ etag, maxAge }: ResultName, result: Result, timings: Timings): FilterResult => ({
  notModified: false,
  ...result,
  etag,
  maxAge,
  cache: 'hit',
  timings,
})

/** Answers from memory, without any waiting. */
export function findInMemory(
  name: ResultName,
  ifNoneMatch: string | undefined,
  { results }: Pick<PipelineServices, 'results'>,
): FilterResult | undefined {
  const { key, etag, maxAge } = name
  if (hasTag(ifNoneMatch, etag)) return { notModified: true, etag, maxAge, cache: 'hit' }
  const result = results.get(key)
  return result && toHit(name, result, noTimings)
}

async function readResult(record: SourceRecord, run: PipelineRun, services: PipelineServices) {
  const name = run.nameResult(record)
  const local = findInMemory(name, run.ifNoneMatch, services)
  if (local) return local
  const startedAt = performance.now()
  const result = await services.results.readShared(name.key)
  return result && toHit(name, result, { ...noTimings, cache: performance.now() - startedAt })
}

/** The process reports how long each stage took. They are reported in their order, as if they ended now. */
function reportTimings(onStage: OnStage, timings: ProcessedImage['timings']): void {
  let at = performance.now() - timings.decode - timings.filter - timings.encode
  for (const stage of ['decode', 'filter', 'encode'] as const) {
    onStage(stage, at, timings[stage])
    at += timings[stage]
  }
}

export interface JobQueueOptions {
  /** Concurrent jobs. A job takes an image from its source to its result. */
  jobs: number
  waiting: number
  waitTimeoutMs: number
  /** A job that runs longer is overdue. If all are overdue, the queue is stuck. */
  stuckAfterMs: number
}

const MAX_RETRY_AFTER = 60
/** The moving average of durations covers about the last twenty jobs. */
const AVERAGE_SHARE = 0.05

/** Limits concurrent jobs. Fair by network and client: slots go round, and one network holds at most three quarters. */
export function createJobQueue({ jobs, waiting, waitTimeoutMs, stuckAfterMs }: JobQueueOptions) {
  let averageMs = 1000
  const semaphore = createFairSemaphore({
    maxRunning: jobs,
    maxRunningPerGroup: Math.ceil(jobs * 0.75),
    maxWaiting: waiting,
    waitTimeoutMs,
    computeRetryAfter: (ahead) => Math.min(MAX_RETRY_AFTER, Math.ceil(((ahead + 1) * averageMs) / jobs / 1000)),
  })
  const running = new Set<{ startedAt: number }>()

  return {
    /** Waits for a slot. Disposing the job releases it. */
    async start(client: string, signal: AbortSignal): Promise<Disposable> {
      const slot = await semaphore.acquire(listNetworks(client), signal)
      const job = { startedAt: performance.now() }
      running.add(job)
      return {
        [Symbol.dispose]() {
          running.delete(job)
          averageMs += AVERAGE_SHARE * (performance.now() - job.startedAt - averageMs)
          slot[Symbol.dispose]()
        },
      }
    },
    status() {
      const now = performance.now()
      const overdue = [...running].filter(({ startedAt }) => now - startedAt > stuckAfterMs).length
      return { ...semaphore.status(), overdue, stuck: overdue >= jobs }
    },
  }
}

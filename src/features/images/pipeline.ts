import type { createFairSingleFlight } from '../../platform/concurrency/index.ts'
import type { Engine, ProcessedImage } from './engine.ts'
import type { createJobQueue, Job, SourceBudget } from './job-queue.ts'
import type { createResultCache, Result, ResultName, Variant } from './result-cache.ts'
import { type createSourceCache, isStorable, type Source, type SourceRecord } from './source-cache.ts'

type Stage = 'wait' | 'fetch' | 'decode' | 'filter' | 'encode'

/** Called after each stage of an image. `startedAt` is on the clock of `performance.now`. */
export type OnStage = (stage: Stage, ms: number, startedAt: number) => void

/** Milliseconds by stage; `cache` if the result was read from the second-level cache (Redis or the disk). */
type Timings = ProcessedImage['timings'] & { fetch: number; cache?: number }

export type FilterResult = Omit<ResultName, 'key'> & {
  /** `hit`: nothing was computed; `miss`: this request did the work; `shared`: another request did, at the same time. */
  cache: 'hit' | 'miss' | 'shared'
} & ({ notModified: true } | ({ notModified: false; timings: Timings } & Result))

interface PipelineServices {
  readonly sources: ReturnType<typeof createSourceCache>
  readonly budget: SourceBudget
  readonly results: ReturnType<typeof createResultCache>
  readonly queue: ReturnType<typeof createJobQueue>
  readonly engine: Pick<Engine, 'process' | 'announce'>
  readonly shareResult: ReturnType<typeof createFairSingleFlight<ProcessedImage>>
}

interface PipelineRequest {
  readonly variant: Variant
  /** URL of the source, checked and normalised. */
  readonly href: string
  readonly nameResult: (source: SourceRecord) => ResultName
  readonly client: string
  readonly ifNoneMatch: string | undefined
  /** Aborts at the deadline of the reply, and when the client disconnects. */
  readonly signal: AbortSignal
  /** Gets a function that says whether the request waits for its source, and not in a queue. */
  readonly onFetching: (isFetching: () => boolean) => void
  readonly onStage: OnStage
}

/** A request on its way through the pipeline. Each step sets what later steps need. */
interface PipelineRun extends PipelineRequest {
  /** Released at the end. */
  readonly resources: DisposableStack
  job?: Job
  source?: Source
  fetchMs: number
}

type PipelineStep = (run: PipelineRun, services: PipelineServices) => Promise<FilterResult | undefined>

/**
 * The steps of a request that the memory caches cannot answer. They end at the first step that returns a result. Before
 * the pipeline, `images.prepare` validates the URL, and `findCached` checks the blocklist and reads the memory caches.
 * `processImage` continues in an image process, with the steps in image-process.ts.
 */
const pipeline: readonly PipelineStep[] = [readCaches, rejectFailed, waitForSlot, fetchSource, readCaches, processImage]

export async function runPipeline(request: PipelineRequest, services: PipelineServices): Promise<FilterResult> {
  using resources = new DisposableStack()
  const run: PipelineRun = { ...request, resources, fetchMs: 0 }
  for (const step of pipeline) {
    run.signal.throwIfAborted()
    const result = await step(run, services)
    if (result) return result
  }
  throw new Error('no step of the pipeline gave a result')
}

/**
 * If the source is fresh, here or on another node, its result may be in memory or in the second-level cache. This step runs
 * again after the fetch, because the source may be unchanged, or another URL may have the same bytes.
 */
async function readCaches(run: PipelineRun, services: PipelineServices): Promise<FilterResult | undefined> {
  const record = run.source ?? (await services.sources.readFresh(run.href))
  if (!record) return undefined
  const name = run.nameResult(record)
  const local = findInMemory(name, run.ifNoneMatch, services)
  if (local) return local
  const startedAt = performance.now()
  const result = await services.results.readSecondLevel(name.key, run.client, run.signal)
  return result && toHit(name, result, { ...noTimings, cache: performance.now() - startedAt })
}

/**
 * After the caches: a source may fail because one client requested too much from it, or other filters of its image, and
 * results that are fresh must not be lost for others.
 */
async function rejectFailed({ href }: PipelineRun, { sources }: PipelineServices): Promise<undefined> {
  sources.throwIfFailed(href)
}

/** No source is fetched, and no slot is taken, for an image that would be refused. */
async function waitForSlot(run: PipelineRun, { queue, engine }: PipelineServices): Promise<undefined> {
  const arrivedAt = performance.now()
  engine.announce(run.client)[Symbol.dispose]()
  run.job = run.resources.use(await queue.start(run.client, run.signal))
  run.onStage('wait', performance.now() - arrivedAt, arrivedAt)
}

async function fetchSource(run: PipelineRun, { sources, budget }: PipelineServices): Promise<undefined> {
  const { job, href, client, onStage, resources } = run
  const startedAt = performance.now()
  run.onFetching(() => sources.isFetching(href))
  run.source = await job!.fetch((signal) => sources.read(href, client, signal, (ms, at) => onStage('fetch', ms, at)))
  run.onFetching(() => false)
  run.fetchMs = performance.now() - startedAt
  resources.use(budget.open(client)).add(run.source.body.length)
  // During a slow fetch the job released its slot.
  await job!.resume()
}

/** Requests for the same result share the work, and its cache entry is written once. */
async function processImage(run: PipelineRun, { engine, results, shareResult }: PipelineServices) {
  const { variant, client, nameResult, onStage, fetchMs } = run
  const source = run.source!
  const { key, etag, maxAge } = nameResult(source)
  const process = async (sharedSignal: AbortSignal) => {
    const processed = await engine.process({ bytes: source.body, ...variant }, sharedSignal, client)
    const { timings, ...result } = processed
    reportTimings(onStage, timings)
    if (isStorable(source)) results.write(key, result)
    return processed
  }
  const { value, joined } = await run.job!.process((signal) => shareResult(key, client, signal, process))
  const timings = { fetch: fetchMs, ...value.timings }
  const cache = joined ? ('shared' as const) : ('miss' as const)
  return { notModified: false as const, ...value, etag, maxAge, cache, timings }
}

const noTimings: Timings = { fetch: 0, decode: 0, filter: 0, encode: 0 }

/** Programs send a few; thousands would take milliseconds. */
const MAX_ETAGS = 100

const hasTag = (ifNoneMatch: string | undefined, etag: string) =>
  ifNoneMatch?.split(',', MAX_ETAGS).some((tag) => tag.trim().replace(/^W\//, '') === etag)

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

/** The process reports how long each stage took. They are reported in their order, as if they ended now. */
function reportTimings(onStage: OnStage, timings: ProcessedImage['timings']): void {
  let at = performance.now() - timings.decode - timings.filter - timings.encode
  for (const stage of ['decode', 'filter', 'encode'] as const) {
    onStage(stage, timings[stage], at)
    at += timings[stage]
  }
}

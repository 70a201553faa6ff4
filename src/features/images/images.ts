import { ApiError, Busy } from '../../errors/index.ts'
import { createFairSharing } from '../../platform/concurrency/index.ts'
import type { CheckedUrl } from '../../platform/net/index.ts'
import type { Processed } from './engine/index.ts'
import { withImageErrors } from './fetch-errors.ts'
import type { Asking, Filtered, Images, ImagesOptions, OnStage, Picture, Timings, Wish } from './images-type.ts'
import { createQueue } from './queue.ts'
import { createNaming, type Name } from './result-key.ts'
import { createResults, type Result } from './results.ts'
import { forgiving } from './second-level.ts'
import { createSources, isStorable, type Source } from './sources.ts'

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
  replyMs: 100_000,
} satisfies Partial<ImagesOptions>

/** Seconds, for whom not even all that patience helped. */
const RETRY_AFTER = 60

const hasTag = (ifNoneMatch: string | undefined, etag: string) =>
  ifNoneMatch?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)

const noTime = { fetch: 0, decode: 0, filter: 0, encode: 0 }

/** Filtered pictures by URL; work that was done, or is under way, is not done again. */
export function createImages({ fetcher: anyFetcher, engine, version, ...given }: ImagesOptions): Images {
  const fetcher = withImageErrors(anyFetcher)
  const sharedCache = forgiving(given.secondLevel, given.log)
  const sources = createSources(fetcher, sharedCache, { ...imagesDefaults.sources, ...given.sources })
  const results = createResults(sharedCache, { ...imagesDefaults.results, ...given.results })
  const queue = createQueue({ ...imagesDefaults.queue, ...given.queue })
  const shareReply = createFairSharing<Filtered>()
  const shareResult = createFairSharing<Processed>()
  const { replyMs = imagesDefaults.replyMs } = given
  const replies = { hit: 0, miss: 0, shared: 0 }
  const closed = new AbortController()
  const stagesOf =
    ({ onStage }: Asking): OnStage =>
    (...stage) => {
      given.onStage?.(...stage)
      onStage?.(...stage)
    }

  const unchanged = ({ etag, maxAge }: Name, ifNoneMatch: string | undefined): Filtered | undefined =>
    hasTag(ifNoneMatch, etag) ? { notModified: true, etag, maxAge, cache: 'hit' } : undefined

  const found = ({ etag, maxAge }: Name, result: Result | undefined, timings: Timings = noTime): Filtered | undefined =>
    result && { notModified: false, ...result, etag, maxAge, cache: 'hit', timings }

  const atHand = (wanted: Name, ifNoneMatch: string | undefined): Filtered | undefined =>
    unchanged(wanted, ifNoneMatch) ?? found(wanted, results.get(wanted.key))

  async function recalled(wanted: Name, ifNoneMatch: string | undefined): Promise<Filtered | undefined> {
    const here = atHand(wanted, ifNoneMatch)
    if (here) return here
    const begun = performance.now()
    const result = await results.recall(wanted.key)
    return found(wanted, result, { ...noTime, shared: performance.now() - begun })
  }

  const refused = (error: unknown, isGone = false) =>
    given.onRefused?.(error instanceof ApiError ? error.code : isGone ? 'CANCELLED' : 'FAILED')

  function picture(wish: Wish): Picture {
    const { filter, strength, output } = wish
    const { href, recheck } = checkUrl(wish.imageUrl)
    const name = createNaming(version, wish)

    function ready(ifNoneMatch: string | undefined): Filtered | undefined {
      try {
        // On every request, cached or not: a host may have been blocked since.
        recheck()
        const known = sources.fresh(href)
        const outcome = known && atHand(name(known), ifNoneMatch)
        if (outcome) replies.hit++
        return outcome
      } catch (error) {
        refused(error)
        throw error
      }
    }

    async function reply(asking: Asking, signal: AbortSignal): Promise<Filtered> {
      const known = await sources.recall(href)
      const recall = known && (await recalled(name(known), asking.ifNoneMatch))
      if (recall) return recall
      const tell = stagesOf(asking)
      const arrived = performance.now()
      return queue.run(asking.caller, signal, async () => {
        const started = performance.now()
        tell('wait', arrived, started - arrived)
        const source = await sources.read(href, signal, (fetchedAt, ms) => tell('fetch', fetchedAt, ms))
        const fetch = performance.now() - started
        const wanted = name(source)
        return (await recalled(wanted, asking.ifNoneMatch)) ?? (await made(wanted, source, asking, fetch, signal))
      })
    }

    async function made(
      { key, etag, maxAge }: Name,
      source: Source,
      asking: Asking,
      fetch: number,
      signal: AbortSignal,
    ): Promise<Filtered> {
      const { caller } = asking
      const { value, joined } = await shareResult(key, caller, signal, async (shared) => {
        const processed = await engine.process({ bytes: source.body, filter, strength, output }, shared, caller)
        const { timings, ...result } = processed
        tellTimings(stagesOf(asking), timings)
        if (isStorable(source)) results.keep(key, result)
        return processed
      })
      const timings = { fetch, ...value.timings }
      return { notModified: false, ...value, etag, maxAge, cache: joined ? 'shared' : 'miss', timings }
    }

    async function filtered(asking: Asking): Promise<Filtered> {
      try {
        const { caller, ifNoneMatch } = asking
        const patience = new AbortController()
        using _ticking = setTimeout(() => patience.abort(new Busy(RETRY_AFTER)), replyMs)
        const signal = AbortSignal.any([asking.signal, closed.signal, patience.signal])
        const same = JSON.stringify([href, filter, strength, output, ifNoneMatch])
        const { value, joined } = await shareReply(same, caller, signal, (shared) => reply(asking, shared))
        const outcome = joined && value.cache === 'miss' ? { ...value, cache: 'shared' as const } : value
        replies[outcome.cache]++
        return outcome
      } catch (error) {
        refused(error, asking.signal.aborted)
        throw error
      }
    }

    return { ready, filtered }
  }

  function checkUrl(imageUrl: string): CheckedUrl {
    try {
      return fetcher.check(imageUrl)
    } catch (error) {
      refused(error)
      throw error
    }
  }

  return {
    picture,
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

import { Busy } from '../../errors/index.ts'
import { createFairSemaphore } from '../../platform/concurrency/index.ts'
import { listNetworks } from '../../platform/net/index.ts'

export interface JobQueueOptions {
  /** Concurrent jobs, without the reserve. A job takes an image from its source to its result. */
  jobs: number
  waiting: number
  waitTimeoutMs: number
  /** A job that runs longer is overdue. */
  overdueAfterMs: number
  /**
   * A job whose source or image takes longer releases its slot, if others wait: hundreds of networks can request images
   * that take long, or sources that never answer, again and again.
   */
  releaseAfterMs: number
  /** The same if nobody waits. */
  slowAfterMs: number
  /** Sources that may be fetched at a time: each takes an open file. */
  maxOpen: number
  /** Called after IDLE_AFTER_MS without a running job, and once after the start. */
  onIdle?: (() => void) | undefined
}

export type Job = Awaited<ReturnType<ReturnType<typeof createJobQueue>['start']>>

const MAX_RETRY_AFTER = 60
/** Longer than UNUSED_BODY_MS in source-cache.ts: then unused sources are no longer cached. */
const IDLE_AFTER_MS = 21_000
/** The moving average of durations covers about the last twenty jobs. */
const AVERAGE_SHARE = 0.05
/** A fetch or an image that takes long costs little without a slot: the bytes of sources have their own budget. */
const MAX_SLOW = 256
const NETWORK_SHARE_OF_SLOW = 1 / 8
/** For networks that have no slot: enough for ten networks whose images take long. */
const RESERVED_SLOTS = 10
const RETRY_AFTER = 5

/** A fetch or an image without a slot. */
interface SlowWork {
  readonly network: string
  readonly abort: (reason: unknown) => void
}

/**
 * Limits concurrent jobs. Networks, and the clients of a network, get slots in turn. One network holds at most three
 * quarters of them. A few networks could still hold all, so there are further slots for networks that have none.
 */
export function createJobQueue({
  jobs,
  waiting,
  waitTimeoutMs,
  overdueAfterMs,
  releaseAfterMs,
  slowAfterMs,
  maxOpen,
  onIdle,
}: JobQueueOptions) {
  let averageMs = 1000
  /** The oldest first. */
  const createSlowList = (max: number, abortsOwn: boolean) => ({ works: new Set<SlowWork>(), max, abortsOwn })
  const slowFetches = createSlowList(Math.max(1, Math.min(MAX_SLOW, maxOpen - jobs - RESERVED_SLOTS)), true)
  const slowImages = createSlowList(MAX_SLOW, false)
  const semaphore = createFairSemaphore({
    maxRunning: jobs,
    maxRunningPerGroup: Math.ceil(jobs * 0.75),
    reserve: RESERVED_SLOTS,
    maxWaiting: waiting,
    waitTimeoutMs,
    computeRetryAfter: (ahead) => Math.min(MAX_RETRY_AFTER, Math.ceil(((ahead + 1) * averageMs) / jobs / 1000)),
  })
  /** The jobs that have a slot. */
  const running = new Set<{ startedAt: number }>()
  let isClosed = false
  let idleTimer: NodeJS.Timeout | undefined
  waitForIdle()

  function waitForIdle() {
    clearTimeout(idleTimer)
    if (onIdle && !isClosed) idleTimer = setTimeout(onIdle, IDLE_AFTER_MS).unref()
  }

  /**
   * Whether there is space for another fetch or image without a slot. If not, the oldest of the network that has most is
   * aborted, but only if others wait and all slots but the reserve are taken: tens of networks could hold them with sources
   * that never answer. Images end by themselves, so one network with many of them keeps its slots instead.
   */
  function makeSpace(network: string, { works, max, abortsOwn }: ReturnType<typeof createSlowList>): boolean {
    const byNetwork = Map.groupBy(works, (other) => other.network)
    const own = byNetwork.get(network) ?? []
    const isOwnFull = own.length >= Math.ceil(max * NETWORK_SHARE_OF_SLOW)
    if (!isOwnFull && works.size < max) return true
    if (isOwnFull && !abortsOwn) return false
    const largest = [...byNetwork.values()].reduce((a, b) => (b.length > a.length ? b : a), own)
    const [oldest] = isOwnFull ? own : largest
    const { waiting, running } = semaphore.status()
    if (!oldest || waiting === 0 || running < jobs) return false
    works.delete(oldest)
    oldest.abort(new Busy(RETRY_AFTER))
    return true
  }

  return {
    /** Waits for a slot. Disposing the job releases it. */
    async start(client: string, signal: AbortSignal) {
      const networks = listNetworks(client)
      const [network = ''] = networks
      let slot: Disposable | undefined = await semaphore.acquire(networks, signal)
      const job = { startedAt: performance.now() }
      running.add(job)
      clearTimeout(idleTimer)

      /** If the work takes long, or if others wait, they use the slot meanwhile. */
      async function run<T>(list: typeof slowFetches, action: (signal: AbortSignal) => Promise<T>): Promise<T> {
        const aborted = new AbortController()
        const work = { network, abort: (reason: unknown) => aborted.abort(reason) }
        const slowAt = performance.now() + slowAfterMs
        const releaseIfUseful = () => {
          if (!slot || (semaphore.status().waiting === 0 && performance.now() < slowAt) || !makeSpace(network, list))
            return
          list.works.add(work)
          slot[Symbol.dispose]()
          slot = undefined
          running.delete(job)
        }
        const timer = setInterval(releaseIfUseful, Math.min(releaseAfterMs, slowAfterMs))
        try {
          return await action(AbortSignal.any([signal, aborted.signal]))
        } finally {
          clearInterval(timer)
          list.works.delete(work)
        }
      }

      return {
        fetch: <T>(action: (signal: AbortSignal) => Promise<T>) => run(slowFetches, action),
        /** Images wait for a process in a queue of their own. */
        process: <T>(action: (signal: AbortSignal) => Promise<T>) => run(slowImages, action),
        /** Waits for a slot again, if the job released it. */
        async resume(): Promise<void> {
          slot ??= await semaphore.acquire(networks, signal)
          running.add(job)
          clearTimeout(idleTimer)
        },
        [Symbol.dispose]() {
          running.delete(job)
          averageMs += AVERAGE_SHARE * (performance.now() - job.startedAt - averageMs)
          slot?.[Symbol.dispose]()
          if (running.size === 0) waitForIdle()
        },
      }
    },
    status() {
      const now = performance.now()
      const overdue = [...running].filter(({ startedAt }) => now - startedAt > overdueAfterMs).length
      return { ...semaphore.status(), overdue, allOverdue: overdue >= jobs }
    },
    /** Does not end jobs. */
    close() {
      isClosed = true
      clearTimeout(idleTimer)
    },
  }
}

/** In addition to `maxHeldBytes`, for networks that hold no more than this share of it. */
export const SOURCE_RESERVE_SHARE = 1 / 4

export interface SourceBudgetOptions {
  /** Maximum bytes of all sources that arrive, wait or are processed, without the reserve. */
  readonly maxHeldBytes: number
  /** A source that is not complete after this time is slow. */
  readonly slowAfterMs: number
}

interface Entry {
  readonly network: string
  bytes: number
  readonly startedAt: number
  /** Undefined for a source that is complete. */
  readonly abort: ((reason: unknown) => void) | undefined
}

export type SourceBudget = ReturnType<typeof createSourceBudget>

/**
 * Bounds the bytes of sources that arrive or are processed. If there is no space, a fetch is aborted: one of the network
 * that holds most, if it is slow, or if that network holds more than the other would. A source that sends most of a large
 * image and then waits would otherwise keep its memory.
 */
export function createSourceBudget({ maxHeldBytes, slowAfterMs }: SourceBudgetOptions) {
  /** The oldest first. */
  const entries = new Set<Entry>()
  /** Sums of bytes: some thousand entries are too many to count for each part of a body. */
  const heldBy = new Map<string, number>()
  const reserve = maxHeldBytes * SOURCE_RESERVE_SHARE
  let total = 0

  const sumOf = (network: string) => heldBy.get(network) ?? 0

  function count(network: string, bytes: number): void {
    total += bytes
    heldBy.set(network, sumOf(network) + bytes)
    if (sumOf(network) === 0) heldBy.delete(network)
  }

  function remove(entry: Entry): void {
    if (entries.delete(entry)) count(entry.network, -entry.bytes)
  }

  function hasSpace({ network }: Entry, bytes: number): boolean {
    if (total + bytes <= maxHeldBytes) return true
    return total + bytes <= maxHeldBytes + reserve && sumOf(network) + bytes <= reserve
  }

  function abortFor({ network }: Entry, bytes: number): boolean {
    const latestStart = performance.now() - slowAfterMs
    const own = sumOf(network)
    let found: { readonly entry: Entry; readonly held: number } | undefined
    for (const entry of entries) {
      const held = sumOf(entry.network)
      const mayBeAborted = entry.abort && (held > own + bytes || (held >= own && entry.startedAt < latestStart))
      if (mayBeAborted && (!found || held > found.held)) found = { entry, held }
    }
    if (!found) return false
    remove(found.entry)
    found.entry.abort?.(new Busy(RETRY_AFTER))
    return true
  }

  return {
    /** Disposing the entry releases its bytes. Without `abort` it cannot be aborted. */
    open(client: string, abort?: Entry['abort']) {
      const [network = ''] = listNetworks(client)
      const entry: Entry = { network, bytes: 0, startedAt: performance.now(), abort }
      entries.add(entry)
      return {
        /** Throws BUSY if there is no space. */
        add(bytes: number): void {
          while (!hasSpace(entry, bytes)) if (!abortFor(entry, bytes)) throw new Busy(RETRY_AFTER)
          if (!entries.has(entry)) return
          entry.bytes += bytes
          count(entry.network, bytes)
        },
        [Symbol.dispose]: () => remove(entry),
      }
    },
  }
}

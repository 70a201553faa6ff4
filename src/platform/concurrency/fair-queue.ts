import { QUICK_MS, type QueuedJob } from './serve-tasks.ts'
import { createTurns, createUses, type GroupPath } from './turns.ts'

export interface FairQueueOptions {
  readonly processes: number
  /** One more process for networks that have nothing running and are not heavy. Default: true. */
  readonly hasReserve?: boolean | undefined
  /** Memory of one more process, which takes a large job of such a network. Default: 0, no such process. */
  readonly largeReserveBytes?: number | undefined
  /** Memory of the largest job that is allowed. */
  readonly maxEstimatedBytes: number
  /** Jobs that may wait. */
  readonly maxQueued: number
  /** Bytes that they may hold while they wait. Default: no limit. */
  readonly maxQueuedBytes?: number | undefined
  readonly clock?: () => number
}

/** Jobs up to this share of the maximum are small. The same share is reserved for them in addition. */
export const SMALL_SHARE = 1 / 16
/** Of the bytes in the queue, for one job: there is space for two of any size. */
const MAX_SHARE_OF_BYTES = 1 / 2
/** Networks whose last bytes are known. */
const MAX_NETWORKS = 10_000
/** A job that was announced longer ago does not count: its source may never be complete. */
const ANNOUNCED_FOR_MS = 1000
/** Longer jobs do not get the reserve for large ones: one attacker may have an IPv4 and an IPv6 network. */
const MAX_RESERVED_MS = 10_000
/**
 * A job loses its work when it is preempted, so it is not preempted before it has run for this time. For the job of a
 * network that has run longest, the time doubles with each preemption, up to the maximum. Otherwise one client with a
 * cheap image per second could prevent all longer jobs of another network from ending.
 */
const MIN_RUN_MS = 1000
const MAX_MIN_RUN_MS = 4000
/**
 * A job is preempted only if its network has used more than this, and more than this many times what the network of the
 * job that waits will have used.
 */
const PREEMPT_MS = 5000
const PREEMPT_FACTOR = 2

const sumEstimates = (jobs: readonly QueuedJob[]) => jobs.reduce((sum, job) => sum + job.estimatedBytes, 0)

/**
 * Decides which job runs next. Fair by client; quick, medium and large jobs take turns, so that a large job delays only
 * other large jobs, and jobs of a hundred networks that are not quick delay no quick one.
 */
export function createFairQueue<Job extends QueuedJob>(options: FairQueueOptions) {
  const {
    processes,
    hasReserve = true,
    largeReserveBytes = 0,
    maxEstimatedBytes,
    maxQueued,
    maxQueuedBytes = Number.POSITIVE_INFINITY,
  } = options
  // Most jobs take less than a step of other queues.
  const { clock = () => performance.now() } = options
  const uses = createUses(1, clock)
  const estimateMs = ({ estimatedMs = 0 }: QueuedJob) => estimatedMs
  const createKind = () => createTurns<Job>({ uses, estimateMs })
  const [quick, medium, large] = [createKind(), createKind(), createKind()]
  const weigh = ({ heldBytes = 0 }: Job) =>
    Math.ceil(Math.max(1, Math.min(MAX_SHARE_OF_BYTES * maxQueuedBytes, heldBytes)))
  /** All jobs that wait, to decide which one is refused: by their number, and by their bytes. */
  const byNumber = createTurns<Job>({ uses })
  const byBytes = createTurns<Job>({ uses, weigh })
  const limits = [
    { admitted: byNumber, max: maxQueued },
    { admitted: byBytes, max: maxQueuedBytes },
  ]
  /** The bytes that the last job of each network held. */
  const lastBytes = new Map<string, number>()
  /** Jobs that are prepared now, and since when. */
  const announced = new Map<Job, number>()
  const maxSmallBytes = maxEstimatedBytes * SMALL_SHARE
  const isQuick = (job: QueuedJob) => estimateMs(job) <= QUICK_MS
  const isSmall = ({ estimatedBytes }: QueuedJob) => estimatedBytes <= maxSmallBytes
  const turnsOf = (job: Job) => (!isSmall(job) ? large : isQuick(job) ? quick : medium)
  const queued = new Set<Job>()
  let order = [quick, medium, large]
  /** Since when each job has run. */
  const startedAt = new Map<Job, number>()
  /** The job in the reserve for large jobs. It does not count for others. */
  let reserved: Job | undefined
  const listRunning = () => [...startedAt.keys()].filter((job) => job !== reserved)
  const networkOf = ({ client: [network = ''] }: Job) => network

  const runsNone = (network: string, running: readonly Job[]) => running.every((job) => networkOf(job) !== network)

  const hasIdleNetwork = (job: Job, running: readonly Job[]) =>
    !uses.isHeavy(networkOf(job)) && runsNone(networkOf(job), running)

  const fitsLargeReserve = (job: Job, running: readonly Job[]) =>
    job.estimatedBytes <= largeReserveBytes && estimateMs(job) <= MAX_RESERVED_MS && hasIdleNetwork(job, running)

  /** The reserve takes no job that is not quick while a small one that is not quick runs: it is kept for quick ones. */
  const fitsReserve = (job: Job, running: readonly Job[]) =>
    hasIdleNetwork(job, running) && running.every((other) => isQuick(job) || isQuick(other) || !isSmall(other))

  const canStart = (job: Job, running: readonly Job[]) =>
    running.length < processes || (hasReserve && running.length === processes && fitsReserve(job, running))

  /**
   * All running jobs together take at most the maximum memory of one job, plus the share of small jobs. While a large
   * job waits, small jobs stay within their share, so they cannot delay it for long. While others wait, large jobs take
   * half of the processes.
   */
  function fits(job: Job, running: readonly Job[]): boolean {
    const runningLarge = running.filter((other) => !isSmall(other))
    const total = sumEstimates(running) + job.estimatedBytes
    if (total > maxEstimatedBytes + maxSmallBytes) return false
    if (isSmall(job)) return large.size() === 0 || total - sumEstimates(runningLarge) <= maxSmallBytes
    const maxLarge = quick.size() + medium.size() > 0 ? Math.ceil(processes / 2) : processes
    return runningLarge.length < maxLarge && sumEstimates(runningLarge) + job.estimatedBytes <= maxEstimatedBytes
  }

  /** Returns the next job of one kind, if it can start. No large job overtakes the first large one. */
  function findNext(turns: typeof large, running: readonly Job[]): Job | undefined {
    const canOvertake = turns !== large
    const job = turns.find((job) => canStart(job, running) && (!canOvertake || fits(job, running)))
    return job && fits(job, running) ? job : undefined
  }

  /** Whether the job of another network should queue again, so that this one can start sooner. */
  function mayPreempt(job: Job, other: Job): boolean {
    const willUseMs = uses.readMs(networkOf(job)) + estimateMs(job)
    return runsNone(networkOf(job), listRunning()) && uses.readMs(networkOf(other)) > PREEMPT_FACTOR * willUseMs
  }

  function remove(job: Job): void {
    queued.delete(job)
    for (const turns of [turnsOf(job), byNumber, byBytes]) turns.remove(job.client, job)
  }

  return {
    add(job: Job): void {
      queued.add(job)
      const isBefore = (other: Job) => Boolean(other.isContinued) || !job.isContinued
      for (const turns of [turnsOf(job), byNumber, byBytes]) turns.add(job.client, job, isBefore)
      const network = networkOf(job)
      lastBytes.delete(network)
      lastBytes.set(network, job.heldBytes ?? 0)
      const [oldest = ''] = lastBytes.keys()
      if (lastBytes.size > MAX_NETWORKS) lastBytes.delete(oldest)
    },
    remove,
    /** Removes and returns the next job. */
    takeNext(): Job | undefined {
      const running = listRunning()
      const hasProcess = running.length < processes
      const take = (turns: typeof large, job: Job) => {
        turns.endTurn(job.client)
        remove(job)
        return job
      }
      for (const turns of running.length < processes + Number(hasReserve) ? order : []) {
        const job = findNext(turns, running)
        if (!job) continue
        // The reserve is no turn.
        if (hasProcess) order = [...order.filter((other) => other !== turns), turns]
        return take(turns, job)
      }
      if (reserved && startedAt.has(reserved)) return undefined
      reserved = large.find((job) => fitsLargeReserve(job, running))
      return reserved && take(large, reserved)
    },
    /** Returns a running job of a network that used much, if one of a network that used little could start instead. */
    findPreempted(): Job | undefined {
      const running = listRunning()
      return running.find((other) => {
        const network = networkOf(other)
        // Searching the queue takes much longer.
        if (uses.readMs(network) <= PREEMPT_MS) return false
        const isOldest = running.find((job) => networkOf(job) === network) === other
        const minRunMs = isOldest ? Math.min(MAX_MIN_RUN_MS, MIN_RUN_MS * 2 ** (other.preemptions ?? 0)) : MIN_RUN_MS
        if (clock() - startedAt.get(other)! < minRunMs) return false
        const rest = running.filter((job) => networkOf(job) !== network)
        return order.some((turns) => {
          const job = findNext(turns, rest)
          return job && mayPreempt(job, other)
        })
      })
    },
    /** To be called when a job that was taken starts and ends. `unusedMs`: the time in which it did not run. */
    start(job: Job): void {
      startedAt.set(job, clock())
      uses.start(job.client)
    },
    end(job: Job, unusedMs?: number): void {
      startedAt.delete(job)
      if (job === reserved) reserved = undefined
      uses.end(job.client, unusedMs)
    },
    /**
     * Lists the jobs to refuse so that there is space for a new one, which may be among them: the newest of the network
     * and client that have most. Each is to be removed before the next is taken. A job that continues was admitted
     * before.
     */
    *listRefused(newcomer: Job): Generator<Job> {
      if (newcomer.isContinued) return
      for (const { admitted, max } of limits)
        while (admitted.size() > max && queued.has(newcomer)) yield admitted.findSurplus(newcomer.client)!
    },
    /**
     * Announces a job of this client that is prepared now, until the result is disposed. Undefined if the job would be
     * refused: if it holds as many bytes as the last one of its network, and the others that were announced come.
     */
    announce(client: GroupPath): Disposable | undefined {
      const job = { client, heldBytes: lastBytes.get(client[0] ?? ''), estimatedBytes: 0 } as Job
      const now = clock()
      const others = [...announced].filter(([, at]) => now - at < ANNOUNCED_FOR_MS).map(([other]) => other)
      // With their groups: what one network announces must not have another refused.
      const isRefused = ({ admitted, max }: (typeof limits)[number]) => {
        for (const other of [...others, job]) admitted.add(other.client, other)
        const isSurplus = admitted.size() > max && admitted.findSurplus(client) === job
        for (const other of [...others, job]) admitted.remove(other.client, other)
        return isSurplus
      }
      const present = listRunning()
      const hasProcess = present.length < processes || canStart(job, [...present, ...others])
      if (!hasProcess && limits.some(isRefused)) return undefined
      announced.set(job, now)
      return { [Symbol.dispose]: () => void announced.delete(job) }
    },
    list: () => [...queued],
    size: () => queued.size,
  }
}

import { createTurns, type GroupPath } from './fair-semaphore.ts'

export interface QueuedJob {
  /** The client and its networks take turns. */
  readonly client: GroupPath
  /** Memory that the job takes while it runs. */
  readonly estimatedBytes: number
  /** The second part of a job that was admitted before. It runs before jobs that its client has not started yet. */
  readonly isContinued?: boolean
}

export interface FairQueueOptions {
  readonly processes: number
  /** One more process for networks that have nothing running, so no network holds all processes. Default: true. */
  readonly hasReserve?: boolean | undefined
  /** Memory of the largest job that is allowed. */
  readonly maxEstimatedBytes: number
}

/** Jobs up to this share of the maximum are small. The same share is reserved for them in addition. */
export const SMALL_SHARE = 1 / 16

/** The estimate for a job whose memory is not known yet: every process can start one within the share of small jobs. */
export const computeStartBytes = ({ processes, hasReserve = true, maxEstimatedBytes }: FairQueueOptions) =>
  Math.floor((maxEstimatedBytes * SMALL_SHARE) / (processes + Number(hasReserve)))

const sumEstimates = (jobs: readonly QueuedJob[]) => jobs.reduce((sum, job) => sum + job.estimatedBytes, 0)

/** Decides which job runs next. Fair by client, and a large job delays only other large jobs. */
export function createFairQueue<Job extends QueuedJob>(options: FairQueueOptions) {
  const { processes, hasReserve = true, maxEstimatedBytes } = options
  const small = createTurns<Job>()
  const large = createTurns<Job>()
  const maxSmallBytes = maxEstimatedBytes * SMALL_SHARE
  const isSmall = ({ estimatedBytes }: QueuedJob) => estimatedBytes <= maxSmallBytes
  const turnsOf = (job: Job) => (isSmall(job) ? small : large)
  let order = [small, large]

  const hasProcess = ({ client: [network] }: Job, running: readonly Job[]) =>
    running.length < processes ||
    (hasReserve && running.length === processes && !running.some(({ client }) => client[0] === network))

  /**
   * All running jobs together take at most the maximum memory of one job, plus the share of small jobs. While a large
   * job waits, small jobs stay within their share, so they cannot delay it for long.
   */
  function fits(job: Job, running: readonly Job[]): boolean {
    const runningLarge = running.filter((other) => !isSmall(other))
    const total = sumEstimates(running) + job.estimatedBytes
    if (total > maxEstimatedBytes + maxSmallBytes) return false
    if (!isSmall(job))
      return runningLarge.length < processes && sumEstimates(runningLarge) + job.estimatedBytes <= maxEstimatedBytes
    return large.size() === 0 || total - sumEstimates(runningLarge) <= maxSmallBytes
  }

  const list = () => [...large.list(), ...small.list()]

  function remove(job: Job): void {
    turnsOf(job).remove(job.client, job)
  }

  return {
    add: (job: Job) => turnsOf(job).add(job.client, job, (other) => Boolean(other.isContinued) || !job.isContinued),
    remove,
    /** Removes and returns the next job. Small and large jobs alternate. No large job overtakes the first large one. */
    takeNext(running: readonly Job[]): Job | undefined {
      for (const turns of order) {
        const canOvertake = turns === small
        const job = turns.find((job) => hasProcess(job, running) && (!canOvertake || fits(job, running)))
        if (!job || !fits(job, running)) continue
        order = canOvertake ? [large, small] : [small, large]
        turns.endTurn(job.client)
        remove(job)
        return job
      }
      return undefined
    },
    /** The job to refuse if the queue is full: the newest of the network and client that have most waiting. */
    chooseRefused(newcomer: Job): Job {
      const turns = createTurns<Job>()
      for (const job of list()) if (!job.isContinued) turns.add(job.client, job)
      return turns.findSurplus(newcomer.client) ?? newcomer
    },
    has: (job: Job) => turnsOf(job).list().includes(job),
    list,
    size: () => small.size() + large.size(),
  }
}

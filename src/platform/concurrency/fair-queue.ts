import { createTurns, type GroupPath } from './turns.ts'

export interface QueuedJob {
  /** The client and its networks take turns. */
  readonly client: GroupPath
  /** What the job costs while it runs, such as the pixels of an image. */
  readonly weight: number
  /** The second part of a job that was admitted before. It runs before jobs that its client has not started yet. */
  readonly isContinued?: boolean
}

export interface FairQueueOptions {
  readonly processes: number
  /** One more process for networks that have nothing running, so no network holds all processes. Default: true. */
  readonly hasReserve?: boolean | undefined
  /** The heaviest job that is allowed. */
  readonly maxWeight: number
}

/** Jobs up to this share of the maximum weight are small. As much again is reserved for small jobs. */
export const SMALL_SHARE = 1 / 16

/** The weight of a job whose weight is not known yet: every process can start one within the share of small jobs. */
export const computeStartWeight = ({ processes, hasReserve = true, maxWeight }: FairQueueOptions) =>
  Math.floor((maxWeight * SMALL_SHARE) / (processes + Number(hasReserve)))

const sumWeights = (jobs: readonly QueuedJob[]) => jobs.reduce((sum, job) => sum + job.weight, 0)

/** Decides which job runs next. Fair by client, and a large job delays only other large jobs. */
export function createFairQueue<Job extends QueuedJob>({ processes, hasReserve = true, maxWeight }: FairQueueOptions) {
  const small = createTurns<Job>()
  const large = createTurns<Job>()
  const maxSmallWeight = maxWeight * SMALL_SHARE
  const isSmall = ({ weight }: QueuedJob) => weight <= maxSmallWeight
  const turnsOf = (job: Job) => (isSmall(job) ? small : large)
  let order = [small, large]

  const hasProcess = ({ client: [network] }: Job, running: readonly Job[]) =>
    running.length < processes ||
    (hasReserve && running.length === processes && !running.some(({ client }) => client[0] === network))

  /**
   * Weight represents memory: running jobs together weigh at most as much as one job may, plus the share of small ones.
   * While a large job waits, small jobs stay within their share, so they cannot delay it for long.
   */
  function fits(job: Job, running: readonly Job[]): boolean {
    const runningLarge = running.filter((other) => !isSmall(other))
    const total = sumWeights(running) + job.weight
    if (total > maxWeight + maxSmallWeight) return false
    if (!isSmall(job)) return runningLarge.length < processes && sumWeights(runningLarge) + job.weight <= maxWeight
    return large.size() === 0 || total - sumWeights(runningLarge) <= maxSmallWeight
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

import { createFairSemaphore } from '../../platform/concurrency/index.ts'

export interface QueueOptions {
  /** Jobs under way at once; a job is a picture on its way from its source to its result. */
  jobs: number
  /** Jobs that may wait. */
  waiting: number
  /** How long one waits. */
  waitMs: number
  /** A job that runs longer is overdue; where all places are taken by such, the queue is stuck. */
  stuckAfterMs: number
}

const MAX_RETRY_AFTER = 60
// Of the last duration in the running mean: about twenty jobs are remembered.
const SHARE_OF_LAST = 0.05

/** Fair by caller: places go round the callers, and one caller never holds more than three in four. */
export function createQueue({ jobs, waiting, waitMs, stuckAfterMs }: QueueOptions) {
  let meanMs = 1000
  const semaphore = createFairSemaphore({
    maxRunning: jobs,
    maxRunningPerKey: Math.ceil(jobs * 0.75),
    maxWaiting: waiting,
    waitTimeoutMs: waitMs,
    computeRetryAfter: (ahead) => Math.min(MAX_RETRY_AFTER, Math.ceil(((ahead + 1) * meanMs) / jobs / 1000)),
  })
  const started = new Set<{ at: number }>()

  return {
    async run<T>(caller: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
      using _slot = await semaphore.acquire(caller, signal)
      const job = { at: performance.now() }
      started.add(job)
      try {
        return await work()
      } finally {
        started.delete(job)
        meanMs += SHARE_OF_LAST * (performance.now() - job.at - meanMs)
      }
    },
    status() {
      const overdue = started.values().reduce((n, { at }) => n + Number(performance.now() - at > stuckAfterMs), 0)
      return { ...semaphore.status(), overdue, stuck: overdue >= jobs }
    },
  }
}

import { createFairSemaphore } from '../../platform/concurrency/index.ts'

export interface JobQueueOptions {
  /** Concurrent jobs. A job takes an image from its source to its result. */
  jobs: number
  /** Jobs that may wait. */
  waiting: number
  waitTimeoutMs: number
  /** A job that runs longer is overdue. If all are overdue, the queue is stuck. */
  stuckAfterMs: number
}

const MAX_RETRY_AFTER = 60
/** The moving average of durations covers about the last twenty jobs. */
const AVERAGE_SHARE = 0.05

/** Limits concurrent jobs. Fair by client: slots go round, and one client holds at most three quarters of them. */
export function createJobQueue({ jobs, waiting, waitTimeoutMs, stuckAfterMs }: JobQueueOptions) {
  let averageMs = 1000
  const semaphore = createFairSemaphore({
    maxRunning: jobs,
    maxRunningPerKey: Math.ceil(jobs * 0.75),
    maxWaiting: waiting,
    waitTimeoutMs,
    computeRetryAfter: (ahead) => Math.min(MAX_RETRY_AFTER, Math.ceil(((ahead + 1) * averageMs) / jobs / 1000)),
  })
  const running = new Set<{ startedAt: number }>()

  return {
    /** Waits for a slot. Disposing the job releases it. */
    async start(client: string, signal: AbortSignal): Promise<Disposable> {
      const slot = await semaphore.acquire(client, signal)
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

/** Leaves one of Node's four I/O threads to requests. */
const MAX_RUNNING = 3
const PROGRESS_INTERVAL_MS = 200

type Job = () => Promise<void>

export type OnProgress = (done: number, total: number) => void

export type ReadQueue = ReturnType<typeof createReadQueue>

/** Reads a few files at a time, however many wait. */
export function createReadQueue(onIdle: () => void, onProgress: OnProgress | undefined) {
  const waiting: Job[] = []
  const timers = new Set<NodeJS.Timeout>()
  let idle = Promise.withResolvers<void>()
  let running = 0
  let done = 0
  let reportedAt = 0
  let isClosed = false

  const countRemaining = () => waiting.length + running + timers.size

  function add(job: Job): void {
    if (isClosed) return
    waiting.push(job)
    start()
  }

  function start(): void {
    while (running < MAX_RUNNING && waiting.length > 0) {
      running++
      // The order does not matter, and taking the last job of 100,000 is fast.
      void run(waiting.pop()!)
    }
  }

  async function run(job: Job): Promise<void> {
    await job()
    running--
    done++
    start()
    const isIdle = countRemaining() === 0
    if (isIdle || Date.now() - reportedAt >= PROGRESS_INTERVAL_MS) {
      reportedAt = Date.now()
      onProgress?.(done, done + countRemaining())
    }
    if (!isIdle) return
    done = 0
    onIdle()
    idle.resolve()
    idle = Promise.withResolvers()
  }

  /** Resolves when no job waits or runs. */
  async function whenIdle(): Promise<void> {
    while (countRemaining() > 0) await idle.promise
  }

  return {
    add,
    addLater(ms: number, job: Job): void {
      if (isClosed) return
      const timer = setTimeout(() => {
        timers.delete(timer)
        add(job)
      }, ms)
      timers.add(timer)
    },
    whenIdle,
    isIdle: () => countRemaining() === 0,
    /** Drops waiting jobs; resolves when running ones have ended. */
    async close(): Promise<void> {
      isClosed = true
      waiting.length = 0
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
      if (running === 0) idle.resolve()
      await whenIdle()
    },
  }
}

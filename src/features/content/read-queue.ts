import type { Progress } from './types.ts'

/** Leaves one of Node's four I/O threads to requests. */
const MAX_RUNNING = 3
const PROGRESS_INTERVAL_MS = 200

type Job = () => Promise<void>

/** Reads a few files at a time, however many wait. */
export class ReadQueue {
  readonly #waiting: Job[] = []
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #onProgress: ((progress: Progress) => void) | undefined
  readonly #onIdle: () => void
  #idle: PromiseWithResolvers<void> | undefined
  #next = 0
  #running = 0
  #done = 0
  #reportedAt = 0
  #isClosed = false

  constructor(onIdle: () => void, onProgress?: (progress: Progress) => void) {
    this.#onIdle = onIdle
    this.#onProgress = onProgress
  }

  get progress(): Progress {
    return { done: this.#done, total: this.#done + this.#remaining }
  }

  get #remaining() {
    return this.#waiting.length - this.#next + this.#running + this.#timers.size
  }

  add(job: Job): void {
    if (this.#isClosed) return
    this.#waiting.push(job)
    this.#idle ??= Promise.withResolvers()
    this.#start()
  }

  addLater(ms: number, job: Job): void {
    if (this.#isClosed) return
    this.#idle ??= Promise.withResolvers()
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.add(job)
    }, ms)
    this.#timers.add(timer)
  }

  /** Resolves when no job waits or runs. */
  async whenIdle(): Promise<void> {
    while (this.#remaining > 0) await this.#idle?.promise
  }

  /** Drops waiting jobs; resolves when running ones have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#waiting.length = this.#next
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    if (this.#remaining === 0) this.#idle?.resolve()
    await this.whenIdle()
  }

  #start(): void {
    while (this.#running < MAX_RUNNING && this.#next < this.#waiting.length) {
      this.#running++
      void this.#run(this.#waiting[this.#next++]!)
    }
  }

  async #run(job: Job): Promise<void> {
    await job()
    this.#running--
    this.#done++
    this.#start()
    const isIdle = this.#remaining === 0
    if (isIdle || Date.now() - this.#reportedAt >= PROGRESS_INTERVAL_MS) {
      this.#reportedAt = Date.now()
      this.#onProgress?.(this.progress)
    }
    if (!isIdle) return
    this.#waiting.length = this.#next = this.#done = 0
    this.#onIdle()
    this.#idle?.resolve()
    this.#idle = undefined
  }
}

/** Never runs `work` twice at a time. Calls during a run share one further run after it. */
export function runOneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const run = (): Promise<void> => {
    if (running) {
      next ??= running.then(() => {
        next = undefined
        return run()
      })
      return next
    }
    running = work().finally(() => {
      running = undefined
    })
    return running
  }
  return run
}

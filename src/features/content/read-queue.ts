/** Leaves one of Node's four I/O threads to requests. */
const MAX_RUNNING = 3
const PROGRESS_INTERVAL_MS = 200

type Job = () => Promise<void>

export type OnProgress = (done: number, total: number) => void

/** Reads a few files at a time, however many wait. */
export class ReadQueue {
  readonly #waiting: Job[] = []
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #onProgress: OnProgress | undefined
  readonly #onIdle: () => void
  #idle = Promise.withResolvers<void>()
  #running = 0
  #done = 0
  #reportedAt = 0
  #isClosed = false

  constructor(onIdle: () => void, onProgress: OnProgress | undefined) {
    this.#onIdle = onIdle
    this.#onProgress = onProgress
  }

  get #remaining() {
    return this.#waiting.length + this.#running + this.#timers.size
  }

  add(job: Job): void {
    if (this.#isClosed) return
    this.#waiting.push(job)
    this.#start()
  }

  addLater(ms: number, job: Job): void {
    if (this.#isClosed) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.add(job)
    }, ms)
    this.#timers.add(timer)
  }

  /** Resolves when no job waits or runs. */
  async whenIdle(): Promise<void> {
    while (this.#remaining > 0) await this.#idle.promise
  }

  /** Drops waiting jobs; resolves when running ones have ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#waiting.length = 0
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    if (this.#running === 0) this.#idle.resolve()
    await this.whenIdle()
  }

  #start(): void {
    while (this.#running < MAX_RUNNING && this.#waiting.length > 0) {
      this.#running++
      // The order does not matter, and taking the last job of 100,000 is fast.
      void this.#run(this.#waiting.pop()!)
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
      this.#onProgress?.(this.#done, this.#done + this.#remaining)
    }
    if (!isIdle) return
    this.#done = 0
    this.#onIdle()
    this.#idle.resolve()
    this.#idle = Promise.withResolvers()
  }
}

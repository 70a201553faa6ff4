import type { Progress } from './types.ts'

/** One of the four threads that Node reads files and decodes with stays free for requests. */
const AT_ONCE = 3
const PROGRESS_MS = 200

type Job = () => Promise<void>

/** Reads files a few at a time, however many wait. */
export class Jobs {
  readonly #waiting: Job[] = []
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #onProgress: ((progress: Progress) => void) | undefined
  readonly #onIdle: () => void
  #idle: PromiseWithResolvers<void> | undefined
  #next = 0
  #running = 0
  #done = 0
  #toldAt = 0
  #closed = false

  constructor(onIdle: () => void, onProgress?: (progress: Progress) => void) {
    this.#onIdle = onIdle
    this.#onProgress = onProgress
  }

  get progress(): Progress {
    return { done: this.#done, total: this.#done + this.#left }
  }

  get #left() {
    return this.#waiting.length - this.#next + this.#running + this.#timers.size
  }

  add(job: Job): void {
    if (this.#closed) return
    this.#waiting.push(job)
    this.#idle ??= Promise.withResolvers()
    this.#start()
  }

  addLater(ms: number, job: Job): void {
    if (this.#closed) return
    this.#idle ??= Promise.withResolvers()
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.add(job)
    }, ms)
    this.#timers.add(timer)
  }

  /** Resolves when nothing waits or runs. */
  async idle(): Promise<void> {
    while (this.#left > 0) await this.#idle?.promise
  }

  /** Drops what waits; resolves when what runs has ended. */
  async close(): Promise<void> {
    this.#closed = true
    this.#waiting.length = this.#next
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    if (this.#left === 0) this.#idle?.resolve()
    await this.idle()
  }

  #start(): void {
    while (this.#running < AT_ONCE && this.#next < this.#waiting.length) {
      this.#running++
      void this.#run(this.#waiting[this.#next++]!)
    }
  }

  async #run(job: Job): Promise<void> {
    await job()
    this.#running--
    this.#done++
    this.#start()
    const idle = this.#left === 0
    if (idle || Date.now() - this.#toldAt >= PROGRESS_MS) {
      this.#toldAt = Date.now()
      this.#onProgress?.(this.progress)
    }
    if (!idle) return
    this.#waiting.length = this.#next = this.#done = 0
    this.#onIdle()
    this.#idle?.resolve()
    this.#idle = undefined
  }
}

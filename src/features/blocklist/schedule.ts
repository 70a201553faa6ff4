import { lastCheckOf } from './origin.ts'
import { type UpdateOptions, updateBlocklist } from './update.ts'

/** Of the time between two: nodes that were started together do not ask together. */
const JITTER = 0.1
/** After a failure the next try comes this much sooner, then less and less so. */
const SOONER = 1 / 16
/** What a timer can wait for. */
const LONGEST_MS = 2 ** 31 - 1

export interface ScheduleOptions extends Omit<UpdateOptions, 'force' | 'signal' | 'onProgress'> {
  /** From one update to the next. */
  readonly everyMs: number
}

export interface Schedule extends Disposable {
  /** What was wrong with the last try. */
  problem(): string | undefined
  stop(): void
}

/** Updates the list time and again, the first time when its last check is that long ago; a failure leaves the old list. */
export function scheduleUpdates({ everyMs, ...options }: ScheduleOptions): Schedule {
  const stopped = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  let problem: string | undefined

  const wait = (ms: number) => {
    if (stopped.signal.aborted) return
    const jittered = ms * (1 - JITTER + 2 * JITTER * Math.random())
    timer = setTimeout(update, Math.min(jittered, LONGEST_MS))
    timer.unref()
  }

  const update = async () => {
    try {
      await updateBlocklist({ ...options, signal: stopped.signal })
      failures = 0
      problem = undefined
    } catch (error) {
      if (stopped.signal.aborted) return
      failures += 1
      problem = `the blocking list was not updated: ${(error as Error).message}`
      options.log.warn({ failures }, problem)
    }
    wait(failures === 0 ? everyMs : everyMs * Math.min(1, SOONER * 2 ** (failures - 1)))
  }

  const start = async () => {
    const last = await lastCheckOf(options.target, options.source)
    wait(Math.min(everyMs, Math.max(0, (last ?? 0) + everyMs - Date.now())))
  }
  void start()

  const stop = () => {
    stopped.abort()
    clearTimeout(timer)
  }
  return { problem: () => problem, stop, [Symbol.dispose]: stop }
}

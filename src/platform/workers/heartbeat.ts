import type { Log } from '../logging/index.ts'
import type { WorkerProcess } from './worker-process.ts'

/** What is known of a worker that crashes is at most so old; a worker answers in a few milliseconds. */
const EVERY_MS = 4000
/**
 * A worker is given up after 16 to 20 seconds of silence: longer than any pause that passes (loading a list, a garbage
 * collection in swapped memory), and shorter than the patience of whoever waits for the service.
 */
const MAX_UNANSWERED = 4

export interface PulseOptions {
  readonly everyone: ReadonlySet<WorkerProcess>
  /** Something that a worker answers. */
  ask(worker: WorkerProcess): void
  readonly log: Log
  readonly everyMs?: number
}

/**
 * Ends workers whose event loop stands still; they cannot hear that they shall stop. Rounds are counted, not time: where
 * the machine slept or the primary itself stood still, no round went by, and what the workers said meanwhile is heard
 * before the next.
 */
export function watchPulse({ everyone, ask, log, everyMs = EVERY_MS }: PulseOptions) {
  const unanswered = new WeakMap<WorkerProcess, number>()

  const look = (worker: WorkerProcess) => {
    const rounds = unanswered.get(worker) ?? 0
    unanswered.set(worker, rounds + 1)
    if (rounds < MAX_UNANSWERED) return ask(worker)
    if (rounds > MAX_UNANSWERED) return
    const { number, pid } = worker
    log.error({ worker: number, pid, seconds: (rounds * everyMs) / 1000 }, 'a worker does not answer; it is killed')
    worker.kill()
  }
  const timer = setInterval(() => {
    // One that was told to stop has its own deadline.
    for (const worker of everyone) if (worker.isReady()) look(worker)
  }, everyMs)

  return {
    heard: (worker: WorkerProcess) => void unanswered.delete(worker),
    close: () => clearInterval(timer),
  }
}

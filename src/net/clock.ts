import { ImageTimeout } from '../errors.ts'

export interface Clock extends Disposable {
  /** Aborts when the caller hangs up, or with an ImageTimeout when the time is up. */
  readonly signal: AbortSignal
  /** A shorter limit on one part; running over it ends the whole exchange. */
  within<T>(limitMs: number, part: Promise<T>): Promise<T>
  elapsedMs(): number
}

/** One deadline over everything that is done under it: a source that sends a byte a second never outlives it. */
export function startClock(caller: AbortSignal, limitMs: number): Clock {
  const started = performance.now()
  const expired = new AbortController()
  const expireAfter = (ms: number) => setTimeout(() => expired.abort(new ImageTimeout(Math.ceil(ms))), ms)
  const deadline = expireAfter(limitMs)
  return {
    signal: AbortSignal.any([caller, expired.signal]),
    async within(ms, part) {
      const limit = expireAfter(ms)
      try {
        return await part
      } finally {
        clearTimeout(limit)
      }
    },
    elapsedMs: () => performance.now() - started,
    [Symbol.dispose]: () => clearTimeout(deadline),
  }
}

import { ImageTimeout } from '../../errors/index.ts'

export interface Clock extends Disposable {
  /** Aborts when the caller hangs up, or with an ImageTimeout when the time is up. */
  readonly signal: AbortSignal
  /** A shorter limit on one part; running over it ends the whole exchange. */
  within<T>(limitMs: number, part: Promise<T>): Promise<T>
  /** Of the whole limit, with what was spent before. */
  spentMs(): number
}

/**
 * One deadline over everything that is done under it: a source that sends a byte a second never outlives it.
 * `spentMs` goes on from a clock before.
 */
export function startClock(caller: AbortSignal, limitMs: number, spentMs: number): Clock {
  const started = performance.now() - spentMs
  const expired = new AbortController()
  const expireAfter = (ms: number, said: number) => setTimeout(() => expired.abort(new ImageTimeout(said)), ms)
  const deadline = expireAfter(limitMs - spentMs, limitMs)
  return {
    signal: AbortSignal.any([caller, expired.signal]),
    async within(ms, part) {
      const limit = expireAfter(ms, ms)
      try {
        return await part
      } finally {
        clearTimeout(limit)
      }
    },
    spentMs: () => performance.now() - started,
    [Symbol.dispose]: () => clearTimeout(deadline),
  }
}

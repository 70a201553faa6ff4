import { FetchError } from './fetch-error.ts'

export interface Deadline extends Disposable {
  /** Aborts if the caller aborts, or with a `timeout` FetchError when the time is up. */
  readonly signal: AbortSignal
  /** Sets a shorter limit on one part. If the part exceeds it, the whole fetch ends. */
  within<T>(limitMs: number, part: Promise<T>): Promise<T>
  spentMs(): number
}

/**
 * Starts one deadline over all that follows: a source that sends one byte per second cannot exceed it. `spentMs` is time
 * that counts already, from earlier hops.
 */
export function startDeadline(callerSignal: AbortSignal, limitMs: number, spentMs: number): Deadline {
  const startedAt = performance.now() - spentMs
  const expired = new AbortController()
  const expireAfter = (ms: number, max: number) =>
    setTimeout(() => expired.abort(new FetchError('timeout', { max })), ms)
  const timer = expireAfter(limitMs - spentMs, limitMs)
  return {
    signal: AbortSignal.any([callerSignal, expired.signal]),
    async within(ms, part) {
      const partTimer = expireAfter(ms, ms)
      try {
        return await part
      } finally {
        clearTimeout(partTimer)
      }
    },
    spentMs: () => performance.now() - startedAt,
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}

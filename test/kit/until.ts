import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { passTurns } from './turns.ts'

const FIRST_PAUSE_MS = 10
/** Pauses grow up to this: a condition that asks a browser or a service takes milliseconds of CPU time. */
const MAX_PAUSE_MS = 100

/**
 * Waits for a condition; throws with its source after the timeout. Rounds that a busy machine delays count only partly, so
 * that a promise such as "within two seconds" can be tested on any machine.
 */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS
  for (let left = timeoutMs; ; pauseMs = Math.min(1.2 * pauseMs, MAX_PAUSE_MS)) {
    const begun = performance.now()
    if (await condition()) return
    if (left <= 0) throw new Error(`not within ${timeoutMs} ms: ${condition}`)
    await sleep(pauseMs)
    // A longer round means that the machine is busy: only this much of it counts towards the timeout.
    left -= Math.min(performance.now() - begun, 2 * pauseMs)
  }
}

/** Waits until a value equals the expected one; throws with the difference after the timeout. */
export async function untilEqual<T>(actual: () => T | Promise<T>, expected: T, timeoutMs?: number): Promise<void> {
  let last: T | undefined
  const isThere = async () => {
    last = await actual()
    return isDeepStrictEqual(last, expected)
  }
  await until(isThere, timeoutMs).catch(() => assert.deepEqual(last, expected))
}

/**
 * Returns what a call resolves to; throws if a timer of this time ends before the call. Time is not measured: the machine may
 * stop for seconds, but then timers that are due earlier still end earlier.
 */
export async function within<T>(ms: number, call: () => Promise<T>): Promise<T> {
  const ended = new AbortController()
  // A call that waits for a timer may need a few turns after it.
  const tooLate = sleep(ms, undefined, { signal: ended.signal })
    .then(() => passTurns())
    .then(() => Promise.reject(new Error(`not within ${ms} ms: ${call}`)))
  try {
    return await Promise.race([call(), tooLate])
  } finally {
    tooLate.catch(() => {})
    ended.abort()
  }
}

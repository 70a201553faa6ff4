import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

const PAUSE_MS = 20
/** A longer round means that the machine is busy: only this much of it counts towards the timeout. */
const MAX_ROUND_MS = 2 * PAUSE_MS

/**
 * Waits for a condition; throws with its source after the timeout. Rounds that a busy machine delays count only partly, so
 * that a promise such as "within two seconds" can be tested on any machine.
 */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  for (let left = timeoutMs; ; ) {
    const begun = performance.now()
    if (await condition()) return
    if (left <= 0) throw new Error(`not within ${timeoutMs} ms: ${condition}`)
    await sleep(PAUSE_MS)
    left -= Math.min(performance.now() - begun, MAX_ROUND_MS)
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

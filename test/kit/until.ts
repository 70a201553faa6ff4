import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

const PAUSE_MS = 20
/** A round that takes longer shows a machine that is busy with something else: no more of it counts. */
const MAX_MS = 2 * PAUSE_MS

/**
 * Waits for a condition; a test that needs it fails with its name when the time is up. The time is that of a machine
 * that keeps up, so that a promise such as "within two seconds" can be held against a service on any.
 */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  for (let left = timeoutMs; ; ) {
    const begun = performance.now()
    if (await condition()) return
    if (left <= 0) throw new Error(`not within ${timeoutMs} ms: ${condition}`)
    await sleep(PAUSE_MS)
    left -= Math.min(performance.now() - begun, MAX_MS)
  }
}

/** Waits until a value is the expected one; a test that needs it fails with the difference. */
export async function untilEqual<T>(actual: () => T | Promise<T>, expected: T, timeoutMs?: number): Promise<void> {
  let last: T | undefined
  const isThere = async () => {
    last = await actual()
    return isDeepStrictEqual(last, expected)
  }
  await until(isThere, timeoutMs).catch(() => assert.deepEqual(last, expected))
}

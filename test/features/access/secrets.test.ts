import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRevisionCache } from '../../../src/features/access/secrets.ts'

/** A store that reads its data when it is called, and answers when the test says so. */
function slowStore() {
  const state = { revision: 1, value: 'old' }
  const pending: (() => void)[] = []
  const delay = <T>(value: T) => new Promise<T>((resolve) => pending.push(() => resolve(value)))
  const cache = createRevisionCache({
    revision: () => delay(state.revision),
    load: () => delay(state.value),
    keepWhenUnavailable: false,
  })
  const answer = async () => {
    pending.shift()?.()
    await new Promise(setImmediate)
  }
  const answerAll = async () => {
    while (pending.length > 0) await answer()
  }
  return { state, cache, answer, answerAll }
}

test('after invalidate an answer that was requested earlier is not cached', async () => {
  const { state, cache, answer, answerAll } = slowStore()
  const before = cache.get()
  await answer()
  Object.assign(state, { revision: 2, value: 'new' })
  cache.invalidate()
  const after = cache.get()
  await answerAll()
  assert.deepEqual([await before, await after, await cache.get()], ['old', 'new', 'new'])
})

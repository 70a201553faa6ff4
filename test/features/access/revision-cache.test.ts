import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKnown } from '../../../src/features/access/revision-cache.ts'

/** A store whose content is read when it is asked for, and answered with when the test says so. */
function slowStore() {
  const state = { revision: 1, value: 'old' }
  const held: (() => void)[] = []
  const later = <T>(value: T) => new Promise<T>((resolve) => held.push(() => resolve(value)))
  const known = createKnown({
    revision: () => later(state.revision),
    load: () => later(state.value),
    keepWhenAway: false,
  })
  const answer = async () => {
    held.shift()?.()
    await new Promise(setImmediate)
  }
  const answerAll = async () => {
    while (held.length > 0) await answer()
  }
  return { state, known, answer, answerAll }
}

test('what this node changed is known at once, also while an answer from before is on its way', async () => {
  const { state, known, answer, answerAll } = slowStore()
  const before = known.current()
  await answer()
  Object.assign(state, { revision: 2, value: 'new' })
  known.doubt()
  const after = known.current()
  await answerAll()
  assert.deepEqual([await before, await after, await known.current()], ['old', 'new', 'new'])
})

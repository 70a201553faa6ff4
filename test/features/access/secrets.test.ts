import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSecret, createSecretIndex } from '../../../src/features/access/secrets.ts'

test('after invalidate an answer that was requested earlier is not cached', async () => {
  const { secret, hash } = createSecret('test_')
  const state = { revision: 1, label: 'old' }
  // The store reads its data when it is called, and answers when the test says so.
  const pending: (() => void)[] = []
  const delay = <T>(value: T) => new Promise<T>((resolve) => pending.push(() => resolve(value)))
  const answer = async () => {
    pending.shift()?.()
    await new Promise(setImmediate)
  }
  const index = createSecretIndex(
    { revision: () => delay(state.revision), list: () => delay([{ id: 'a', hash, label: state.label }]) },
    { getHash: (record) => record.hash, keepWhenUnavailable: false, deletesRevoked: true, revokeAgain: async () => {} },
  )
  const before = index.find(secret)
  await answer()
  Object.assign(state, { revision: 2, label: 'new' })
  index.invalidate()
  const after = index.find(secret)
  while (pending.length > 0) await answer()
  const found = await Promise.all([before, after, index.find(secret)])
  assert.deepEqual(
    found.map((record) => record?.label),
    ['old', 'new', 'new'],
  )
})

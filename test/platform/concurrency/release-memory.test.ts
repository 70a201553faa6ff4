import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryRelease } from '../../../src/platform/concurrency/release-memory.ts'

test('garbage is collected at most once a minute', () => {
  let collections = 0
  const release = createMemoryRelease(() => collections++)
  release()
  release()
  assert.equal(collections, 1)
})

test('an object that nobody uses is collected', () => {
  const weak = new WeakRef({})
  const release = createMemoryRelease()
  return new Promise<void>((resolve) => {
    // A WeakRef holds its object until the end of the turn.
    setImmediate(() => {
      release()
      assert.equal(weak.deref(), undefined)
      resolve()
    })
  })
})

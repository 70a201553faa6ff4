import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCollector } from '../../../src/platform/concurrency/index.ts'

test('an object that nobody uses is collected', () => {
  const weak = new WeakRef({})
  const collect = createCollector()
  return new Promise<void>((resolve) => {
    // A WeakRef holds its object until the end of the turn.
    setImmediate(() => {
      collect()
      assert.equal(weak.deref(), undefined)
      resolve()
    })
  })
})

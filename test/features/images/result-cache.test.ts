import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createResultCache, ignoreCacheErrors } from '../../../src/features/images/result-cache.ts'

test('a result that Redis sent together with others keeps no more memory than its bytes', async () => {
  const values = new Map<string, Buffer>()
  const shared = ignoreCacheErrors(
    {
      // node-redis returns a part of what arrived at once.
      get: async (key) => Buffer.concat([values.get(key)!, Buffer.alloc(60_000)]).subarray(0, values.get(key)!.length),
      set: async (key, bytes) => void values.set(key, bytes),
    },
    undefined,
  )
  const options = { maxBytes: 1_000_000, sharedForMs: 1000 }
  const image = { type: 'image/png', width: 1, height: 1, frameCount: 1, bytes: Buffer.from('image') } as const
  createResultCache(shared, options).write('key', image)
  const result = await createResultCache(shared, options).readSecondLevel('key')
  assert.deepEqual(result, image)
  assert.equal(result?.bytes.buffer.byteLength, image.bytes.length)
})

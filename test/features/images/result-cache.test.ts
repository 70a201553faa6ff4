import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as immediate } from 'node:timers/promises'
import { createResultCache, ignoreCacheErrors } from '../../../src/features/images/result-cache.ts'

const neverAborted = new AbortController().signal

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
  const result = await createResultCache(shared, options).readSecondLevel('key', '192.0.2.1', neverAborted)
  assert.deepEqual(result, image)
  assert.equal(result?.bytes.buffer.byteLength, image.bytes.length)
})

test('many requests for results of the second-level cache read each once and few at a time, in turns', async () => {
  const values = new Map<string, Buffer>()
  const started: string[] = []
  let [running, mostRunning] = [0, 0]
  const shared = ignoreCacheErrors(
    {
      async get(key) {
        started.push(key)
        mostRunning = Math.max(mostRunning, ++running)
        await immediate()
        running--
        return values.get(key)
      },
      set: async (key, bytes) => void values.set(key, bytes),
    },
    undefined,
  )
  const options = { maxBytes: 1_000_000, sharedForMs: 1000 }
  const image = { type: 'image/png', width: 1, height: 1, frameCount: 1, bytes: Buffer.from('image') } as const
  const keys = Array.from({ length: 20 }, (_, i) => `key ${i}`)
  for (const key of [...keys, 'other']) createResultCache(shared, options).write(key, image)
  const { readSecondLevel } = createResultCache(shared, options)
  const requests = keys.flatMap((key) =>
    Array.from({ length: 10 }, () => readSecondLevel(key, '192.0.2.1', neverAborted)),
  )
  const other = readSecondLevel('other', '198.51.100.1', neverAborted)
  assert.deepEqual(await Promise.all([...requests, other]), Array(201).fill(image))
  assert.deepEqual([started.length, mostRunning], [21, 2])
  assert.ok(started.indexOf('result:other') < 3, `started: ${started}`)
})

test('a request that waits long for its turn in that cache, or is cancelled, gets no result', {
  timeout: 10_000,
}, async () => {
  const hanging = Promise.withResolvers<undefined>()
  const shared = ignoreCacheErrors({ get: () => hanging.promise, set: async () => {} }, undefined)
  const { readSecondLevel } = createResultCache(shared, { maxBytes: 1000, sharedForMs: 1000 })
  const first = readSecondLevel('key', '192.0.2.1', neverAborted)
  const cancelled = new AbortController()
  const second = readSecondLevel('key', '192.0.2.1', cancelled.signal)
  cancelled.abort(new Error('cancelled'))
  await assert.rejects(second, /cancelled/)
  assert.equal(await readSecondLevel('key', '192.0.2.1', neverAborted), undefined)
  hanging.resolve(undefined)
  assert.equal(await first, undefined)
})

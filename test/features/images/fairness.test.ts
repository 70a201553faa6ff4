import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Busy } from '../../../src/errors/index.ts'
import type { Engine } from '../../../src/features/images/index.ts'
import { seen } from '../../kit/seen.ts'
import { until } from '../../kit/until.ts'
import { makePicture, smallEngine, startImages } from './kit.ts'

const picture = await makePicture()

test('who asks for what another caller waits for is not sent away with him', async (t) => {
  const { filtered, source, images } = await startImages(
    t,
    (request, response) => void (request.url === '/shared' && response.end(picture)),
    { queue: { jobs: 4, waiting: 10, waitMs: 300 } },
  )
  const calling = new AbortController()
  const { signal } = calling
  // Three places in four, which is all that one caller gets.
  const held = ['/1', '/2', '/3'].map((path) => filtered({ imageUrl: source.url(path), caller: 'a', signal }))
  const gone = held.map((job) => assert.rejects(job, { name: 'AbortError' }))
  await until(() => images.status().running === 3)
  const imageUrl = source.url('/shared')
  const waiting = assert.rejects(filtered({ imageUrl, caller: 'a' }), seen('BUSY'))
  const joined = filtered({ imageUrl, caller: 'b' })
  await waiting
  assert.equal((await joined).notModified, false)
  calling.abort()
  await Promise.all(gone)
})

test('nor is he where the threads are what another waits for in vain', async (t) => {
  const small = smallEngine()
  const { promise: both, resolve } = Promise.withResolvers<void>()
  const callers: (string | undefined)[] = []
  const engine: Engine = {
    ...small,
    async process(job, signal, caller) {
      callers.push(caller)
      if (caller === 'a') {
        await both
        throw new Busy(1)
      }
      return small.process(job, signal, caller)
    },
  }
  const { filtered, source, images } = await startImages(t, (_request, response) => void response.end(picture), {
    engine,
  })
  const waiting = assert.rejects(filtered({ imageUrl: source.url('/1'), caller: 'a' }), seen('BUSY'))
  await until(() => callers.length === 1)
  const joined = filtered({ imageUrl: source.url('/2'), caller: 'b' })
  await until(() => images.status().sourceReads.miss === 2)
  resolve()
  await waiting
  assert.equal((await joined).notModified, false)
  assert.deepEqual(callers, ['a', 'b'])
})

test('nobody waits longer than a silent connection lasts', async (t) => {
  const { filtered, images } = await startImages(t, () => {}, { replyMs: 100 })
  await assert.rejects(filtered(), seen('BUSY'))
  await until(() => images.status().running === 0)
})

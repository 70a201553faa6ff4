import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { ImageUnreachable } from '../../../src/errors/index.ts'
import { createSerialRun } from '../../../src/platform/concurrency/index.ts'
import { matchApiError } from '../../kit/api-error.ts'
import type { Scope } from '../../kit/scope.ts'
import { until } from '../../kit/until.ts'
import { makePicture, startImages } from './kit.ts'

const picture = await makePicture()
const fresh = { 'cache-control': 'max-age=60' }

type Options = Parameters<typeof startImages>[2]
/** Images over a source that answers only on `release`. */
async function startPendingSource(t: Scope, options: Options = {}) {
  const pending: { url: string; response: ServerResponse }[] = []
  const started = await startImages(t, (request, response) => void pending.push({ url: request.url!, response }), {
    ...options,
    fetching: { concurrency: { total: 20, perHost: 20, waiting: 20 }, ...options.fetching },
  })
  const release = () => {
    const { url, response } = pending.shift()!
    response.writeHead(200, fresh).end(picture)
    return url
  }
  return { ...started, pending, release, imageUrl: (name: string) => started.source.url(`/${name}`) }
}

test('identical concurrent requests share one fetch and one computation', async (t) => {
  const { filterImage, engine, requestedPaths, pending, release, images } = await startPendingSource(t, {
    queue: { releaseAfterMs: 60_000, slowAfterMs: 60_000 },
  })
  const all = Array.from({ length: 20 }, () => filterImage())
  await until(() => pending.length === 1)
  assert.equal(images.status().running, 1)
  release()
  const made = await Promise.all(all)
  assert.deepEqual([requestedPaths.length, engine.runs.length], [1, 1])
  assert.deepEqual(made.map(({ cache }) => cache).sort(), ['miss', ...Array(19).fill('shared')])
})

test('two URLs of the same image share one computation', async (t) => {
  const { filterImage, engine, pending, release, imageUrl } = await startPendingSource(t)
  const all = ['a', 'b'].map((name) => filterImage({ imageUrl: imageUrl(name) }))
  await until(() => pending.length === 2)
  release()
  release()
  const made = await Promise.all(all)
  assert.deepEqual([engine.runs.length, made[0]!.etag], [1, made[1]!.etag])
})

test('if one of two clients disconnects, the other gets its image', async (t) => {
  const { filterImage, requestedPaths, pending, release } = await startPendingSource(t)
  const caller = new AbortController()
  const first = assert.rejects(filterImage({ signal: caller.signal }), { name: 'AbortError' })
  const second = filterImage()
  await until(() => pending.length === 1)
  caller.abort()
  await first
  release()
  assert.equal((await second).notModified, false)
  assert.equal(requestedPaths.length, 1)
})

test('if the last client disconnects, the fetch is aborted and the next request starts again', async (t) => {
  const { filterImage, pending, release, source, images } = await startPendingSource(t)
  const callers = [new AbortController(), new AbortController()]
  const gone = callers.map(({ signal }) => assert.rejects(filterImage({ signal }), { name: 'AbortError' }))
  await until(() => pending.length === 1)
  for (const caller of callers) caller.abort()
  await Promise.all(gone)
  await until(() => source.connections().open === 0 && images.status().running === 0)
  pending.length = 0
  const next = filterImage()
  await until(() => pending.length === 1)
  release()
  assert.equal((await next).cache, 'miss')
})

test('a request beyond the queue limit fails with BUSY and the seconds to wait', async (t) => {
  const { filterImage, pending, release, imageUrl, images } = await startPendingSource(t, {
    queue: { jobs: 1, waiting: 1, releaseAfterMs: 60_000, slowAfterMs: 60_000 },
  })
  const all = ['a', 'b'].map((name) => filterImage({ imageUrl: imageUrl(name) }))
  await until(() => pending.length === 1 && images.status().waiting === 1)
  await assert.rejects(filterImage({ imageUrl: imageUrl('c') }), matchApiError('BUSY', { retryAfter: 2 }))
  release()
  await until(() => pending.length === 1)
  release()
  await Promise.all(all)
  assert.equal((await filterImage({ imageUrl: imageUrl('a') })).cache, 'hit')
})

test('a busy client does not starve another', async (t) => {
  const { filterImage, pending, release, imageUrl, images } = await startPendingSource(t, {
    queue: { jobs: 1, waiting: 10, releaseAfterMs: 60_000, slowAfterMs: 60_000 },
  })
  const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => filterImage({ imageUrl: imageUrl(name), client: name[0]! }))
  await until(() => images.status().waiting === 3 && pending.length === 2)
  const order: string[] = []
  for (let n = 0; n < 5; n++) {
    await until(() => pending.length > 0)
    order.push(release())
  }
  await Promise.all(all)
  assert.deepEqual(order.slice(0, 2).sort(), ['/a1', '/b1'])
})

test('a client that joined a job in the queue of a busy client gets its own', async (t) => {
  const { filterImage, pending, release, imageUrl, images } = await startPendingSource(t, {
    queue: { jobs: 4, waiting: 10, releaseAfterMs: 60_000, slowAfterMs: 60_000 },
  })
  const filter = (name: string, client: string) => filterImage({ imageUrl: imageUrl(name), client })
  const busy = ['1', '2', '3', 'shared'].map((name) => filter(name, 'a'))
  await until(() => pending.length === 3 && images.status().waiting === 1)
  const joined = filter('shared', 'b')
  await until(() => pending.length === 4)
  while (pending.length > 0) release()
  assert.equal((await joined).notModified, false)
  await Promise.all(busy)
})

test('a client that joined a fetch of a busy client, which waits for its host, gets its own', async (t) => {
  const { filterImage, pending, imageUrl } = await startPendingSource(t, {
    fetching: { totalTimeoutMs: 60_000, headersTimeoutMs: 60_000, concurrency: { total: 9, perHost: 4, waiting: 9 } },
  })
  const caller = new AbortController()
  const filter = (name: string, client: string, filter: string) =>
    filterImage({ imageUrl: imageUrl(name), client, filter, signal: caller.signal })
  // Three of four slots, which is the maximum of one network.
  const busy = Promise.allSettled(['1', '2', '3', 'shared'].map((name) => filter(name, '192.0.2.1', 'invert')))
  await until(() => pending.length === 3)
  const joined = ['invert', 'greyscale'].map((name) => filter('shared', '203.0.113.1', name))
  await until(() => pending.length === 4)
  pending[3]!.response.end(picture)
  for (const { notModified } of await Promise.all(joined)) assert.equal(notModified, false)
  caller.abort()
  await busy
})

test('a hit is answered while the queue is full', async (t) => {
  const { filterImage, pending, release, imageUrl, images } = await startPendingSource(t, {
    queue: { jobs: 1, waiting: 0, releaseAfterMs: 60_000, slowAfterMs: 60_000 },
  })
  const first = filterImage({ imageUrl: imageUrl('a') })
  await until(() => pending.length === 1)
  release()
  await first
  const second = filterImage({ imageUrl: imageUrl('b') })
  await until(() => images.status().running === 1)
  assert.equal((await filterImage({ imageUrl: imageUrl('a') })).cache, 'hit')
  await until(() => pending.length === 1)
  release()
  await second
})

test('the status reports when all running jobs are overdue', async (t) => {
  const { filterImage, images, pending, release } = await startPendingSource(t, {
    queue: { jobs: 1, overdueAfterMs: 1000 },
    fetching: { totalTimeoutMs: 60_000, headersTimeoutMs: 60_000 },
  })
  const startedAt = performance.now()
  const slow = filterImage()
  await until(() => pending.length === 1)
  const { overdue, allOverdue } = images.status()
  // Unless the machine stopped for so long.
  if (performance.now() - startedAt < 1000) assert.deepEqual([overdue, allOverdue], [0, false])
  await until(() => images.status().allOverdue)
  release()
  await slow
  assert.deepEqual([images.status().overdue, images.status().allOverdue], [0, false])
})

test('a failed source is not fetched again for a while', async (t) => {
  const startFailing = (failedForMs: number) =>
    startImages(t, (_request, response, count) => void response.writeHead(count === 1 ? 500 : 200).end(picture), {
      sources: { failedForMs },
    })
  const dead = matchApiError('IMAGE_UNREACHABLE', { sourceStatus: 500 })
  const { filterImage, requestedPaths } = await startFailing(60_000)
  await assert.rejects(filterImage(), dead)
  await assert.rejects(filterImage({ filter: 'blur' }), dead)
  assert.equal(requestedPaths.length, 1)
  const later = await startFailing(20)
  await assert.rejects(later.filterImage(), dead)
  await until(async () => (await later.filterImage().catch(() => undefined))?.cache === 'miss')
})

test('invalid images and disconnected clients are not remembered as failures', async (t) => {
  const { filterImage, engine } = await startImages(t, (_request, response) => void response.end('no picture'))
  await assert.rejects(filterImage())
  await assert.rejects(filterImage())
  assert.equal(engine.runs.length, 2)
  const { filterImage: filterPending } = await startPendingSource(t)
  for (let n = 0; n < 2; n++)
    await assert.rejects(filterPending({ signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' })
})

test('all clients of a shared computation get the same error', async (t) => {
  const { filterImage, requestedPaths } = await startImages(
    t,
    (_request, response) => void response.writeHead(404).end(),
  )
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => filterImage()))
  for (const outcome of outcomes) assert.ok(outcome.status === 'rejected' && outcome.reason instanceof ImageUnreachable)
  assert.equal(requestedPaths.length, 1)
})

test('close() aborts running work', async (t) => {
  const { filterImage, images, pending } = await startPendingSource(t)
  const outcome = assert.rejects(filterImage(), { name: 'AbortError' })
  await until(() => pending.length === 1)
  images.close()
  await outcome
})

test('a check that fails does not prevent later ones, and calls during a check share the next one', async () => {
  let runs = 0
  const { run } = createSerialRun(async () => {
    runs++
    if (runs === 1) throw new Error('failed')
  })
  const first = assert.rejects(run(), /failed/)
  await first
  await Promise.all([run(), run()])
  assert.equal(runs, 2)
})

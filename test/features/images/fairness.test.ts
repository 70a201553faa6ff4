import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../../src/config/config.ts'
import { Busy } from '../../../src/errors/index.ts'
import { createArtist, openContent } from '../../../src/features/content/index.ts'
import { type ImagesOptions, ownPictureUrl, withOwnPictures } from '../../../src/features/images/index.ts'
import { silentLog } from '../../../src/platform/logging/index.ts'
import { createFetcher } from '../../../src/platform/net/index.ts'
import { matchApiError } from '../../kit/api-error.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { startSource } from '../../kit/source.ts'
import { until } from '../../kit/until.ts'
import { makePicture, smallEngine, startImages } from './kit.ts'

const picture = await makePicture()

test('a client that joined a request does not fail when the first client fails with BUSY', async (t) => {
  const { filterImage, source, images } = await startImages(
    t,
    (request, response) => void (request.url === '/shared' && response.end(picture)),
    { queue: { jobs: 4, waiting: 10, waitTimeoutMs: 300, releaseAfterMs: 60_000 } },
  )
  const caller = new AbortController()
  const { signal } = caller
  // Three of four slots, which is the maximum of one client.
  const running = ['/1', '/2', '/3'].map((path) => filterImage({ imageUrl: source.url(path), client: 'a', signal }))
  const aborted = running.map((job) => assert.rejects(job, { name: 'AbortError' }))
  await until(() => images.status().running === 3)
  const imageUrl = source.url('/shared')
  const waiting = assert.rejects(filterImage({ imageUrl, client: 'a' }), matchApiError('BUSY'))
  const joined = filterImage({ imageUrl, client: 'b' })
  await waiting
  assert.equal((await joined).notModified, false)
  caller.abort()
  await Promise.all(aborted)
})

test('a client that joined processing does not fail when the first client fails with BUSY', async (t) => {
  const small = smallEngine()
  const { promise: both, resolve } = Promise.withResolvers<void>()
  const callers: (string | undefined)[] = []
  const engine: ImagesOptions['engine'] = {
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
  const { filterImage, source, images } = await startImages(t, (_request, response) => void response.end(picture), {
    engine,
  })
  const waiting = assert.rejects(filterImage({ imageUrl: source.url('/1'), client: 'a' }), matchApiError('BUSY'))
  await until(() => callers.length === 1)
  const joined = filterImage({ imageUrl: source.url('/2'), client: 'b' })
  await until(() => images.status().sourceReads.miss === 2)
  resolve()
  await waiting
  assert.equal((await joined).notModified, false)
  assert.deepEqual(callers, ['a', 'b'])
})

test('a request fails with BUSY before its connection would be cut', async (t) => {
  const { filterImage, images } = await startImages(t, () => {}, { replyTimeoutMs: 100 })
  await assert.rejects(filterImage(), matchApiError('BUSY'))
  await until(() => images.status().running === 0)
})

test('sources that never answer do not keep other images from being processed', async (t) => {
  const { filterImage, source, images } = await startImages(
    t,
    (request, response) => void (request.url === '/works' && response.end(picture)),
    {
      queue: { jobs: 2, waiting: 10, slowAfterMs: 50 },
      fetching: { totalTimeoutMs: 60_000, headersTimeoutMs: 60_000 },
    },
  )
  const client = new AbortController()
  const { signal } = client
  const hanging = Array.from({ length: 6 }, (_, n) =>
    filterImage({ imageUrl: source.url(`/hangs-${n}`), client: `192.0.${n}.1`, signal }),
  )
  const aborted = hanging.map((job) => assert.rejects(job, { name: 'AbortError' }))
  assert.equal((await filterImage({ imageUrl: source.url('/works'), client: '203.0.113.1' })).notModified, false)
  client.abort()
  await Promise.all(aborted)
  await until(() => images.status().running === 0)
})

test('one network that requests images from many sources that never answer does not delay images of others', async (t) => {
  const hanging = await Promise.all(Array.from({ length: 8 }, () => startSource(t, () => {})))
  const working = await startSource(t, (_request, response) => void response.end(picture))
  const { filterImage, images } = await startImages(t, () => {}, {
    queue: { slowAfterMs: 20 },
    fetching: {
      allowHosts: [...hanging, working].map(({ host }) => host),
      totalTimeoutMs: 60_000,
      headersTimeoutMs: 60_000,
    },
  })
  const client = new AbortController()
  const { signal } = client
  const attacks = hanging.flatMap((source) =>
    Array.from({ length: 7 }, (_, n) => filterImage({ imageUrl: source.url(`/${n}`), client: `192.0.2.${n}`, signal })),
  )
  const aborted = Promise.allSettled(attacks)
  // Of 56 requests, 32 wait for their source without a slot, and 12 have a slot.
  await until(() => images.status().waiting === 12)
  assert.equal((await filterImage({ imageUrl: working.url('/'), client: '203.0.113.1' })).notModified, false)
  client.abort()
  await aborted
  await until(() => images.status().running === 0)
})

test('ten networks that hold all slots do not delay images of others', async (t) => {
  const { filterImage, source, images } = await startImages(
    t,
    (request, response) => void (request.url === '/works' && response.end(picture)),
    {
      queue: { jobs: 4, waiting: 20, releaseAfterMs: 60_000, slowAfterMs: 60_000 },
      fetching: {
        totalTimeoutMs: 60_000,
        headersTimeoutMs: 60_000,
        concurrency: { total: 20, perHost: 20, waiting: 0 },
      },
    },
  )
  const client = new AbortController()
  const { signal } = client
  const hanging = Array.from({ length: 20 }, (_, n) =>
    filterImage({ imageUrl: source.url(`/hangs-${n}`), client: `192.0.${n % 10}.1`, signal }),
  )
  const aborted = Promise.allSettled(hanging)
  await until(() => images.status().waiting > 0)
  assert.equal((await filterImage({ imageUrl: source.url('/works'), client: '203.0.113.1' })).notModified, false)
  client.abort()
  await aborted
  await until(() => images.status().running === 0)
})

test('networks that request images from very many sources that never answer do not delay images of others', async (t) => {
  const answer: Parameters<typeof startSource>[1] = (request, response) =>
    void (request.url === '/works' && response.end(picture))
  const sources = await Promise.all(Array.from({ length: 30 }, () => startSource(t, answer)))
  const { filterImage, fetcher } = await startImages(t, answer, {
    queue: { waiting: 240, slowAfterMs: 20 },
    fetching: { allowHosts: sources.map(({ host }) => host), totalTimeoutMs: 60_000, headersTimeoutMs: 60_000 },
  })
  const client = new AbortController()
  const { signal } = client
  const hanging = Array.from({ length: 210 }, (_, n) =>
    filterImage({ imageUrl: sources[n % 30]!.url(`/hangs-${n}`), client: `192.0.${n % 8}.1`, signal }),
  )
  const aborted = Promise.allSettled(hanging)
  await until(() => fetcher.status().running === hanging.length)
  const imageUrl = sources[0]!.url('/works')
  assert.equal((await filterImage({ imageUrl, client: '203.0.113.1' })).notModified, false)
  client.abort()
  await aborted
})

test('sources that have not answered yet do not hold slots while others wait', async (t) => {
  const { filterImage, source, fetcher } = await startImages(
    t,
    (request, response) => void (request.url === '/works' && response.end(picture)),
    {
      queue: { jobs: 2, waiting: 100, slowAfterMs: 60_000 },
      fetching: {
        totalTimeoutMs: 60_000,
        headersTimeoutMs: 60_000,
        concurrency: { total: 100, perHost: 100, waiting: 0 },
      },
    },
  )
  const client = new AbortController()
  const { signal } = client
  // More networks than there are slots with the reserve.
  const hanging = Array.from({ length: 30 }, (_, n) =>
    filterImage({ imageUrl: source.url(`/hangs-${n}`), client: `192.0.${n}.1`, signal }),
  )
  const aborted = Promise.allSettled(hanging)
  await until(() => fetcher.status().running === hanging.length)
  assert.equal((await filterImage({ imageUrl: source.url('/works'), client: '203.0.113.1' })).notModified, false)
  client.abort()
  await aborted
})

test('tens of networks that request many images from sources that never answer do not delay images of others', async (t) => {
  const { filterImage, source, fetcher } = await startImages(
    t,
    (request, response) => void (request.url === '/works' && response.end(picture)),
    {
      // Ten slots are reserved, so 20 fetches need no slot.
      queue: { jobs: 2, waiting: 100, releaseAfterMs: 20, slowAfterMs: 20, waitTimeoutMs: 5000, maxOpen: 32 },
      fetching: {
        totalTimeoutMs: 60_000,
        headersTimeoutMs: 60_000,
        concurrency: { total: 32, perHost: 100, waiting: 0 },
      },
    },
  )
  const client = new AbortController()
  const { signal } = client
  const hanging = Array.from({ length: 60 }, (_, n) =>
    filterImage({ imageUrl: source.url(`/hangs-${n}`), client: `192.0.${n % 30}.1`, signal }),
  )
  const aborted = Promise.allSettled(hanging)
  await until(() => fetcher.status().running === 32)
  assert.equal((await filterImage({ imageUrl: source.url('/works'), client: '203.0.113.1' })).notModified, false)
  client.abort()
  const failures = (await aborted).map((outcome) => outcome.status === 'rejected' && outcome.reason)
  assert.ok(failures.some(matchApiError('BUSY')))
})

test('a request of another network is not refused when two hundred networks send one each at the same moment', async (t) => {
  const { filterImage, source } = await startImages(
    t,
    (request, response) => void (request.url === '/works' && response.end(picture)),
    {
      queue: { waiting: readConfig({}).FILTER_QUEUE, releaseAfterMs: 20 },
      fetching: { concurrency: { total: 300, perHost: 300, waiting: 0 } },
    },
  )
  const client = new AbortController()
  const aborted = Promise.allSettled(
    Array.from({ length: 200 }, (_, n) =>
      filterImage({ imageUrl: source.url(`/hangs-${n}`), client: `192.0.${n}.1`, signal: client.signal }),
    ),
  )
  assert.equal((await filterImage({ imageUrl: source.url('/works'), client: '203.0.113.1' })).notModified, false)
  client.abort()
  await aborted
})

test('slots of sources that do not answer are used by others after 0.1 seconds', async (t) => {
  const { filterImage, source, images, requestedPaths } = await startImages(t, () => {}, {
    fetching: { concurrency: { total: 100, perHost: 100, waiting: 0 } },
  })
  const client = new AbortController()
  const { signal } = client
  // One more than there are slots with the reserve.
  const aborted = Promise.allSettled(
    Array.from({ length: 27 }, (_, n) =>
      filterImage({ imageUrl: source.url(`/hangs-${n}`), client: `192.0.${n}.1`, signal }),
    ),
  )
  await until(() => requestedPaths.length >= 26)
  // However busy the machine is, timers that end earlier come first.
  await sleep(150)
  assert.equal(images.status().waiting, 0)
  client.abort()
  await aborted
})

test('images that take long do not hold slots while others wait', async (t) => {
  const small = smallEngine()
  const { promise: end, resolve } = Promise.withResolvers<void>()
  let running = 0
  const engine: ImagesOptions['engine'] = {
    ...small,
    async process(job, signal, client) {
      running++
      if (client !== '203.0.113.1') await end
      return small.process(job, signal, client)
    },
  }
  const { filterImage, source } = await startImages(
    t,
    (request, response) => void response.end(Buffer.concat([picture, Buffer.from(request.url!)])),
    { engine, queue: { jobs: 2, waiting: 100, releaseAfterMs: 20 } },
  )
  // More networks than there are slots with the reserve.
  const long = Array.from({ length: 30 }, (_, n) =>
    filterImage({ imageUrl: source.url(`/${n}`), client: `192.0.${n}.1` }),
  )
  await until(() => running === long.length)
  assert.equal((await filterImage({ imageUrl: source.url('/short'), client: '203.0.113.1' })).notModified, false)
  resolve()
  await Promise.all(long)
})

test('of two networks that request many images at once, none fails while there is time to process all', async (t) => {
  const small = smallEngine()
  let last = Promise.resolve()
  const engine: ImagesOptions['engine'] = {
    ...small,
    async process(job, signal, client) {
      last = last.then(() => sleep(20))
      await last
      signal?.throwIfAborted()
      return small.process(job, signal, client)
    },
  }
  const { filterImage, source } = await startImages(
    t,
    (request, response) => void response.end(Buffer.concat([picture, Buffer.from(request.url!)])),
    { engine, queue: { jobs: 2, waiting: 100, releaseAfterMs: 2 } },
  )
  const all = Array.from({ length: 100 }, (_, n) =>
    filterImage({ imageUrl: source.url(`/${n}`), client: `192.0.${n % 2}.1` }),
  )
  for (const result of await Promise.all(all)) assert.equal(result.notModified, false)
})

test('no source is fetched for an image that would be refused, also if its fetch waited', async (t) => {
  const small = smallEngine()
  let isFull = false
  const engine: ImagesOptions['engine'] = {
    ...small,
    announce(client) {
      if (isFull) throw new Busy(1)
      return small.announce(client)
    },
  }
  const pending: ServerResponse[] = []
  const answer = (_request: unknown, response: ServerResponse) => void pending.push(response)
  const { filterImage, source, requestedPaths, images } = await startImages(t, answer, { engine })
  // More than are fetched from one host at a time.
  const all = Array.from({ length: 9 }, (_, n) =>
    filterImage({ imageUrl: source.url(`/${n}`), client: `192.0.${n}.1` }),
  )
  await until(() => pending.length === 8 && images.status().running === 9)
  isFull = true
  pending[0]!.end(picture)
  await assert.rejects(all[8]!, matchApiError('BUSY'))
  await assert.rejects(filterImage({ imageUrl: source.url('/10') }), matchApiError('BUSY'))
  for (const response of pending) response.end(picture)
  await Promise.all(all.slice(0, 8))
  assert.equal(requestedPaths.length, 8)
})

test('an image that arrives slowly is processed when it is complete', async (t) => {
  const { filterImage } = await startImages(
    t,
    (_request, response) => {
      response.write(picture.subarray(0, 20))
      setTimeout(() => response.end(picture.subarray(20)), 200)
    },
    { queue: { jobs: 1, waiting: 1, slowAfterMs: 20 } },
  )
  assert.equal((await filterImage()).notModified, false)
})

test('if sources hold too much memory, the oldest slow one fails with BUSY', async (t) => {
  const part = Buffer.alloc(990)
  const { filterImage, source, requestedPaths } = await startImages(
    t,
    (request, response) => void (request.url === '/works' ? response.end(picture) : response.write(part)),
    {
      queue: { jobs: 4, waiting: 10, slowAfterMs: 20 },
      budget: { maxHeldBytes: 1000, slowAfterMs: 100 },
      fetching: { totalTimeoutMs: 60_000 },
    },
  )
  const slow = assert.rejects(filterImage({ imageUrl: source.url('/slow') }), matchApiError('BUSY'))
  await until(() => requestedPaths.includes('/slow'))
  const hasArrived = () => filterImage({ imageUrl: source.url('/works') }).then(() => true, isBusy)
  // Until the first source counts as slow, there is no space for the second one.
  await until(hasArrived)
  await slow
})

test('a network whose sources hold all memory does not keep others from theirs', async (t) => {
  const large = Buffer.concat([picture, Buffer.alloc(500)])
  const { filterImage, source, requestedPaths } = await startImages(
    t,
    (request, response) => {
      if (request.url === '/hangs') response.write(Buffer.alloc(990))
      else response.end(request.url === '/large' ? large : picture)
    },
    { budget: { maxHeldBytes: 1000, slowAfterMs: 60_000 }, fetching: { totalTimeoutMs: 60_000 } },
  )
  const hanging = assert.rejects(filterImage({ imageUrl: source.url('/hangs') }), matchApiError('BUSY'))
  await until(() => requestedPaths.includes('/hangs'))
  // The reserve is enough for the first one. For the second one, the network that holds most loses its source.
  for (const path of ['/small', '/large'])
    assert.equal((await filterImage({ imageUrl: source.url(path), client: '203.0.113.1' })).notModified, false)
  await hanging
})

test('a drawing that is the source of a filter is rendered in the turn of its client', async (t) => {
  const clients: (string | undefined)[] = []
  const artist = createArtist(async (_svg, _type, _size, client) => {
    clients.push(client)
    return picture
  })
  const content = await openContent({ dir: await temporaryFolder(t), artist, log: silentLog, pooledDrawings: 0 })
  t.after(() => content.close())
  const { filterImage } = await startImages(t, () => {}, {
    fetcher: withOwnPictures(createFetcher({}), content, 1000),
  })
  await filterImage({ imageUrl: ownPictureUrl('cat', '~a.png'), client: '203.0.113.1' })
  assert.deepEqual(clients, ['203.0.113.1'])
})

const isBusy = (error: unknown) => {
  assert.ok(error instanceof Busy)
  return false
}

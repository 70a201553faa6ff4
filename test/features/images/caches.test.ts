import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { createImages, type SecondLevelCache } from '../../../src/features/images/index.ts'
import { matchApiError } from '../../kit/api-error.ts'
import { until } from '../../kit/until.ts'
import { makePicture, smallEngine, startImages } from './kit.ts'

const picture = await makePicture()
const fresh = { 'cache-control': 'max-age=60' }
const stale = { 'cache-control': 'max-age=0', etag: '"v1"' }

test('an image is fetched and filtered, and the result describes it', async (t) => {
  const { filterImage } = await startImages(t, (_request, response) => void response.writeHead(200, fresh).end(picture))
  const made = await filterImage()
  assert.ok(!made.notModified)
  const { data } = await sharp(made.bytes).raw().toBuffer({ resolveWithObject: true })
  assert.deepEqual([...data.subarray(0, 3)], [0xff - 0x33, 0xff - 0x66, 0xff - 0x99])
  const { type, width, height, frameCount, cache, timings } = made
  assert.deepEqual(
    { type, width, height, frameCount, cache },
    { type: 'image/png', width: 8, height: 6, frameCount: 1, cache: 'miss' },
  )
  assert.ok(timings.fetch > 0 && timings.decode === 1 && timings.filter === 2 && timings.encode === 3)
  assert.ok(made.maxAge > 50 && made.maxAge <= 60)
})

test('a repeated request is a hit without fetching or processing', async (t) => {
  const { filterImage, images, engine, requestedPaths } = await startImages(t, (_request, response) => {
    response.writeHead(200, fresh).end(picture)
  })
  const [first, second] = [await filterImage(), await filterImage()]
  assert.ok(!first.notModified && !second.notModified)
  assert.deepEqual([first.cache, second.cache, second.etag], ['miss', 'hit', first.etag])
  assert.deepEqual(second.bytes, first.bytes)
  assert.deepEqual([requestedPaths.length, engine.runs.length], [1, 1])
  assert.deepEqual(images.status().replies, { hit: 1, miss: 1, shared: 0 })
  assert.ok(images.status().caches.results.bytes > first.bytes.length)
})

test('six filters of one image fetch it once; strength and output give separate results', async (t) => {
  const { filterImage, engine, requestedPaths } = await startImages(t, (_request, response) => {
    response.writeHead(200, fresh).end(picture)
  })
  const variants = ['blur', 'greyscale', 'contrast', 'invert', 'dither565', 'normalize'].map((filter) => ({ filter }))
  const more = [
    { filter: 'blur', strength: 5 },
    { filter: 'blur', strength: 6 },
    { filter: 'blur', output: 'webp' as const },
  ]
  const made = await Promise.all([...variants, ...more].map((variant) => filterImage(variant)))
  assert.deepEqual([requestedPaths.length, engine.runs.length], [1, 9])
  assert.equal(new Set(made.map(({ etag }) => etag)).size, 9)
})

test('results in the caches are used while their source is fresh, also if it fails for another filter', async (t) => {
  const stored = new Map<string, Buffer>()
  const secondLevelCache: SecondLevelCache = {
    get: async (key) => stored.get(key),
    set: async (key, bytes) => void stored.set(key, bytes),
  }
  for (const options of [{}, { secondLevelCache, results: { maxBytes: 1 } }]) {
    const { filterImage, requestedPaths } = await startImages(
      t,
      (_request, response, count) => void response.writeHead(count === 1 ? 200 : 429, fresh).end(picture),
      // The image itself is not kept, so each filter fetches it.
      { ...options, sources: { maxBytes: 1, failedForMs: 60_000 } },
    )
    const failed = matchApiError('IMAGE_UNREACHABLE', { sourceStatus: 429 })
    assert.equal((await filterImage()).cache, 'miss')
    await assert.rejects(filterImage({ filter: 'blur' }), failed)
    assert.equal((await filterImage()).cache, 'hit')
    await assert.rejects(filterImage({ filter: 'blur' }), failed)
    assert.equal(requestedPaths.length, 2)
  }
})

test('a source without caching headers is fresh for a while', async (t) => {
  const { filterImage, requestedPaths } = await startImages(t, (_request, response) => void response.end(picture), {
    sources: { heuristicMs: 1000 },
  })
  await filterImage()
  await filterImage({ filter: 'blur' })
  assert.equal(requestedPaths.length, 1)
  await until(async () => {
    assert.equal((await filterImage()).cache, 'hit')
    return requestedPaths.length === 2
  })
})

test('a source that was fetched while the clock was ahead is not fresh when the clock is right, here and on other nodes', async (t) => {
  const shared = new Map<string, Buffer>()
  const secondLevelCache: SecondLevelCache = {
    get: async (key) => shared.get(key),
    set: async (key, bytes) => void shared.set(key, bytes),
  }
  const real = Date.now
  let aheadMs = 90 * 86_400_000
  t.mock.method(Date, 'now', () => real() + aheadMs)
  const { filterImage, fetcher, request, requestedPaths } = await startImages(
    t,
    (_request, response) => void response.writeHead(200, fresh).end(picture),
    { secondLevelCache },
  )
  assert.ok((await filterImage()).maxAge <= 60)
  aheadMs = 0
  const other = createImages({ fetcher, engine: smallEngine(), version: '1', secondLevelCache })
  t.after(() => other.close())
  const signal = new AbortController().signal
  for (const made of [await other.prepare(request).run({ client: '192.0.2.1', signal }), await filterImage()]) {
    assert.ok(made.maxAge <= 60, `${made.maxAge}`)
  }
  assert.equal(requestedPaths.length, 2)
})

test('a stale source is revalidated by ETag or date, and a 304 saves the work', async (t) => {
  const date = 'Sun, 01 Nov 2026 00:00:00 GMT'
  const validators = { etag: ['if-none-match', '"v1"'], 'last-modified': ['if-modified-since', date] } as const
  for (const [header, [condition, value]] of Object.entries(validators)) {
    const { filterImage, engine, requestedPaths } = await startImages(t, (request, response, count) => {
      assert.equal(request.headers[condition], count === 1 ? undefined : value)
      const headers = { 'cache-control': 'max-age=0', [header]: value }
      if (count === 1) response.writeHead(200, headers).end(picture)
      else response.writeHead(304, headers).end()
    })
    const [first, second] = [await filterImage(), await filterImage()]
    await filterImage({ filter: 'blur' })
    assert.deepEqual([first.cache, second.cache, second.etag, second.maxAge], ['miss', 'hit', first.etag, 0])
    assert.deepEqual([requestedPaths.length, engine.runs], [3, ['invert', 'blur']])
  }
})

test('a 304 can make a source fresh again', async (t) => {
  const { filterImage, requestedPaths } = await startImages(t, (_request, response, count) => {
    if (count === 1) response.writeHead(200, stale).end(picture)
    else response.writeHead(304, { ...stale, ...fresh }).end()
  })
  for (let n = 0; n < 4; n++) await filterImage()
  assert.equal(requestedPaths.length, 2)
})

test('a source may send each caching header several times', async (t) => {
  const repeated = ['Vary', 'accept', 'Vary', 'origin', 'ETag', '"v1"', 'ETag', '"v2"', 'Cache-Control', 'public']
  const { filterImage, requestedPaths } = await startImages(t, (_request, response, count) => {
    if (count === 1) response.writeHead(200, [...repeated, 'Cache-Control', 'max-age=0']).end(picture)
    else response.writeHead(304, [...repeated, 'Cache-Control', 'max-age=60']).end()
  })
  for (let n = 0; n < 4; n++) await filterImage()
  assert.equal(requestedPaths.length, 2)
})

test('a changed source gives a new result, the same bytes with a new ETag do not', async (t) => {
  const other = await makePicture('#ff0000')
  const { filterImage, engine } = await startImages(t, (_request, response, count) => {
    response.writeHead(200, { ...stale, etag: `"v${count}"` }).end(count === 3 ? other : picture)
  })
  const tags = [(await filterImage()).etag, (await filterImage()).etag, (await filterImage()).etag]
  assert.deepEqual([tags[0] === tags[1], tags[1] === tags[2], engine.runs.length], [true, false, 2])
})

test('an image behind a redirect is only as fresh as the redirect', async (t) => {
  const { filterImage, requestedPaths } = await startImages(t, (request, response) => {
    if (request.url === '/a.png') response.writeHead(302, { location: `/${requestedPaths.length}.png` }).end()
    else response.writeHead(200, fresh).end(picture)
  })
  await filterImage()
  await filterImage()
  assert.deepEqual(requestedPaths, ['/a.png', '/1.png', '/a.png', '/3.png'])
})

test('a source that forbids storing is not stored', async (t) => {
  for (const rule of ['no-store', 'private, max-age=60']) {
    const { filterImage, images, requestedPaths } = await startImages(t, (_request, response) => {
      response.writeHead(200, { 'cache-control': rule, etag: '"v1"' }).end(picture)
    })
    assert.equal((await filterImage()).maxAge, 0)
    assert.equal((await filterImage()).cache, 'miss')
    const nothing = { entries: 0, bytes: 0 }
    assert.deepEqual(
      [requestedPaths.length, images.status().caches],
      [2, { sources: nothing, records: nothing, results: nothing }],
    )
  }
})

test('If-None-Match is answered without a fetch while the source is fresh, even if the result was evicted', async (t) => {
  const { filterImage, engine, requestedPaths } = await startImages(
    t,
    (_request, response) => void response.writeHead(200, fresh).end(picture),
    { results: { maxBytes: 1 }, sources: { maxBytes: 1 } },
  )
  const steps = ['invert', 'greyscale'].map((filter) => ({ filter, strength: undefined }))
  const { etag } = await filterImage({ steps })
  for (const ifNoneMatch of [etag, `W/${etag}`, `"x", ${etag}`]) {
    const again = await filterImage({ steps, ifNoneMatch })
    assert.ok(again.notModified && again.etag === etag && again.maxAge > 0 && again.cache === 'hit')
  }
  assert.deepEqual([requestedPaths.length, engine.runs.length], [1, 2])
  for (const ifNoneMatch of ['"x"', `${'"x",'.repeat(100)}${etag}`])
    assert.equal((await filterImage({ steps, ifNoneMatch })).notModified, false, 'only the first 100 are read')
})

test('If-None-Match with a stale source costs a revalidation, not an image', async (t) => {
  const { filterImage, engine, requestedPaths } = await startImages(
    t,
    (_request, response, count) =>
      void response.writeHead(count === 1 ? 200 : 304, stale).end(count === 1 ? picture : ''),
    { results: { maxBytes: 1 } },
  )
  const { etag } = await filterImage()
  assert.equal((await filterImage({ ifNoneMatch: etag })).notModified, true)
  assert.deepEqual([requestedPaths.length, engine.runs.length], [2, 1])
})

test('caches stay within their byte limits', async (t) => {
  const maxBytes = 3 * (picture.length + 512)
  const limits = { sources: { maxBytes }, results: { maxBytes } }
  const colours = await Promise.all(Array.from({ length: 8 }, (_, n) => makePicture(`#${n}${n}0000`)))
  const answer = (request: { url?: string }) => colours[Number(request.url!.slice(1))]
  const { filterImage, images, source } = await startImages(
    t,
    (request, response) => void response.writeHead(200, fresh).end(answer(request)),
    limits,
  )
  for (let n = 0; n < 8; n++) await filterImage({ imageUrl: source.url(`/${n}`) })
  const { caches } = images.status()
  assert.ok(caches.sources.bytes <= maxBytes && caches.results.bytes <= maxBytes)
  assert.ok(caches.sources.entries >= 2 && caches.results.entries >= 2)
})

test('only caching headers of a source are stored', async (t) => {
  const headers = { ...fresh, 'x-long': 'x'.repeat(10_000), 'set-cookie': 'x'.repeat(3000) }
  const { filterImage, images } = await startImages(t, (_request, response) => {
    response.writeHead(200, headers).end(picture)
  })
  await filterImage()
  const { entries, bytes } = images.status().caches.records
  assert.ok(entries === 1 && bytes < 2000, `${bytes}`)
})

test('another node uses the result in the shared cache without fetching or processing', async (t) => {
  const entries = new Map<string, Buffer>()
  const secondLevelCache: SecondLevelCache = {
    get: async (key) => entries.get(key),
    set: async (key, bytes, ttlMs) => void (ttlMs > 0 && entries.set(key, Buffer.from(bytes))),
  }
  const one = await startImages(t, (_request, response) => void response.writeHead(200, fresh).end(picture), {
    secondLevelCache,
  })
  const two = await startImages(t, (_request, response) => void response.writeHead(500).end(), { secondLevelCache })
  const imageUrl = one.source.url()
  const first = await one.filterImage({ imageUrl })
  const second = await two.filterImage({ imageUrl: one.source.url() }).catch((error: unknown) => error)
  assert.ok(matchApiError('IMAGE_ADDRESS_FORBIDDEN')(second), 'the rules of each node hold on cached results')

  const three = await startImages(t, () => {}, { secondLevelCache, fetching: { allowHosts: [one.source.host] } })
  const third = await three.filterImage({ imageUrl })
  assert.ok(!first.notModified && !third.notModified)
  assert.deepEqual([third.bytes, third.type, third.etag, third.cache], [first.bytes, first.type, first.etag, 'hit'])
  assert.deepEqual([one.requestedPaths.length, three.engine.runs.length], [1, 0])

  // The name of an image may lead to an address that only the first node is allowed to fetch from.
  const allowHosts = [one.source.host, 'other.example:80']
  const four = await startImages(t, () => {}, { secondLevelCache, fetching: { allowHosts } })
  await four.filterImage({ imageUrl })
  assert.equal(one.requestedPaths.length, 2, 'a node with other rules fetches the image itself')
})

test('a shared cache that fails or contains invalid data is ignored', async (t) => {
  const broken = () => Promise.reject(new Error('unavailable'))
  const levels: SecondLevelCache[] = [
    { get: broken, set: broken },
    { get: async () => Buffer.from('invalid'), set: async () => {} },
  ]
  for (const secondLevelCache of levels) {
    const warned: string[] = []
    const log = { info() {}, warn: (_fields: object, message: string) => void warned.push(message), error() {} }
    const { filterImage } = await startImages(
      t,
      (_request, response) => void response.writeHead(200, fresh).end(picture),
      {
        secondLevelCache,
        log,
      },
    )
    assert.deepEqual([(await filterImage()).cache, (await filterImage()).cache], ['miss', 'hit'])
    assert.ok(warned.length > 0)
  }
})

test('foreign data in the shared cache is never sent as anything but an image', async (t) => {
  const entries = new Map<string, Buffer>()
  const secondLevelCache: SecondLevelCache = {
    get: async (key) => entries.get(key),
    set: async (key, bytes) => void entries.set(key, bytes),
  }
  const answer: Parameters<typeof startImages>[1] = (_request, response) =>
    void response.writeHead(200, fresh).end(picture)
  const first = await startImages(t, answer, { secondLevelCache })
  await first.filterImage()
  const key = entries.keys().find((name) => name.startsWith('result:'))!
  const good = { type: 'image/png', width: 8, height: 6, frameCount: 1 }
  const invalidDetails = [
    { type: 'text/html' },
    { type: 'image/png\r\nX: y' },
    { type: 'image/svg+xml' },
    { width: 'x' },
    {},
  ]
  for (const wrong of invalidDetails) {
    const details = Buffer.from(JSON.stringify({ ...good, ...wrong }))
    const length = Buffer.alloc(4)
    length.writeUInt32BE(wrong.type || wrong.width ? details.length : 1e9)
    entries.set(key, Buffer.concat([length, details, Buffer.from('<script>alert(1)</script>')]))
    const images = createImages({ fetcher: first.fetcher, engine: smallEngine(), version: '1', secondLevelCache })
    t.after(() => images.close())
    const made = await images.prepare(first.request).run({ client: 'a', signal: new AbortController().signal })
    assert.ok(!made.notModified && made.type === 'image/png' && !made.bytes.includes('script'), JSON.stringify(wrong))
  }
})

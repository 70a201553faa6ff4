import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { matchApiError } from '../../kit/api-error.ts'
import { startSource } from '../../kit/source.ts'
import { makePicture, startImages } from './kit.ts'

const picture = await makePicture()
const fresh = { 'cache-control': 'max-age=60' }

test('a host that was blocked later is refused, cached or not', async (t) => {
  let blocked = false
  const { filterImage } = await startImages(
    t,
    (_request, response) => void response.writeHead(200, fresh).end(picture),
    {
      fetching: { isBlockedHost: () => blocked },
    },
  )
  const { etag } = await filterImage()
  blocked = true
  await assert.rejects(filterImage({ ifNoneMatch: etag }), matchApiError('IMAGE_HOST_BLOCKED'))
})

test('a prepared request checks the blocklist and the caches each time, and is counted', async (t) => {
  let blocked = false
  const refused: string[] = []
  const { filterImage, images, request } = await startImages(
    t,
    (_request, response) => void response.writeHead(200, fresh).end(picture),
    {
      fetching: { isBlockedHost: () => blocked },
      onFailed: (code) => refused.push(code),
      results: { maxBytes: 1000 },
    },
  )
  const prepared = images.prepare(request)
  assert.equal(prepared.findCached(undefined), undefined, 'nothing is there yet')
  const { etag } = await filterImage()
  assert.deepEqual([prepared.findCached(undefined)?.cache, prepared.findCached(undefined)?.notModified], ['hit', false])
  assert.equal(prepared.findCached(etag)?.notModified, true)
  assert.equal(images.status().replies.hit, 3)
  blocked = true
  assert.throws(() => prepared.findCached(etag), matchApiError('IMAGE_HOST_BLOCKED'))
  assert.throws(() => images.prepare(request), matchApiError('IMAGE_HOST_BLOCKED'))
  assert.deepEqual(refused, ['IMAGE_HOST_BLOCKED', 'IMAGE_HOST_BLOCKED'])
  blocked = false
  await filterImage({ filter: 'blur' })
  assert.equal(prepared.findCached(undefined), undefined, 'another result took its place')
  assert.equal(prepared.findCached(etag)?.notModified, true)
})

test('a redirect target that was blocked later is refused, cached or not', async (t) => {
  const elsewhere = createServer((_request, response) => void response.writeHead(200, fresh).end(picture))
  elsewhere.listen(0, '127.0.0.2')
  await once(elsewhere, 'listening')
  t.after(() => void elsewhere.close())
  const { port } = elsewhere.address() as AddressInfo
  const host = `127.0.0.2:${port}`
  let blocked = false
  const source = await startSource(t, (_request, response) => {
    response.writeHead(301, { location: `http://${host}/`, ...fresh }).end()
  })
  const { filterImage } = await startImages(t, () => {}, {
    fetching: { allowHosts: [host, source.host], isBlockedHost: (name) => blocked && name === '127.0.0.2' },
  })
  assert.equal((await filterImage({ imageUrl: source.url() })).cache, 'miss')
  assert.equal((await filterImage({ imageUrl: source.url() })).cache, 'hit')
  blocked = true
  await assert.rejects(filterImage({ imageUrl: source.url() }), matchApiError('IMAGE_HOST_BLOCKED'))
})

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { seen } from '../../kit/seen.ts'
import { startSource } from '../../kit/source.ts'
import { makePicture, startImages } from './kit.ts'

const picture = await makePicture()
const fresh = { 'cache-control': 'max-age=60' }

test('a host that was blocked since is refused, cached or not', async (t) => {
  let blocked = false
  const { filtered } = await startImages(t, (_request, response) => void response.writeHead(200, fresh).end(picture), {
    fetching: { isBlockedHost: () => blocked },
  })
  const { etag } = await filtered()
  blocked = true
  await assert.rejects(filtered({ ifNoneMatch: etag }), seen('IMAGE_HOST_BLOCKED'))
})

test('what a wish means may be kept: it is judged anew each time, counted, and forgets what was evicted', async (t) => {
  let blocked = false
  const refused: string[] = []
  const { filtered, images, wish } = await startImages(
    t,
    (_request, response) => void response.writeHead(200, fresh).end(picture),
    {
      fetching: { isBlockedHost: () => blocked },
      onRefused: (code) => refused.push(code),
      results: { maxBytes: 1000 },
    },
  )
  const kept = images.picture(wish)
  assert.equal(kept.ready(undefined), undefined, 'nothing is there yet')
  const { etag } = await filtered()
  assert.deepEqual([kept.ready(undefined)?.cache, kept.ready(undefined)?.notModified], ['hit', false])
  assert.equal(kept.ready(etag)?.notModified, true)
  assert.equal(images.status().replies.hit, 3)
  blocked = true
  assert.throws(() => kept.ready(etag), seen('IMAGE_HOST_BLOCKED'))
  assert.throws(() => images.picture(wish), seen('IMAGE_HOST_BLOCKED'))
  assert.deepEqual(refused, ['IMAGE_HOST_BLOCKED', 'IMAGE_HOST_BLOCKED'])
  blocked = false
  await filtered({ filter: 'blur' })
  assert.equal(kept.ready(undefined), undefined, 'another result took its place')
  assert.equal(kept.ready(etag)?.notModified, true)
})

test('a host that a redirect led to and that was blocked since is refused, cached or not', async (t) => {
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
  const { filtered } = await startImages(t, () => {}, {
    fetching: { allowHosts: [host, source.host], isBlockedHost: (name) => blocked && name === '127.0.0.2' },
  })
  assert.equal((await filtered({ imageUrl: source.url() })).cache, 'miss')
  assert.equal((await filtered({ imageUrl: source.url() })).cache, 'hit')
  blocked = true
  await assert.rejects(filtered({ imageUrl: source.url() }), seen('IMAGE_HOST_BLOCKED'))
})

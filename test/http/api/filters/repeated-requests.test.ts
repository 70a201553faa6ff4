// The same URL requested again: its parsed form is cached, but nothing that may have changed since.
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { downloadedListFile } from '../../../../src/features/blocklist/index.ts'
import { startPictureSource } from '../../../kit/picture-source.ts'
import { createNoisyImage } from '../../../kit/pictures.ts'
import { forSuite } from '../../../kit/scope.ts'
import { startTestService } from '../../../kit/service.ts'
import { until } from '../../../kit/until.ts'

const picture = { type: 'image/png', body: await createNoisyImage('png', 40, 30) }

const open = forSuite(async (t) => {
  const source = await startPictureSource(t)
  const service = await startTestService(t, { FILTER_ALLOW_HOSTS: source.host })
  return { source, service }
})

/** Each test filters a picture of its own. */
function putPicture(path: string, maxAge = 600) {
  const { source, service } = open()
  const image = source.put(path, { ...picture, headers: { 'cache-control': `max-age=${maxAge}` } })
  const countFetches = () => source.requestedPaths.filter((requested) => requested === path).length
  return { service, url: `/api/v2/filter/invert?image=${encodeURIComponent(image)}`, countFetches }
}

/** With a Host header of its own, which fetch does not allow. */
const statusAs = (host: string, url: string) =>
  new Promise<number>((resolve, reject) => {
    get(url, { headers: { host } }, (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject)
  })

test('a newly blocked host is refused even if its image is cached', async () => {
  const { service, url } = putPicture('/blocked.png')
  for (const how of ['miss', 'hit', 'hit']) assert.equal((await service.fetchPath(url)).headers.get('x-cache'), how)
  const list = downloadedListFile(service.dataDir)
  await mkdir(dirname(list), { recursive: true })
  await writeFile(list, '||127.0.0.1^\n')
  await until(async () => (await service.fetchPath(url)).status !== 200, 10_000)
  for (const headers of [{}, { 'if-none-match': '*' }]) {
    assert.equal((await service.fetchJson(url, { headers })).body.code, 'IMAGE_HOST_BLOCKED')
  }
  await writeFile(list, '||127.0.0.2^\n')
  await until(async () => (await service.fetchPath(url)).status === 200, 10_000)
})

test('max-age counts down', async () => {
  const { service, url } = putPicture('/fresh.png')
  const ages = new Set<string>()
  await until(async () => {
    ages.add((await service.fetchPath(url)).headers.get('cache-control') ?? '')
    return ages.size > 1
  })
  for (const age of ages) assert.match(age, /^public, max-age=(600|5\d\d)$/)
})

test('a stale source is revalidated', async () => {
  const { service, url, countFetches } = putPicture('/stale.png', 1)
  const etags = new Set<string | null>()
  await until(async () => {
    etags.add((await service.fetchPath(url)).headers.get('etag'))
    return countFetches() === 2
  })
  assert.equal(etags.size, 1)
})

test('one URL serves image, JSON, 304 and HEAD', async () => {
  const { service, url } = putPicture('/many-forms.png')
  for (let n = 0; n < 3; n++) {
    const response = await service.fetchPath(url)
    assert.equal(response.headers.get('content-type'), 'image/png')
    const [bytes, etag] = [await response.bytes(), response.headers.get('etag') ?? '']
    const { body } = await service.fetchJson(url, { headers: { accept: 'application/json' } })
    assert.equal(body.item.size, bytes.length)
    const unchanged = await service.fetchPath(url, { headers: { 'if-none-match': etag } })
    assert.deepEqual([unchanged.status, unchanged.headers.get('content-length')], [304, null])
    const head = await service.fetchPath(url, { method: 'HEAD' })
    assert.equal(head.headers.get('content-length'), String(bytes.length))
  }
})

test('a picture counts as our own only under the host of the request', async () => {
  const { service } = open()
  const { body } = await service.fetchJson('/api/v1/animals/cat')
  const url = `${service.url}/api/v2/filter/invert?image=${encodeURIComponent(body.message)}`
  const ours = new URL(service.url).host
  for (const [host, status] of [
    [ours, 200],
    ['other.example', 403],
    [ours, 200],
    ['other.example', 403],
  ] as const) {
    assert.equal(await statusAs(host, url), status, host)
  }
})

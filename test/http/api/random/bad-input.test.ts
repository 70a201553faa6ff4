import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { temporaryFolder } from '../../../kit/folder.ts'
import { forSuite } from '../../../kit/scope.ts'
import { startTestService } from '../../../kit/service.ts'
import { until } from '../../../kit/until.ts'

const CAT = '/api/v2/random/animal/cat'

const CASES: [string, number, string][] = [
  ['/api/v1/animals/dragon', 404, 'UNKNOWN_KIND'],
  ['/api/v1/animals/__proto__', 404, 'UNKNOWN_KIND'],
  ['/api/v1/animals/constructor', 404, 'UNKNOWN_KIND'],
  ['/api/v1/animals/CAT', 404, 'UNKNOWN_KIND'],
  ['/api/v1/animals/c%D0%B0t', 404, 'UNKNOWN_KIND'],
  ['/api/v1/animals/cat/', 404, 'UNKNOWN_PATH'],
  ['/api/v1/animals/', 404, 'UNKNOWN_KIND'],
  ['/api/v1/animals/..%2fcat', 404, 'UNKNOWN_KIND'],
  ['/api/v1/yt-video/hl-cats', 404, 'UNKNOWN_PATH'],
  ['/api/v2/random/kaomoji/8ball', 404, 'UNKNOWN_KIND'],
  [`${CAT}?count=0`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?count=51`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?count=-1`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?count=1e9`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?count=2.5`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?count=2&count=3`, 400, 'REPEATED_PARAMETER'],
  [`${CAT}?count=1&format=image`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?type=exe`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?type=gif`, 404, 'NOTHING_MATCHES'],
  [`${CAT}?exclude=jpeg,png,webp,gif,avif,svg`, 404, 'NOTHING_MATCHES'],
  [`${CAT}?type=png&exclude=png`, 404, 'NOTHING_MATCHES'],
  [`${CAT}?seed=`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?seed=${'s'.repeat(2000)}`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?seed=${'s'.repeat(10_000)}`, 414, 'URI_TOO_LONG'],
  [`${CAT}?tags=unicorn`, 404, 'NOTHING_MATCHES'],
  [`${CAT}?tags=-cat`, 404, 'NOTHING_MATCHES'],
  [`${CAT}?tags=shiny,-shiny`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?tags=a,,b`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?tags=--shiny`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?tags=two words`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?tags=%00`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?tags=${'a,'.repeat(1000)}b`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?tags=${'a,'.repeat(10_000)}b`, 414, 'URI_TOO_LONG'],
  [`${CAT}?tags=a&tags=b`, 400, 'REPEATED_PARAMETER'],
  [`${CAT}?orientation=landscape`, 404, 'NOTHING_MATCHES'],
  [`${CAT}?orientation=round`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?avoid=${'a,'.repeat(50)}b`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?avoid=a,,b`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?avoid=${'a'.repeat(202)}`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?format=xml`, 400, 'INVALID_PARAMETER'],
  [`${CAT}?count=1&format=redirect`, 400, 'INVALID_PARAMETER'],
  ['/api/v2/random/kaomoji/cat?format=redirect', 400, 'INVALID_PARAMETER'],
  ['/api/v1/animals/any', 404, 'UNKNOWN_KIND'],
  ['/media/animals/any/~a.webp', 404, 'MEDIA_NOT_FOUND'],
  ['/api/v1/kaomoji/cat?format=image', 400, 'INVALID_PARAMETER'],
  ['/media/animals/cat/nothing.png', 404, 'MEDIA_NOT_FOUND'],
  ['/media/animals/cat/..%2f..%2fpackage.json', 404, 'MEDIA_NOT_FOUND'],
  ['/media/animals/cat/~.webp', 404, 'MEDIA_NOT_FOUND'],
  [`/media/animals/cat/~${'x'.repeat(201)}.webp`, 404, 'MEDIA_NOT_FOUND'],
  ['/media/animals/cat/~a.exe', 404, 'MEDIA_NOT_FOUND'],
  ['/media/animals/cat/~a%0D%0Ab.webp', 404, 'MEDIA_NOT_FOUND'],
  ['/media/animals/cat/~a%FF.webp', 400, 'BAD_PATH'],
  ['/media/animals/dragon/~a.webp', 404, 'MEDIA_NOT_FOUND'],
]

describe('bad input to random content', () => {
  const service = forSuite(async (scope) => startTestService(scope, { CONTENT_DIR: await temporaryFolder(scope) }))

  for (const [path, status, code] of CASES) {
    it(`${path.slice(0, 70)} is ${status} ${code}`, async () => {
      const reply = await service().fetchJson(path)
      assert.deepEqual([reply.status, reply.body.code], [status, code])
    })
  }

  it('the error for an unknown kind lists the known kinds', async () => {
    const { body } = await service().fetchJson('/api/v1/kaomoji/x')
    assert.deepEqual(body.allowed, ['cat', 'dog', 'owo', 'uwu', 'love'])
    const v2 = (await service().fetchJson('/api/v2/random/kaomoji/x')).body
    assert.deepEqual(v2.allowed, ['cat', 'dog', 'owo', 'uwu', 'love', 'any'])
  })

  it('count=50 is possible, and an invalid count is reported with its range', async () => {
    assert.equal((await service().fetchJson(`${CAT}?count=50&type=svg`)).body.message.length, 50)
    const { body } = await service().fetchJson(`${CAT}?count=51`)
    assert.deepEqual([body.min, body.max], [1, 50])
  })

  it('POST is 405', async () => {
    assert.equal((await service().fetchPath(CAT, { method: 'POST' })).status, 405)
  })
})

describe('ranges of a picture', () => {
  const service = forSuite(async (scope) => startTestService(scope, { CONTENT_DIR: await temporaryFolder(scope) }))
  const URL = '/media/animals/cat/~range.png'
  const fetchRange = (range: string, headers = {}) => service().fetchPath(URL, { headers: { range, ...headers } })

  it('are served', async () => {
    const whole = Buffer.from(await (await service().fetchPath(URL)).bytes())
    const size = whole.length
    const good: [string, number, number][] = [
      ['bytes=0-9', 0, 9],
      ['bytes=10-', 10, size - 1],
      ['bytes=-5', size - 5, size - 1],
      [`bytes=${size - 1}-${size + 100}`, size - 1, size - 1],
      [`bytes=-${size * 2}`, 0, size - 1],
      ['bytes=0-1,1-3', 0, 3],
    ]
    for (const [range, start, end] of good) {
      const part = await fetchRange(range)
      assert.equal(part.status, 206, range)
      assert.equal(part.headers.get('content-range'), `bytes ${start}-${end}/${size}`)
      assert.deepEqual(Buffer.from(await part.bytes()), whole.subarray(start, end + 1))
    }
  })

  it('are ignored if malformed, reversed or of another version', async () => {
    for (const range of ['bytes=a-b', 'bytes=-', 'bytes=9-0', 'lines=0-1', 'bytes', 'bytes=0x1-2']) {
      assert.equal((await fetchRange(range)).status, 200, range)
    }
    assert.equal((await fetchRange('bytes=0-1', { 'if-range': '"other"' })).status, 200)
  })

  it('past the end are 416 with the length', async () => {
    const past = await fetchRange('bytes=99999999-')
    assert.equal(past.status, 416)
    assert.match(past.headers.get('content-range') ?? '', /^bytes \*\/\d+$/)
    assert.equal(((await past.json()) as { code: string }).code, 'RANGE_NOT_SATISFIABLE')
    assert.equal((await fetchRange('bytes=-0')).status, 416)
  })

  it('and complete pictures support If-None-Match', async () => {
    const etag = (await service().fetchPath(URL)).headers.get('etag') ?? ''
    assert.equal((await service().fetchPath(URL, { headers: { 'if-none-match': etag } })).status, 304)
    assert.equal((await fetchRange('bytes=0-1', { 'if-none-match': etag })).status, 304)
    assert.equal((await fetchRange('bytes=99999999-', { 'if-none-match': etag })).status, 304)
  })
})

it('the service keeps running when the content folder is removed', async (t) => {
  const CONTENT_DIR = await temporaryFolder(t)
  const { fetchJson, fetchPath } = await startTestService(t, { CONTENT_DIR })
  await rm(CONTENT_DIR, { recursive: true })
  await until(async () => (await fetchJson('/readyz')).body.problems[0]?.rule === 'missing')
  assert.equal((await fetchJson('/api/v1/animals/cat')).status, 200)
  assert.equal((await fetchJson('/api/v1/kaomoji/uwu')).status, 200)
  assert.equal((await fetchPath('/readyz')).status, 200)
})

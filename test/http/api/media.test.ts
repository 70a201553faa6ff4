import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import sharp from 'sharp'
import { describe as artistDescribe, draw } from '../../../packages/artist/src/index.ts'
import { assertRangesInTurns } from '../../kit/byte-ranges.ts'
import { writeSettledFiles } from '../../kit/content.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createNoisyImage, tinyPng } from '../../kit/pictures.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'
import { until } from '../../kit/until.ts'

test('a name with a digest is immutable, the plain name must be revalidated', async (t) => {
  const dir = await temporaryFolder(t)
  await writeSettledFiles(dir, { 'animals/cat/tom.png': tinyPng(1) })
  const { url, fetchPath, fetchJson } = await startTestService(t, { CONTENT_DIR: dir })
  await until(async () => /tom/.test((await fetchJson('/api/v1/animals/cat')).body.message))
  const digested = (await fetchJson('/api/v1/animals/cat')).body.message.slice(url.length)
  const [named, plain] = [await fetchPath(digested), await fetchPath('/media/animals/cat/tom.png')]
  assert.equal(named.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.doesNotMatch(plain.headers.get('cache-control') ?? 'immutable', /immutable|max-age=\d{4,}/)
  assert.deepEqual(await plain.bytes(), await named.bytes())

  // Again, because the second reply comes from memory.
  assert.match((await fetchPath(digested)).headers.get('cache-control') ?? '', /immutable/)
  assert.doesNotMatch((await fetchPath('/media/animals/cat/tom.png')).headers.get('cache-control') ?? '', /immutable/)
})

test('a name is an avatar: any text is the seed of a drawing, also as the source of a filter', async (t) => {
  const { url, fetchPath } = await startTestService(t, { CONTENT_DIR: await temporaryFolder(t) })
  for (const seed of ['Zoë Müller', 'a.b', '../../package', 'a/b?c#d&e']) {
    const path = `/media/animals/cat/~${encodeURIComponent(seed)}.png`
    const reply = await fetchPath(path)
    assert.deepEqual([reply.status, reply.headers.get('content-type')], [200, 'image/png'], seed)
    const filtered = await fetchPath(`/api/v2/filter/invert?image=${encodeURIComponent(url + path)}`)
    assert.equal(filtered.status, 200, seed)
  }
})

test('requests with a thousand ranges that waited for the same picture take turns', async (t) => {
  const dir = await temporaryFolder(t)
  await writeSettledFiles(dir, { 'animals/cat/tom.jpg': await createNoisyImage('jpeg', 300, 200) })
  const { url } = await startTestService(t, { CONTENT_DIR: dir, RATE_LIMIT: 'off' })
  await assertRangesInTurns(t, `${url}/media/animals/cat/~Ada.avif`)
  await assertRangesInTurns(t, `${url}/media/animals/cat/tom.jpg?width=64`)
})

const readSize = async (reply: Response) => {
  const { format, width, height, hasAlpha } = await sharp(await reply.bytes()).metadata()
  return { format, width, height, hasAlpha }
}

describe('drawings', () => {
  const service = forSuite(async (scope) => startTestService(scope, { CONTENT_DIR: await temporaryFolder(scope) }))
  const fetchPath = (path: string, init?: RequestInit) => service().fetchPath(`/media/animals/cat/${path}`, init)

  it('exist in every type for any text as seed', async () => {
    const seeds = [
      'Zoë',
      'x y',
      '日本',
      "O'Brien",
      'a.b',
      '🦊👩‍🚀',
      'مرحبا',
      'שלום',
      '..',
      '../../package.json',
      'a?b#c&d',
      '100%',
    ]
    for (const seed of seeds) {
      const reply = await fetchPath(`~${encodeURIComponent(seed)}.svg`)
      assert.equal(reply.status, 200, seed)
      assert.equal(await reply.text(), draw('cat', seed))
    }
    for (const type of ['png', 'webp', 'jpeg', 'gif', 'avif']) {
      const reply = await fetchPath(`~Zo%C3%AB.${type}`)
      assert.deepEqual([reply.status, reply.headers.get('content-type')], [200, `image/${type}`])
      const { format, width } = await readSize(reply)
      assert.deepEqual([format, width], [type === 'avif' ? 'heif' : type, 512])
    }
  })

  it('do not exist for control characters, long seeds and other types', async () => {
    const names = [
      '~a%00.svg',
      '~a%0a.svg',
      '~%7f.svg',
      '~%c2%85.svg',
      `~${'x'.repeat(201)}.svg`,
      '~.svg',
      '~a.bmp',
      '~a',
    ]
    for (const name of names) {
      const { status, body } = await service().fetchJson(`/media/animals/cat/${name}`)
      assert.deepEqual([status, body.code], [404, 'MEDIA_NOT_FOUND'], name)
    }
    assert.equal((await fetchPath('~a%ff.svg')).status, 400)
    assert.equal((await fetchPath('~../../../../package.json')).status, 404)
  })

  it('have a size and a background, and each variant has its own ETag', async () => {
    const etags = new Set<string | null>()
    for (const [query, expected] of [
      ['', { width: 512, hasAlpha: false }],
      ['?size=16', { width: 16, hasAlpha: false }],
      ['?size=1024', { width: 1024, hasAlpha: false }],
      ['?background=none', { width: 512, hasAlpha: true }],
      ['?size=64&background=none&edition=1', { width: 64, hasAlpha: true }],
      ['?width=256', { width: 256, hasAlpha: false }],
    ] as const) {
      const reply = await fetchPath(`~x.webp${query}`)
      const etag = reply.headers.get('etag')!
      etags.add(etag)
      assert.match(reply.headers.get('cache-control')!, /immutable/)
      const { width, height, hasAlpha } = await readSize(reply)
      assert.deepEqual({ width, height, hasAlpha }, { ...expected, height: expected.width }, query)
      assert.equal((await fetchPath(`~x.webp${query}`, { headers: { 'If-None-Match': etag } })).status, 304, query)
    }
    assert.equal(etags.size, 6)
    assert.match(await (await fetchPath('~x.svg?size=64')).text(), /^<svg [^>]*width="64" height="64"/)
    assert.equal((await readSize(await fetchPath('~x.jpeg?background=none'))).hasAlpha, false)
    const same = await fetchPath('~x.webp?size=512&background=scene&edition=1', { method: 'HEAD' })
    assert.ok(etags.has(same.headers.get('etag')), 'the defaults are the same drawing')
  })

  it('have the same headers with HEAD as with GET, in each encoding', async () => {
    const names = [
      'content-type',
      'content-length',
      'content-encoding',
      'etag',
      'vary',
      'accept-ranges',
      'cache-control',
    ]
    for (const file of ['~head.svg', '~head.png']) {
      for (const encoding of ['br', 'gzip', 'identity']) {
        const headers = { 'Accept-Encoding': encoding }
        const [head, whole] = [await fetchPath(file, { method: 'HEAD', headers }), await fetchPath(file, { headers })]
        const select = (reply: Response) => names.map((name) => reply.headers.get(name))
        assert.deepEqual(select(head), select(whole), `${file} ${encoding}`)
        assert.equal(await head.text(), '')
      }
    }
  })

  it('refuse wrong values, and say what is allowed', async () => {
    for (const size of ['0', '15', '1025', '1e9', 'NaN', '-64', '64.5', '']) {
      const { status, body } = await service().fetchJson(`/media/animals/cat/~x.webp?size=${size}`)
      assert.deepEqual([status, body.code, body.min, body.max], [400, 'INVALID_PARAMETER', 16, 1024], size)
    }
    for (const width of ['1', '65', '100000', '64px']) {
      const { status, body } = await service().fetchJson(`/media/animals/cat/~x.webp?width=${width}`)
      assert.deepEqual([status, body.allowed], [400, [64, 128, 256, 512, 1024]], width)
    }
    for (const query of ['background=blue', 'edition=2', 'edition=0', 'format=xml', 'size=64&size=64']) {
      assert.equal((await fetchPath(`~x.webp?${query}`)).status, 400, query)
    }
  })

  it('are described by ?format=json', async () => {
    const { body } = await service().fetchJson(
      '/media/animals/cat/~Zo%C3%AB%20%22x%22.png?format=json&size=64&background=none',
    )
    const picture = await fetch(body.message)
    assert.deepEqual([body.item.id, body.item.kind, body.item.type], ['~Zoë "x"', 'cat', 'image/png'])
    assert.deepEqual([body.item.width, body.item.height], [64, 64])
    const { alt, color, tags } = artistDescribe('cat', 'Zoë "x"', { background: 'none' })
    assert.deepEqual([body.item.alt, body.item.color, body.item.tags], [alt, color, tags])
    assert.deepEqual([body.item.author, body.item.license], ['Menagerie', 'CC0-1.0'])
    assert.equal((await picture.bytes()).length, body.item.size)
    assert.equal((await fetchPath('~.png?format=json')).status, 404)
  })

  it('are sources of filters with their options', async () => {
    const filter = (query: string) => {
      const image = encodeURIComponent(`${service().url}/media/animals/cat/~x.png?${query}`)
      return service().fetchPath(`/api/v2/filter/invert?image=${image}`)
    }
    assert.equal((await readSize(await filter('size=64&background=none'))).width, 64)
    assert.equal((await filter('size=7')).status, 400)
  })
})

describe('pictures with a width', () => {
  const picture = () => createNoisyImage('jpeg', 300, 200)
  const service = forSuite(async (scope) => {
    const dir = await temporaryFolder(scope)
    const credits = 'default: { author: Zoë, license: CC0-1.0, alt: A cat on a sofa }\n'
    await writeSettledFiles(dir, { 'animals/cat/tom.jpg': await picture(), 'animals/cat/credits.yaml': credits })
    return startTestService(scope, { CONTENT_DIR: dir })
  })
  const fetchPath = (query: string, init?: RequestInit) =>
    service().fetchPath(`/media/animals/cat/tom.jpg${query}`, init)

  it('are reduced, and never enlarged', async () => {
    for (const [width, expected] of [
      [64, [64, 43]],
      [256, [256, 171]],
      [512, [300, 200]],
      [1024, [300, 200]],
    ] as const) {
      const found = await readSize(await fetchPath(`?width=${width}`))
      assert.deepEqual([found.format, found.width, found.height], ['jpeg', ...expected])
    }
    assert.deepEqual(await (await fetchPath('?width=512')).bytes(), await (await fetchPath('')).bytes())
  })

  it('are sources of filters with that width', async () => {
    const filter = (query: string) => {
      const image = encodeURIComponent(`${service().url}/media/animals/cat/tom.jpg?width=64`)
      return service().fetchPath(`/api/v2/filter/invert?image=${image}${query}`)
    }
    assert.equal((await readSize(await filter(''))).width, 64)
    assert.equal((await readSize(await filter('&width=32'))).width, 32)
  })

  it('have an ETag, ranges and HEAD; the name with the digest is immutable', async () => {
    const whole = await fetchPath('?width=64')
    const [etag, bytes] = [whole.headers.get('etag')!, await whole.bytes()]
    assert.notEqual(etag, (await fetchPath('')).headers.get('etag'))
    assert.equal((await fetchPath('?width=64', { headers: { 'If-None-Match': etag } })).status, 304)
    const part = await fetchPath('?width=64', { headers: { Range: 'bytes=2-9' } })
    assert.deepEqual([part.status, await part.bytes()], [206, bytes.slice(2, 10)])
    const head = await fetchPath('?width=64', { method: 'HEAD' })
    assert.equal(head.headers.get('content-length'), String(bytes.length))
    assert.doesNotMatch(head.headers.get('cache-control')!, /immutable/)
    const { message } = (await service().fetchJson('/api/v2/random/animal/cat')).body
    assert.match((await fetch(`${message}?width=64`)).headers.get('cache-control')!, /immutable/)
  })

  it('are described by ?format=json', async () => {
    for (const query of ['', '?width=128']) {
      const { body } = await service().fetchJson(`/media/animals/cat/tom.jpg${query}${query ? '&' : '?'}format=json`)
      const reply = await fetch(body.message)
      const [{ width, height }, size] = [await readSize(reply.clone()), (await reply.bytes()).length]
      assert.deepEqual([body.item.width, body.item.height, body.item.size], [width, height, size])
      assert.deepEqual([body.item.alt, body.item.author, body.item.license], ['A cat on a sofa', 'Zoë', 'CC0-1.0'])
      assert.match(body.item.color, /^#[0-9a-f]{6}$/)
      assert.match(body.message, /tom-[0-9a-f]{12}\.jpg(\?width=128)?$/)
    }
  })
})

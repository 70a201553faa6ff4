import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { startPictureSource } from '../../../kit/picture-source.ts'
import { createNoisyImage } from '../../../kit/pictures.ts'
import { forSuite } from '../../../kit/scope.ts'
import { startTestService } from '../../../kit/service.ts'

const FILTERS = ['blur', 'greyscale', 'contrast', 'invert', 'dither565', 'normalize']
const FRESH = { 'cache-control': 'max-age=600' }

describe('image filters', () => {
  const suite = forSuite(async (scope) => {
    const source = await startPictureSource(scope)
    const service = await startTestService(scope, { FILTER_ALLOW_HOSTS: source.host })
    for (const type of ['jpeg', 'png', 'webp', 'gif', 'avif'] as const) {
      source.put(`/cat.${type}`, { type: `image/${type}`, body: await createNoisyImage(type, 40, 30), headers: FRESH })
    }
    return { source, service }
  })
  const filterUrl = (filter: string, image: string, more = '', version = 'v2') =>
    `/api/${version}/filter/${filter}?image=${encodeURIComponent(suite().source.url + image)}${more}`
  const fetchPath = (path: string, init?: RequestInit) => suite().service.fetchPath(path, init)
  const fetchJson = (path: string, init?: RequestInit) => suite().service.fetchJson(path, init)

  for (const version of ['v1', 'v2']) {
    for (const filter of FILTERS) {
      it(`${version} ${filter} returns the filtered image in the format of the source`, async () => {
        const response = await fetchPath(filterUrl(filter, '/cat.png', '', version))
        assert.equal(response.status, 200)
        assert.equal(response.headers.get('content-type'), 'image/png')
        const bytes = await response.bytes()
        assert.equal(bytes.length, Number(response.headers.get('content-length')))
        const { width, height, format } = await sharp(bytes).metadata()
        assert.deepEqual([width, height, format], [40, 30, 'png'])
        assert.match(response.headers.get('etag') ?? '', /^"/)
        assert.match(
          response.headers.get('server-timing') ?? '',
          /fetch;dur=[\d.]+, decode;dur=.*filter;dur=.*encode;dur=/,
        )
      })
    }
  }

  it('invert computes 255 - v for each pixel', async () => {
    const plain = await sharp(await createNoisyImage('png', 40, 30))
      .removeAlpha()
      .raw()
      .toBuffer()
    const { source } = suite()
    source.put('/exact.png', {
      type: 'image/png',
      body: await sharp(plain, { raw: { width: 40, height: 30, channels: 3 } })
        .png()
        .toBuffer(),
    })
    const inverted = await sharp(await (await fetchPath(filterUrl('invert', '/exact.png'))).bytes())
      .removeAlpha()
      .raw()
      .toBuffer()
    assert.deepEqual(
      [...inverted],
      [...plain].map((value) => 255 - value),
    )
  })

  it('the format of the source is kept unless output selects another', async () => {
    for (const type of ['jpeg', 'png', 'webp', 'gif', 'avif']) {
      assert.equal((await fetchPath(filterUrl('invert', `/cat.${type}`))).headers.get('content-type'), `image/${type}`)
      assert.equal(
        (await fetchPath(filterUrl('invert', '/cat.png', `&output=${type}`))).headers.get('content-type'),
        `image/${type}`,
      )
    }
  })

  it('the second request is an identical hit, and supports If-None-Match', async () => {
    const url = filterUrl('blur', '/cat.jpeg', '&strength=3')
    const first = await fetchPath(url)
    const second = await fetchPath(url)
    assert.deepEqual([first.headers.get('x-cache'), second.headers.get('x-cache')], ['miss', 'hit'])
    assert.deepEqual(await second.bytes(), await first.bytes())
    assert.match(first.headers.get('cache-control') ?? '', /max-age=\d+/)
    const etag = first.headers.get('etag') ?? ''
    const fetched = suite().source.requestedPaths.length
    assert.equal((await fetchPath(url, { headers: { 'if-none-match': etag } })).status, 304)
    assert.equal(suite().source.requestedPaths.length, fetched)
    const head = await fetchPath(url, { method: 'HEAD' })
    assert.equal(head.headers.get('content-length'), first.headers.get('content-length'))
    assert.equal(head.headers.get('x-cache'), 'hit')
  })

  it('image, JSON and 304 replies vary by Accept', async () => {
    const url = filterUrl('invert', '/cat.jpeg')
    const picture = await fetchPath(url)
    const etag = picture.headers.get('etag') ?? ''
    const others = [{ accept: 'application/json' }, { 'if-none-match': etag }]
    const replies = [picture, ...(await Promise.all(others.map((headers) => fetchPath(url, { headers }))))]
    assert.deepEqual(
      replies.map(({ status, headers }) => [status, headers.get('vary')]),
      [200, 200, 304].map((status) => [status, 'Accept']),
    )
  })

  it('six filters of one image fetch it once', async () => {
    const { source } = suite()
    source.put('/once.png', { type: 'image/png', body: await createNoisyImage('png'), headers: FRESH })
    await Promise.all(FILTERS.map((filter) => fetchPath(filterUrl(filter, '/once.png'))))
    assert.equal(source.requestedPaths.filter((path) => path === '/once.png').length, 1)
  })

  it('identical requests under way share one computation', async () => {
    suite().source.put('/same.png', { type: 'image/png', body: await createNoisyImage('png', 600, 400) })
    const replies = await Promise.all(Array.from({ length: 5 }, () => fetchPath(filterUrl('blur', '/same.png'))))
    const how = replies.map(({ headers }) => headers.get('x-cache')).sort()
    assert.deepEqual(how, ['miss', 'shared', 'shared', 'shared', 'shared'])
  })

  for (const [version, envelope] of [
    ['v1', { category: 'filter', endpoint: 'blur' }],
    ['v2', { info: { category: 'filter', endpoint: 'blur' } }],
  ] as const) {
    it(`${version} returns JSON with a link to the image`, async () => {
      for (const [more, headers] of [
        ['&format=json', {}],
        ['', { accept: 'application/json' }],
      ] as const) {
        const { body } = await fetchJson(filterUrl('blur', '/cat.gif', `&strength=2&output=png${more}`, version), {
          headers,
        })
        const { message, item, ...rest } = body
        assert.deepEqual(rest, { success: true, status: 200, ...envelope })
        assert.ok(message.startsWith(suite().service.url))
        const picture = await fetch(message, { headers: { accept: 'application/json' } })
        assert.equal(picture.headers.get('content-type'), 'image/png')
        const bytes = await picture.bytes()
        const { width, height } = await sharp(bytes).metadata()
        assert.deepEqual(item, { type: 'image/png', width, height, size: bytes.length, pages: 1 })
      }
    })
  }

  it('an animation stays animated', async () => {
    const { createAnimation: animation } = await import('../../../kit/pictures.ts')
    suite().source.put('/move.gif', { type: 'image/gif', body: await animation('gif', 5, 32) })
    const { body } = await fetchJson(filterUrl('greyscale', '/move.gif', '&format=json'))
    assert.equal(body.item.pages, 5)
  })

  it('strength is ignored by filters without strength', async () => {
    assert.equal((await fetchPath(filterUrl('invert', '/cat.png', '&strength=abc'))).status, 200)
  })

  it('the order of parameters does not matter, and the blocklist applies', async () => {
    const image = encodeURIComponent(`${suite().source.url}/cat.png`)
    assert.equal((await fetchPath(`/api/v2/filter/blur?strength=2&image=${image}`)).status, 200)
    const { body } = await fetchJson('/api/v1/filter/blur?image=https://www.bit.ly/x.png')
    assert.equal(body.code, 'IMAGE_HOST_BLOCKED')
  })

  it('pictures of the service are filtered without a network request', async () => {
    const { service } = suite()
    const { body } = await service.fetchJson('/api/v1/animals/cat')
    const filtered = await fetchPath(`/api/v1/filter/greyscale?image=${encodeURIComponent(body.message)}`)
    assert.equal(filtered.status, 200)
    assert.equal(filtered.headers.get('content-type'), 'image/webp')
    const { width } = await sharp(await filtered.bytes()).metadata()
    assert.equal(width, 512)
    const svg = encodeURIComponent(`${service.url}/media/animals/cat/~Ann.svg`)
    assert.equal((await fetchPath(`/api/v1/filter/greyscale?image=${svg}`)).headers.get('content-type'), 'image/png')
    for (const path of ['/media/animals/cat/nothing.png', '/media/animals/cat/..%2f..%2fx', '/media/animals/cat']) {
      const { status } = await fetchJson(`/api/v1/filter/greyscale?image=${encodeURIComponent(service.url + path)}`)
      assert.ok([403, 404].includes(status), `${path} ${status}`)
    }
    for (const name of ['%ff.png', '%zz', '%']) {
      const image = encodeURIComponent(`${service.url}/media/animals/cat/${name}`)
      assert.equal((await fetchJson(`/api/v1/filter/greyscale?image=${image}`)).body.code, 'MEDIA_NOT_FOUND', name)
    }
    for (const credentials of ['me', 'me:word', ':word']) {
      const image = encodeURIComponent(body.message.replace('://', `://${credentials}@`))
      const refused = await fetchJson(`/api/v1/filter/greyscale?image=${image}`)
      assert.equal(refused.body.code, 'IMAGE_URL_INVALID', credentials)
    }
    for (const url of [`${service.url}/api/v1/version`, `${service.url}/media/animals/../../api`]) {
      assert.equal(
        (await fetchJson(`/api/v1/filter/greyscale?image=${encodeURIComponent(url)}`)).body.code,
        'IMAGE_ADDRESS_FORBIDDEN',
      )
    }
    const named = await fetchJson(`/api/v1/filter/blur?image=${encodeURIComponent('menagerie:cat/~x.webp')}`)
    assert.equal(named.body.code, 'IMAGE_URL_INVALID')
  })
})

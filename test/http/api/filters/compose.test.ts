import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import sharp from 'sharp'
import { startPictureSource } from '../../../kit/picture-source.ts'
import { createNoisyImage } from '../../../kit/pictures.ts'
import { forSuite } from '../../../kit/scope.ts'
import { startTestService } from '../../../kit/service.ts'

describe('composed filters', () => {
  const suite = forSuite(async (scope) => {
    const source = await startPictureSource(scope)
    const service = await startTestService(scope, { FILTER_ALLOW_HOSTS: source.host })
    source.put('/cat.png', { type: 'image/png', body: await createNoisyImage('png', 40, 30) })
    source.put('/broken.png', { type: 'image/png', body: Buffer.from('\x89PNG\r\n\x1a\nnothing', 'latin1') })
    return { source, service }
  })
  const pathOf = (filter: string, more: string, image = '/cat.png', version = 'v2') =>
    `/api/${version}/filter/${filter}?image=${encodeURIComponent(suite().source.url + image)}${more}`
  const fetchImage = async (path: string) => {
    const response = await suite().service.fetchPath(path, { headers: { accept: 'image/*' } })
    return { response, bytes: await response.bytes() }
  }
  const fetchError = async (path: string) => {
    const { status, body } = await suite().service.fetchJson(path)
    return [status, body.code, body.parameter]
  }

  it('a chain applies its steps in their order', async () => {
    const { bytes } = await fetchImage(pathOf('chain', '&steps=greyscale,blur:3'))
    const { bytes: grey } = await fetchImage(pathOf('greyscale', ''))
    suite().source.put('/grey.png', { type: 'image/png', body: Buffer.from(grey) })
    const { bytes: expected } = await fetchImage(pathOf('blur', '&strength=3', '/grey.png'))
    const readPixels = (image: Uint8Array) => sharp(image).toColourspace('srgb').removeAlpha().raw().toBuffer()
    assert.deepEqual(await readPixels(bytes), await readPixels(expected))
  })

  it('a chain without steps only resizes', async () => {
    const { bytes } = await fetchImage(pathOf('chain', '&width=20&output=webp'))
    const { width, height, format } = await sharp(bytes).metadata()
    assert.deepEqual([width, height, format], [20, 15, 'webp'])
  })

  it('every v2 filter resizes, and the link of its JSON does the same', async () => {
    const { body } = await suite().service.fetchJson(pathOf('invert', '&width=20&height=20&fit=cover&format=json'))
    assert.deepEqual([body.item.width, body.item.height], [20, 20])
    const { pathname, search } = new URL(body.message)
    const { bytes } = await fetchImage(pathname + search)
    assert.equal((await sharp(bytes).metadata()).width, 20)
  })

  it('maxBytes limits the size of the result', async () => {
    const { bytes, response } = await fetchImage(pathOf('invert', '&maxBytes=900'))
    assert.equal(response.status, 200)
    assert.ok(bytes.length <= 900)
    assert.deepEqual(await fetchError(pathOf('invert', '&maxBytes=10')), [422, 'CANNOT_FIT', undefined])
  })

  it('invalid steps and sizes are errors', async () => {
    for (const [query, parameter] of [
      ['&steps=sepia', 'steps'],
      [`&steps=${Array(9).fill('invert').join()}`, 'steps'],
      ['&width=0', 'width'],
      ['&width=9000', 'width'],
      ['&height=1.5', 'height'],
      ['&fit=fill', 'fit'],
      ['&maxBytes=0', 'maxBytes'],
      ['&fallback=unicorn', 'fallback'],
    ]) {
      assert.deepEqual(await fetchError(pathOf('chain', query!)), [400, 'INVALID_PARAMETER', parameter])
    }
    assert.deepEqual(await fetchError(pathOf('chain', '&steps=blur:999')), [400, 'STRENGTH_OUT_OF_RANGE', undefined])
    assert.deepEqual(await fetchError(pathOf('chain', '', '/cat.png', 'v1')), [404, 'UNKNOWN_KIND', undefined])
  })

  it('if the source fails, an image request gets a drawing of the wanted size', async () => {
    const { source, service } = suite()
    for (const [image, code] of [
      [`${source.url}/broken.png`, 'IMAGE_UNREADABLE'],
      [`${source.url}/missing.png`, 'IMAGE_UNREACHABLE'],
      [`${service.url}/media/animals/fox/missing.png`, 'MEDIA_NOT_FOUND'],
      [`${service.url}/media/animals/dragon/missing.png`, 'MEDIA_NOT_FOUND'],
      ['not a URL', 'IMAGE_URL_INVALID'],
    ] as const) {
      const query = new URLSearchParams({ fallback: 'cat', width: '64', height: '48', image })
      const { response, bytes } = await fetchImage(`/api/v2/filter/blur?${query}`)
      assert.deepEqual([response.status, response.headers.get('x-fallback')], [200, code])
      assert.match(response.headers.get('cache-control') ?? '', /max-age=60$/)
      const { width, height } = await sharp(bytes).metadata()
      assert.deepEqual([width, height], [64, 48])
    }
  })

  it('a fallback does not hide errors of the request, nor errors in JSON', async () => {
    const path = pathOf('blur', '&fallback=cat&format=json', '/missing.png')
    assert.deepEqual(await fetchError(path), [502, 'IMAGE_UNREACHABLE', undefined])
    const wrong = await fetchImage(pathOf('blur', '&fallback=cat&strength=x'))
    assert.equal(wrong.response.status, 400)
    assert.equal((await fetchImage('/api/v2/filter/blur?fallback=cat')).response.status, 400)
    const fine = await fetchImage(pathOf('blur', '&fallback=cat'))
    assert.deepEqual([fine.response.status, fine.response.headers.get('x-fallback')], [200, null])
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readLogs } from '../../../kit/log-files.ts'
import { type Answer, startPictureSource } from '../../../kit/picture-source.ts'
import { createNoisyImage } from '../../../kit/pictures.ts'
import { forSuite } from '../../../kit/scope.ts'
import { startTestService } from '../../../kit/service.ts'
import { passTurns } from '../../../kit/turns.ts'
import { until } from '../../../kit/until.ts'

/** Compressed once: under load this takes longer than the time limit of a fetch. */
const gzipBomb = gzipSync(Buffer.alloc(40_000_000))

const STRENGTHS: [string, string, number, string][] = [
  ['blur', '', 400, 'STRENGTH_NOT_A_NUMBER'],
  ['blur', 'abc', 400, 'STRENGTH_NOT_A_NUMBER'],
  ['blur', 'NaN', 400, 'STRENGTH_NOT_A_NUMBER'],
  ['blur', 'Infinity', 400, 'STRENGTH_NOT_A_NUMBER'],
  ['blur', '1e400', 400, 'STRENGTH_NOT_A_NUMBER'],
  ['blur', '0x10', 400, 'STRENGTH_NOT_A_NUMBER'],
  ['blur', '%205%20', 400, 'STRENGTH_NOT_A_NUMBER'],
  ['blur', '0', 400, 'STRENGTH_OUT_OF_RANGE'],
  ['blur', '256.5', 400, 'STRENGTH_OUT_OF_RANGE'],
  ['blur', '-3', 400, 'STRENGTH_OUT_OF_RANGE'],
  ['contrast', '-1.0000001', 400, 'STRENGTH_OUT_OF_RANGE'],
  ['contrast', '1.1', 400, 'STRENGTH_OUT_OF_RANGE'],
  ['blur', '5&strength=6', 400, 'REPEATED_PARAMETER'],
]

const URLS: [string, number, string][] = [
  ['', 400, 'IMAGE_MISSING'],
  ['cat.png', 400, 'IMAGE_URL_INVALID'],
  ['ftp://a.example/cat.png', 400, 'IMAGE_URL_INVALID'],
  ['file:///etc/passwd', 400, 'IMAGE_URL_INVALID'],
  ['data:image/png;base64,AAAA', 400, 'IMAGE_URL_INVALID'],
  ['http://user:pass@a.example/cat.png', 400, 'IMAGE_URL_INVALID'],
  [`http://a.example/${'x'.repeat(5000)}`, 400, 'IMAGE_URL_INVALID'],
  ['http://localhost/cat.png', 403, 'IMAGE_ADDRESS_FORBIDDEN'],
  ['http://127.0.0.1/cat.png', 403, 'IMAGE_ADDRESS_FORBIDDEN'],
  ['http://2130706433/', 403, 'IMAGE_ADDRESS_FORBIDDEN'],
  ['http://0x7f.1/', 403, 'IMAGE_ADDRESS_FORBIDDEN'],
  ['http://[::1]/', 403, 'IMAGE_ADDRESS_FORBIDDEN'],
  ['http://[::ffff:10.0.0.1]/', 403, 'IMAGE_ADDRESS_FORBIDDEN'],
  ['http://169.254.169.254/latest/meta-data', 403, 'IMAGE_ADDRESS_FORBIDDEN'],
  ['https://grabify.link/abc', 403, 'IMAGE_HOST_BLOCKED'],
  ['https://sub.grabify.link/abc', 403, 'IMAGE_HOST_BLOCKED'],
]

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

const breakOff: Answer = (_, response) => {
  const destroyLater = () => void passTurns().then(() => response.destroy())
  response.writeHead(200, { 'content-length': '1000' }).write('x', destroyLater)
}

const trickle: Answer = (_, response) => {
  response.writeHead(200)
  setInterval(() => response.write('x'), 200).unref()
}

/** Replies of a source, and the status and code that the client then gets. */
const ANSWERS: [string, Answer, number, string][] = [
  ['404', (_, r) => r.writeHead(404).end('no'), 502, 'IMAGE_UNREACHABLE'],
  ['500', (_, r) => r.writeHead(500).end('no'), 502, 'IMAGE_UNREACHABLE'],
  ['204', (_, r) => r.writeHead(204).end(), 502, 'IMAGE_UNREACHABLE'],
  ['a reset half way', breakOff, 502, 'IMAGE_UNREACHABLE'],
  [
    'a redirect to a private address',
    (_, r) => r.writeHead(302, { location: 'http://10.0.0.1/x.png' }).end(),
    403,
    'IMAGE_ADDRESS_FORBIDDEN',
  ],
  [
    'a redirect to another scheme',
    (_, r) => r.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    502,
    'IMAGE_UNREACHABLE',
  ],
  ['a redirect to itself', (q, r) => r.writeHead(302, { location: q.url ?? '' }).end(), 502, 'IMAGE_UNREACHABLE'],
  ['nothing', (_, r) => r.writeHead(200, { 'content-type': 'image/png' }).end(), 422, 'IMAGE_UNREADABLE'],
  [
    'HTML with the type of an image',
    (_, r) => r.writeHead(200, { 'content-type': 'image/png' }).end('<!doctype html><p>hi'),
    415,
    'IMAGE_TYPE_UNSUPPORTED',
  ],
  [
    'an SVG named .png',
    (_, r) => r.writeHead(200, { 'content-type': 'image/png' }).end(SVG),
    415,
    'IMAGE_TYPE_UNSUPPORTED',
  ],
  ['a PDF', (_, r) => r.writeHead(200).end('%PDF-1.7\n'), 415, 'IMAGE_TYPE_UNSUPPORTED'],
  ['a gzip bomb', (_, r) => r.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipBomb), 413, 'IMAGE_TOO_LARGE'],
  [
    'more bytes than allowed',
    (_, r) => r.writeHead(200, { 'content-length': '999999999' }).flushHeaders(),
    413,
    'IMAGE_TOO_LARGE',
  ],
  ['a byte a second', trickle, 504, 'IMAGE_TIMEOUT'],
]

describe('bad input to image filters', () => {
  const suite = forSuite(async (scope) => {
    const source = await startPictureSource(scope)
    const settings = { FILTER_ALLOW_HOSTS: source.host, FILTER_TIMEOUT_MS: '8000', FILTER_MAX_PIXELS: '100000' }
    const service = await startTestService(scope, settings)
    source.put('/good.png', { type: 'text/plain', body: await createNoisyImage('png') })
    return { source, service }
  })
  const requestFilter = (filter: string, image: string, more = '') =>
    suite().service.fetchJson(`/api/v1/filter/${filter}?image=${encodeURIComponent(image)}${more}`)
  const expectError = async (reply: ReturnType<typeof requestFilter>, status: number, code: string) => {
    const { status: answered, body } = await reply
    assert.deepEqual([answered, body.code], [status, code], body.message)
    assert.doesNotMatch(body.message, /127\.0\.0\.1|10\.0\.0\.1/)
    return body
  }

  for (const [filter, strength, status, code] of STRENGTHS) {
    it(`${filter} with strength ${strength || '(empty)'} is ${status} ${code}`, async () => {
      await expectError(requestFilter(filter, `${suite().source.url}/good.png`, `&strength=${strength}`), status, code)
    })
  }
  for (const [url, status, code] of URLS) {
    it(`image=${url.slice(0, 50) || '(empty)'} is ${status} ${code}`, async () => {
      await expectError(requestFilter('blur', url), status, code)
    })
  }
  for (const [what, answer, status, code] of ANSWERS) {
    it(`a source that answers ${what} is ${status} ${code}`, async () => {
      await expectError(
        requestFilter('invert', suite().source.put(`/${encodeURIComponent(what)}`, answer)),
        status,
        code,
      )
    })
  }

  it('errors contain the status of the source and the range of the strength', async () => {
    assert.equal(
      (await expectError(requestFilter('blur', `${suite().source.url}/missing`), 502, 'IMAGE_UNREACHABLE'))
        .sourceStatus,
      404,
    )
    const { min, max } = await expectError(
      requestFilter('blur', `${suite().source.url}/good.png`, '&strength=999'),
      400,
      'STRENGTH_OUT_OF_RANGE',
    )
    assert.deepEqual([min, max], [1, 256])
  })

  it('a missing image, an unknown filter and an unknown output are errors', async () => {
    const { fetchJson } = suite().service
    assert.equal((await fetchJson('/api/v2/filter/blur')).body.code, 'IMAGE_MISSING')
    const { status, body } = await fetchJson('/api/v2/filter/sepia?image=x')
    assert.deepEqual([status, body.code, body.allowed.length], [404, 'UNKNOWN_KIND', 7])
    assert.equal(
      (await requestFilter('blur', `${suite().source.url}/good.png`, '&output=bmp')).body.code,
      'INVALID_PARAMETER',
    )
  })

  it('too many pixels are refused before they are decoded', async () => {
    const { source } = suite()
    const large = await createNoisyImage('png', 400, 300)
    await expectError(
      requestFilter('blur', source.put('/large.png', { type: 'image/png', body: large })),
      413,
      'IMAGE_TOO_MANY_PIXELS',
    )
  })

  it('a truncated image is 422, and an image sent as text is filtered', async () => {
    const { source } = suite()
    const whole = await createNoisyImage('jpeg', 200, 200)
    const half = source.put('/half.jpg', { type: 'image/jpeg', body: whole.subarray(0, whole.length / 2) })
    await expectError(requestFilter('invert', half), 422, 'IMAGE_UNREADABLE')
    const response = await suite().service.fetchPath(
      `/api/v1/filter/invert?image=${encodeURIComponent(`${source.url}/good.png`)}`,
    )
    assert.equal(response.status, 200)
  })

  it('only the host of an image is logged', async () => {
    const { service, source } = suite()
    const { body } = await requestFilter('blur', `${source.url}/very-private-name.png?token=1`)
    await until(async () => (await readLogs(service.dataDir)).includes(`"id":"${body.requestId}"`))
    assert.doesNotMatch(await readLogs(service.dataDir), /very-private|token=1/)
  })

  it('the service still works after all of this', async () => {
    const response = await suite().service.fetchPath(
      `/api/v1/filter/blur?image=${encodeURIComponent(`${suite().source.url}/good.png`)}`,
    )
    assert.equal(response.status, 200)
  })
})

it('FILTER_PORTS sets the ports that images may be fetched from', async (t) => {
  const service = await startTestService(t, { FILTER_PORTS: '8000-8010' })
  const filter = async (image: string) =>
    (await service.fetchJson(`/api/v2/filter/invert?image=${encodeURIComponent(image)}`)).body
  const { code, message } = await filter('http://pictures.invalid/cat.png')
  assert.equal(code, 'IMAGE_ADDRESS_FORBIDDEN')
  assert.equal(message, 'The image URL uses port 80; allowed are 8000-8010. Use another URL.')
  assert.equal((await filter('http://pictures.invalid:8005/cat.png')).code, 'IMAGE_UNREACHABLE')
})

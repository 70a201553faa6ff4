// Every bad request gets a JSON error, and the service keeps running.
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext, test } from 'node:test'
import * as errors from '../../../src/errors/index.ts'
import { buildErrorReply } from '../../../src/http/kernel/error-replies.ts'
import { createHttpServer } from '../../../src/http/kernel/http-server.ts'
import { json } from '../../../src/http/kernel/replies.ts'
import type { RequestContext } from '../../../src/http/kernel/request-context.ts'
import { get, post, put, type Route } from '../../../src/http/kernel/route.ts'
import { openSocket, parseRaw, sendRaw } from '../../kit/raw-http.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'
import { until } from '../../kit/until.ts'

const buildRequest = (path: string, extra = '') =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${extra}Connection: close\r\n\r\n`

function assertError(reply: { status: number; headers: Map<string, string>; body: any }, status: number, code: string) {
  assert.equal(reply.status, status)
  const { message, requestId } = reply.body
  assert.deepEqual(
    { success: reply.body.success, status: reply.body.status, code: reply.body.code },
    { success: false, status, code },
  )
  assert.equal(typeof message, 'string')
  assert.match(requestId, /^[0-9a-f]{12}-[0-9a-z]+$/)
  assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
  assert.doesNotMatch(JSON.stringify(reply.body), /\.ts\b|node_modules|\/src\/|127\.0\.0\.1/)
}

describe('errors', () => {
  const suite = forSuite((scope) => startTestService(scope))

  const raw = async (request: string) => parseRaw(await sendRaw(suite().url, request))

  const cases: [string, string, number, string][] = [
    ['an unknown path', buildRequest('/nope'), 404, 'UNKNOWN_PATH'],
    ['the prototype as a path', buildRequest('/__proto__'), 404, 'UNKNOWN_PATH'],
    ['a doubled slash', buildRequest('//api'), 404, 'UNKNOWN_PATH'],
    ['a trailing slash', buildRequest('/api/v1/version/'), 404, 'UNKNOWN_PATH'],
    ['upper case', buildRequest('/API'), 404, 'UNKNOWN_PATH'],
    ['malformed percent-encoding', buildRequest('/%ZZ'), 400, 'BAD_PATH'],
    ['malformed percent-encoding below a route', buildRequest('/api/v1/static/logs/%E0%A4'), 400, 'BAD_PATH'],
    ['a URL of 9,000 characters', buildRequest(`/${'a'.repeat(9000)}`), 414, 'URI_TOO_LONG'],
    ['a URL of 100,000 characters', buildRequest(`/${'a'.repeat(100_000)}`), 414, 'URI_TOO_LONG'],
    ['100 KB of headers', buildRequest('/api', `X-Long: ${'b'.repeat(100_000)}\r\n`), 431, 'HEADERS_TOO_LARGE'],
    ['a bad query', buildRequest('/api/v1/static/logs/x.log?lines=-1'), 400, 'INVALID_PARAMETER'],
    ['an empty number', buildRequest('/api/v1/static/logs/x.log?lines='), 400, 'INVALID_PARAMETER'],
    ['a hexadecimal number', buildRequest('/api/v1/static/logs/x.log?lines=0x10'), 400, 'INVALID_PARAMETER'],
    ['a repeated parameter', buildRequest('/api/v1/static/logs/x.log?lines=1&lines=2'), 400, 'REPEATED_PARAMETER'],
    ['HTTP/1.1 without Host', 'GET /api HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'BAD_REQUEST'],
    ['bytes that are not HTTP', 'hello\r\n\r\n', 400, 'BAD_REQUEST'],
    ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'BAD_REQUEST'],
    ['a method that does not exist', 'BREW /api HTTP/1.1\r\nHost: x\r\n\r\n', 501, 'METHOD_UNKNOWN'],
    ['a method in lower case', 'get /api HTTP/1.1\r\nHost: x\r\n\r\n', 501, 'METHOD_UNKNOWN'],
    ['an unknown method without a URL', 'BREW HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'BAD_REQUEST'],
    [
      'two Content-Length headers',
      buildRequest('/api', 'Content-Length: 1\r\nContent-Length: 2\r\n'),
      400,
      'BAD_REQUEST',
    ],
    [
      'Content-Length with chunked encoding',
      buildRequest('/api', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'),
      400,
      'BAD_REQUEST',
    ],
    ['an unknown expectation', buildRequest('/api', 'Expect: miracles\r\n'), 417, 'EXPECTATION_FAILED'],
    ['TRACE', 'TRACE /api HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
    ['CONNECT', 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
    [
      'OPTIONS without a preflight',
      'OPTIONS /api HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      405,
      'METHOD_NOT_ALLOWED',
    ],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404, 'UNKNOWN_PATH'],
  ]
  for (const [what, request, status, code] of cases) {
    it(`${what} is ${status} ${code}`, async () => assertError(await raw(request), status, code))
  }

  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
    it(`${method} with a body on a known path is 405 with Allow`, async () => {
      const reply = await raw(`${method} /api/v1/version HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody`)
      assertError(reply, 405, 'METHOD_NOT_ALLOWED')
      assert.equal(reply.headers.get('allow'), 'GET, HEAD')
      assert.deepEqual(reply.body.allowed, ['GET', 'HEAD'])
    })
  }

  it('more than 128 headers are refused, also if the request is not complete', async () => {
    const request = (count: number) => `GET /api HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(count - 1)}`
    assertError(await raw(request(300)), 431, 'HEADERS_TOO_LARGE')
    assertError(await raw(`${request(129)}\r\n`), 431, 'HEADERS_TOO_LARGE')
    assert.equal((await raw(`${request(128)}\r\n`)).status, 200)
  })

  it('a similar path is suggested', async () => {
    for (const near of ['/api/v1/version/', '//api/v1//version', '/API/V1/Version']) {
      assert.equal((await raw(buildRequest(near))).body.suggestion, '/api/v1/version', near)
    }
  })

  it('a missing last segment and the spelling of another API version are suggested', async () => {
    for (const [path, suggestion] of [
      ['/api/v1/animals', '/api/v1/animals/cat'],
      ['/api/v2/random/animal?count=3', '/api/v2/random/animal/cat'],
      ['/api/v2/random/animals/cat', '/api/v2/random/animal/cat'],
      ['/api/v1/animal/dog', '/api/v1/animals/dog'],
      ['/api/v2/filters/blur', '/api/v2/filter/blur'],
      ['/api/v5/app/launcher/update', '/api/v5/app/launcher/updates'],
    ] as const) {
      assert.equal((await raw(buildRequest(path))).body.suggestion, suggestion, path)
    }
    const { body } = await raw(buildRequest('/api/v2/random/animal'))
    assert.ok(body.allowed.includes('alpaca'), 'all kinds are listed')
    const deep = (await raw(buildRequest(`/api${'/x'.repeat(50)}`))).body
    assert.deepEqual([deep.suggestion, deep.allowed], [undefined, undefined])
    const long = (await raw(buildRequest(`/media/animals//cat/~${'x'.repeat(4000)}.png`))).body
    assert.equal(long.suggestion, undefined, 'a long path is not repeated')
  })

  it('an invalid parameter is explained', async () => {
    const { body } = await raw(buildRequest('/api/v1/static/logs/x.log?lines=1001'))
    assert.deepEqual([body.parameter, body.min, body.max], ['lines', 1, 1000])
    assert.match(body.message, /whole number from 1 to 1000/)
  })

  it('unknown parameters are ignored, also if repeated', async () => {
    assert.equal((await suite().fetchPath('/api/v1/version?x=1&x=2&__proto__=3')).status, 200)
  })

  it('HTTP/1.0, absolute targets and pipelining are served', async () => {
    assert.match(await sendRaw(suite().url, 'GET /api/v1/version HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200/)
    assert.match(await sendRaw(suite().url, buildRequest('http://x/api/v1/version')), /^HTTP\/1\.1 200/)
    const one = 'GET /api/v1/version HTTP/1.1\r\nHost: x\r\n\r\n'
    const many = await sendRaw(suite().url, one.repeat(20))
    assert.equal(many.match(/HTTP\/1\.1 200 OK/g)?.length, 20)
  })

  it('an invalid request does not affect the reply to the request before it', async () => {
    const both = await sendRaw(suite().url, 'GET /api/v1/version HTTP/1.1\r\nHost: x\r\n\r\nrubbish\r\n\r\n')
    assert.match(both, /^HTTP\/1\.1 200 OK[\s\S]*"version"/)
  })

  it('the service still replies after all of this', async () => {
    assert.equal((await suite().fetchPath('/api/v1/version')).status, 200)
  })
})

async function serve(t: TestContext, routes: Route[]) {
  const logged: Record<string, unknown>[] = []
  const note = (fields: object) => void logged.push(fields as Record<string, unknown>)
  const log = { debug: note, info: note, warn: note, error: note } as never
  const server = createHttpServer({ routes, log, observe: () => {}, publicUrl: '', trustProxy: [] })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise((resolve) => server.close(resolve)))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, logged }
}

const broken = () => {
  throw new TypeError('secret /srv/file of 10.0.0.1')
}

test('a bug is 500 with a requestId; only the log has the details', async (t) => {
  const { url, logged } = await serve(t, [
    get('/sync', { tag: '', summary: '', handle: broken }),
    get('/async', { tag: '', summary: '', handle: async () => broken() }),
    get('/good', { tag: '', summary: '', handle: () => json({}) }),
  ])
  for (const path of ['/sync', '/async']) {
    const response = await fetch(url + path)
    const body = (await response.json()) as Record<string, string>
    assert.equal(response.status, 500)
    assert.equal(body.code, 'INTERNAL_ERROR')
    assert.equal(body.requestId, response.headers.get('x-request-id'))
    assert.doesNotMatch(JSON.stringify(body), /secret|srv|TypeError/)
    const line = logged.find(({ requestId }) => requestId === body.requestId)
    assert.match(String(line?.err), /^TypeError: secret/)
  }
  assert.equal((await fetch(`${url}/good`)).status, 200)
})

test('headers that arrive too slowly are cut off with 408', async (t) => {
  const { server, url } = await serve(t, [])
  assert.equal(server.headersTimeout, 10_000)
  server.headersTimeout = 100
  const reply = parseRaw(await sendRaw(url, 'GET /api HTTP/1.1\r\nHost: x\r\n'))
  assertError(reply, 408, 'REQUEST_TIMEOUT')
})

test('a body that arrives too slowly is cut off, but a file may take longer', async (t) => {
  const readAll = async ({ request }: RequestContext) => {
    let text = ''
    for await (const chunk of request) text += chunk
    return json({ text })
  }
  const { server, url } = await serve(t, [
    post('/text', { tag: '', summary: '', handle: readAll }),
    put('/file', { tag: '', summary: '', receivesFile: true, handle: readAll }),
  ])
  assert.equal(server.requestTimeout, 30_000)
  server.requestTimeout = 100
  const begin = (target: string) => openSocket(url, `${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na`)
  const file = await begin('PUT /file')
  const text = await begin('POST /text')
  await until(() => text.isClosed())
  assertError(parseRaw(text.received()), 408, 'REQUEST_TIMEOUT')
  file.socket.write('b')
  await until(() => file.received().endsWith('{"text":"ab"}'))
  file.socket.destroy()
})

test('a flood of invalid requests gets few log lines', async (t) => {
  const { url, logged } = await serve(t, [])
  const startedAt = performance.now()
  for (let i = 0; i < 100; i++) assertError(parseRaw(await sendRaw(url, 'rubbish\r\n\r\n')), 400, 'BAD_REQUEST')
  const seconds = Math.ceil((performance.now() - startedAt) / 1000) + 1
  assert.ok(logged.length >= 10 && logged.length <= 10 * seconds, `${logged.length} lines in ${seconds} seconds`)
})

test('every error with status 401 says how to authenticate', () => {
  const classes = Object.values(errors).filter(
    (value): value is errors.ErrorClass => 'status' in value && value.status === 401,
  )
  assert.ok(classes.length >= 4)
  for (const ErrorClass of classes) {
    const { headers } = buildErrorReply(new (ErrorClass as errors.ErrorClass<string[]>)('x'), '', {} as never)
    assert.ok(headers.includes('WWW-Authenticate'), ErrorClass.code)
  }
})

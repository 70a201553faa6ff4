import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { listen } from '../../../src/http/kernel/connections.ts'
import { createHttpServer } from '../../../src/http/kernel/http-server.ts'
import { formatHeaders, prepareReply, text } from '../../../src/http/kernel/replies.ts'
import { get } from '../../../src/http/kernel/route.ts'
import { compressible, encodeReply } from '../../../src/http/kernel/send.ts'
import { readLogs } from '../../kit/log-files.ts'
import { openSocket } from '../../kit/raw-http.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'
import { until } from '../../kit/until.ts'

describe('every reply', () => {
  const suite = forSuite((scope) => startTestService(scope))

  for (const path of ['/api/v1/version', '/nope', '/docs']) {
    it(`${path} carries the security headers, CORS and a request id`, async () => {
      const { headers } = await suite().fetchPath(path)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'.*frame-ancestors 'none'/)
      assert.equal(headers.get('access-control-allow-origin'), '*')
      assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f]{12}-/)
      assert.equal(headers.get('strict-transport-security'), null)
      assert.equal(headers.get('x-powered-by'), null)
    })
  }

  it('every request has its own id', async () => {
    const ids = await Promise.all(
      Array.from({ length: 50 }, async () => (await suite().fetchPath('/healthz')).headers.get('x-request-id')),
    )
    assert.equal(new Set(ids).size, 50)
  })

  it('a preflight is answered only for known paths and allows every header', async () => {
    const init = {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' },
    }
    const known = await suite().fetchPath('/api/v1/version', init)
    assert.equal(known.status, 204)
    assert.equal(known.headers.get('access-control-allow-methods'), 'GET, HEAD')
    // `*` does not include Authorization (Fetch standard).
    assert.match(known.headers.get('access-control-allow-headers') ?? '', /^\*, Authorization\b/)
    assert.equal((await suite().fetchPath('/nope', init)).status, 404)
  })

  it('absolute URLs start with the host of the request, but not with one that an unknown proxy forwards', async () => {
    const docsOf = async (headers: Record<string, string>) => {
      const { request } = await import('node:http')
      return new Promise<string>((resolve) => {
        request(`${suite().url}/api`, { headers }, (response) => {
          let text = ''
          response.on('data', (part) => {
            text += part
          })
          response.on('end', () => resolve(JSON.parse(text).links.docs))
        }).end()
      })
    }
    assert.equal(await docsOf({ host: 'animals.example' }), 'http://animals.example/docs')
    assert.equal(await docsOf({ host: 'a.example', 'x-forwarded-host': 'evil.example' }), 'http://a.example/docs')
  })

  it('the access log has one line per request, without the query and with the network of the client only', async () => {
    await suite().fetchPath('/api/v1/version?image=https://secret.example/private.png')
    await suite().fetchPath('/no/such/https://secret.example/private.png')
    await suite().fetchPath('/api/v1/static/generated/https%3A%2F%2Fsecret.example%2Fprivate.png')
    const read = () => readLogs(suite().dataDir)
    await until(async () => (await read()).includes('"/no/such'))
    const lines = (await read())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const line = lines.findLast(({ path }) => path === '/api/v1/version')
    assert.equal(line.client, '127.0.0.0/24')
    assert.equal(line.status, 200)
    assert.equal(typeof line.ms, 'number')
    assert.doesNotMatch(await read(), /secret|private|127\.0\.0\.1/)
  })
})

it('behind a trusted proxy the forwarded scheme, host and client count', async (t) => {
  const { fetchPath, fetchJson, dataDir } = await startTestService(t, { TRUST_PROXY: 'loopback, 10.0.0.0/8' })
  const { body } = await fetchJson('/api', {
    headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'animals.example' },
  })
  assert.equal(body.links.docs, 'https://animals.example/docs')
  await fetchPath('/healthz', { headers: { 'x-forwarded-for': '192.0.2.66, 198.51.100.7, 10.1.2.3' } })
  const read = () => readLogs(dataDir)
  await until(async () => (await read()).includes('/healthz'))
  const line = (await read()).split('\n').find((text) => text.includes('/healthz')) ?? ''
  assert.match(line, /"client":"198\.51\.100\.0\/24"/)
})

it('PUBLIC_URL is the start of absolute URLs; with https browsers must keep using https', async (t) => {
  const { fetchJson } = await startTestService(t, { PUBLIC_URL: 'https://animals.example/base/' })
  const { body, headers } = await fetchJson('/api', { headers: { 'x-forwarded-host': 'evil.example' } })
  assert.equal(body.links.docs, 'https://animals.example/base/docs')
  assert.match(headers.get('strict-transport-security') ?? '', /max-age=\d+/)
  const document = await fetchJson('/openapi.json')
  assert.deepEqual(document.body.servers, [{ url: 'https://animals.example/base' }])
})

const buildRequest = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const spec = { tag: '', summary: '' }
const streamed = (path: string, length: number | undefined, parts: string[]) =>
  get(path, {
    ...spec,
    handle: () => ({
      status: 200,
      headers: [],
      ...(length !== undefined && { length }),
      body: Readable.from(
        parts.map((part) => Buffer.from(part)),
        { objectMode: false },
      ),
    }),
  })

const routes = [
  streamed('/exact', 6, ['abc', 'def']),
  streamed('/unknown', undefined, ['abc', 'def']),
  streamed('/longer', 4, ['abc', 'def']),
  streamed('/appended', 3, ['abc', 'HTTP/1.1 200 OK\r\n\r\n']),
  streamed('/shorter', 9, ['abc', 'def']),
  streamed('/empty', 9, []),
  get('/next', { ...spec, handle: () => text('next', 'text/plain') }),
]

it('a text that is cached as bytes keeps no more memory than its bytes', () => {
  const { body, length } = prepareReply(text('x'.repeat(20_000), 'text/plain'))
  assert.ok(body instanceof Uint8Array)
  assert.equal(body.buffer.byteLength, length)
})

it('a compressed body that is cached keeps no more memory than its bytes', () => {
  for (const encoding of ['br', 'gzip']) {
    const { body, length } = encodeReply(compressible(text('x'.repeat(5000), 'text/plain')), encoding)
    assert.ok(body instanceof Uint8Array)
    assert.equal(body.buffer.byteLength, length)
  }
})

it('the compressed form of a reply has the same content security policy', () => {
  const drawing = compressible(text('<svg/>'.repeat(500), 'image/svg+xml'))
  const readPolicy = ({ headerText = '' }) => /^Content-Security-Policy: .*$/m.exec(headerText)?.[0]
  assert.match(readPolicy(prepareReply(drawing)) ?? '', /style-src 'unsafe-inline'/)
  assert.equal(readPolicy(encodeReply(drawing, 'gzip')), readPolicy(prepareReply(drawing)))
})

it('a body that takes long to compress is sent as it is, unless it was compressed before', () => {
  const long = text('x'.repeat(600_000), 'text/plain')
  assert.equal(encodeReply(compressible(long), 'br').body, long.body)
  const precompressed = compressible(long, () => new Uint8Array(3))
  assert.deepEqual(encodeReply(precompressed, 'br').body, new Uint8Array(3))
})

describe('a streamed body', () => {
  const suite = forSuite(async (scope) => {
    const server = createHttpServer({ routes, log: {} as never, observe: () => {}, publicUrl: '', trustProxy: [] })
    scope.after(() => void server.close())
    return listen(server, '127.0.0.1', 0)
  })

  it('of the announced length, or of unknown length, is followed by the next reply', async () => {
    for (const path of ['/exact', '/unknown']) {
      const { socket, received } = await openSocket(suite(), buildRequest(path) + buildRequest('/next'))
      await until(() => received().endsWith('next'))
      assert.equal(received().match(/HTTP\/1\.1 200 OK/g)?.length, 2, path)
      assert.match(received(), /abc[\s\S]*def/)
      socket.destroy()
    }
  })

  for (const [path, announced, difference] of [
    ['/longer', 4, 'is longer than announced'],
    ['/appended', 3, 'continues after the announced length'],
    ['/shorter', 9, 'is shorter than announced'],
    ['/empty', 9, 'is empty instead of as long as announced'],
  ] as const) {
    it(`that ${difference} is cut off together with the connection`, async () => {
      const { received, isClosed } = await openSocket(suite(), buildRequest(path) + buildRequest('/next'))
      await until(isClosed)
      // The connection may be cut before the head is sent.
      const [, body = ''] = received().split('\r\n\r\n')
      assert.ok('abcdef'.slice(0, announced).startsWith(body), body)
      assert.doesNotMatch(received(), /next|HTTP[\s\S]*HTTP/)
    })
  }
})

it('formatting headers rejects a value that would start another header or reply', () => {
  assert.equal(formatHeaders(['A', 'one', 'B', 'two ü']), 'A: one\r\nB: two ü\r\n')
  for (const value of ['a\r\nSet-Cookie: b', 'a\nb', 'a\rb', 'a\0b', 'a\u2028b', '😺', '\x7f']) {
    assert.throws(
      () => formatHeaders(['X-Found', value]),
      /X-Found contains a forbidden character/,
      JSON.stringify(value),
    )
  }
})

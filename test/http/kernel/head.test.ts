// Heads are written as one string that is handed to Node: it must be what Node itself would have written.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { describe, it, type TestContext } from 'node:test'
import { createHeadWriter, formatHeaders } from '../../../src/http/kernel/head.ts'
import { listen } from '../../../src/http/kernel/listen.ts'
import { sendRaw } from '../../kit/raw.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'

const namesOf = (reply: string) =>
  (reply.split('\r\n\r\n')[0] ?? '')
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(':')[0])

describe('the head of a reply', () => {
  const suite = forSuite((scope) => startTestService(scope))
  const send = (request: string) => sendRaw(suite().url, request)

  for (const path of ['/api/v1/version', '/api/v1/kaomoji/cat', '/nope', '/media/animals/cat/~a.webp', '/docs']) {
    it(`of ${path} is the same on a connection that stays as on one that Node closes`, async () => {
      const kept = await send(`HEAD ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
      const closed = await send(`HEAD ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      assert.match(kept, /\r\nConnection: keep-alive\r\nKeep-Alive: timeout=65\r\n/)
      assert.match(closed, /\r\nConnection: close\r\n/)
      const [statusOfKept, statusOfClosed] = [kept, closed].map((reply) => reply.split('\r\n')[0])
      assert.equal(statusOfKept, statusOfClosed)
      assert.deepEqual(
        namesOf(kept)
          .filter((name) => name !== 'Keep-Alive')
          .sort(),
        namesOf(closed).sort(),
      )
    })
  }

  it('tells the length where there is a body, also to HEAD, and none with 304 and 204', async () => {
    const whole = await send('GET /api/v1/version HTTP/1.1\r\nHost: x\r\n\r\n')
    const length = Number(/Content-Length: (\d+)/.exec(whole)?.[1])
    assert.equal(Buffer.byteLength(whole.split('\r\n\r\n')[1] ?? ''), length)
    const head = await send('HEAD /api/v1/version HTTP/1.1\r\nHost: x\r\n\r\n')
    assert.equal(Number(/Content-Length: (\d+)/.exec(head)?.[1]), length)
    const etag = /ETag: (\S+)/.exec(whole)?.[1]
    const unchanged = await send(`GET /api/v1/version HTTP/1.1\r\nHost: x\r\nIf-None-Match: ${etag}\r\n\r\n`)
    assert.match(unchanged, /^HTTP\/1\.1 304 Not Modified\r\n/)
    const preflight = await send(
      'OPTIONS /api HTTP/1.1\r\nHost: x\r\nOrigin: https://a.example\r\nAccess-Control-Request-Method: GET\r\n\r\n',
    )
    assert.match(preflight, /^HTTP\/1\.1 204 No Content\r\n/)
    for (const reply of [unchanged, preflight]) {
      assert.doesNotMatch(reply, /Content-Length|Transfer-Encoding/)
      assert.ok(reply.endsWith('\r\n\r\n'))
    }
  })

  it('of many requests on one connection is each in its place, with what is not ASCII counted in bytes', async () => {
    const one = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
    const paths = Array.from({ length: 30 }, (_, i) => ['/api/v1/kaomoji/uwu', '/nope', '/healthz'][i % 3]!)
    const received = Buffer.from(await send(paths.map(one).join('')))
    let at = 0
    for (const path of paths) {
      const bodyAt = received.indexOf('\r\n\r\n', at) + 4
      const head = received.toString('utf8', at, bodyAt)
      at = bodyAt + Number(/Content-Length: (\d+)/.exec(head)?.[1])
      const { status } = JSON.parse(received.toString('utf8', bodyAt, at))
      assert.equal(status, path === '/nope' ? 404 : 200)
      assert.ok(head.startsWith(`HTTP/1.1 ${status} `))
    }
    assert.equal(at, received.length)
  })

  it('carries the date of now', async () => {
    const { headers } = await suite().ask('/healthz')
    const told = Date.parse(headers.get('date') ?? '')
    assert.ok(Math.abs(Date.now() - told) < 3000, `${headers.get('date')}`)
  })
})

describe('lines of headers', () => {
  it('refuse what would begin a line, or a reply, of its own', () => {
    assert.equal(formatHeaders(['A', 'one', 'B', 'two ü']), 'A: one\r\nB: two ü\r\n')
    for (const value of ['a\r\nSet-Cookie: b', 'a\nb', 'a\rb', 'a\0b', 'a\u2028b', '😺', '\x7f']) {
      assert.throws(() => formatHeaders(['X-Found', value]), /X-Found holds a character/, JSON.stringify(value))
    }
  })
})

async function startWriter(t: TestContext, endsByItself: boolean) {
  const writeHead = createHeadWriter(5000)
  const server = createServer((_request, response) => {
    const lines = endsByItself ? 'Content-Length: 2\r\n' : 'X-Time: 12:30: late\r\n'
    writeHead(response, { status: 299, lines, endsByItself, isLast: false }, performance.now())
    response.end('ok')
  })
  t.after(() => server.close())
  return listen(server, '127.0.0.1', 0)
}

it('a status without a name, and a body of unknown length, are written as Node does', async (t) => {
  const ask = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
  assert.match(await sendRaw(await startWriter(t, true), ask), /^HTTP\/1\.1 299 unknown\r\nContent-Length: 2\r\nDate: /)
  const chunked = await sendRaw(await startWriter(t, false), ask)
  assert.match(chunked, /\r\nX-Time: 12:30: late\r\n/)
  assert.match(chunked, /Transfer-Encoding: chunked[\s\S]*\r\n2\r\nok\r\n0\r\n/)
})

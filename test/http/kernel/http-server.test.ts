// Which host and path a request is for, and checks that no header bypasses.
import assert from 'node:assert/strict'
import { describe, it, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { FLOOD_SIZE, listen, MAX_PIPELINED } from '../../../src/http/kernel/connections.ts'
import { createHttpServer } from '../../../src/http/kernel/http-server.ts'
import { readBody } from '../../../src/http/kernel/input.ts'
import { type Reply, text } from '../../../src/http/kernel/replies.ts'
import type { RequestContext } from '../../../src/http/kernel/request-context.ts'
import { get as defineGet, post, type Route } from '../../../src/http/kernel/route.ts'
import { openSocket, openSockets, parseRaw, sendRaw } from '../../kit/raw-http.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'
import { keepThreadBusy } from '../../kit/turns.ts'
import { until } from '../../kit/until.ts'

const requestTarget = (target: string, ...headers: string[]) =>
  `${[`GET ${target} HTTP/1.1`, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`

describe('the target of a request', () => {
  const suite = forSuite((scope) => startTestService(scope, { TRUST_PROXY: '127.0.0.0/8' }))
  const sendRequest = async (text: string) => parseRaw(await sendRaw(suite().url, text))
  const docsOf = async (text: string) => (await sendRequest(text)).body.links?.docs

  it('two Host headers are 400, even if one of them is right', async () => {
    for (const [one, other] of [
      ['a.example', 'b.example'],
      ['a.example', 'a.example'],
      ['', 'a.example'],
    ]) {
      const { status, body } = await sendRequest(requestTarget('/api', `Host: ${one}`, `hOST: ${other}`))
      assert.deepEqual([status, body.code], [400, 'BAD_REQUEST'])
    }
    assert.equal((await sendRequest(requestTarget('/api', 'Host: a.example', 'X-Host: b.example'))).status, 200)
  })

  it('the host of an absolute URL replaces the Host header', async () => {
    assert.equal(await docsOf(requestTarget('http://a.example/api', 'Host: b.example')), 'http://a.example/docs')
    assert.equal(
      await docsOf(requestTarget('HTTPS://a.example:81/api?x', 'Host: b.example')),
      'http://a.example:81/docs',
    )
    for (const [url, ...headers] of [
      ['http://a.example/api'],
      ['http://a.example/api', 'Host: a.example, b.example'],
      ['http://me@a.example/api', 'Host: b.example'],
    ] as const) {
      const { status, body } = await sendRequest(requestTarget(url, ...headers))
      assert.deepEqual([status, body.code], [400, 'BAD_REQUEST'])
    }
    for (const root of ['http://a.example', 'http://a.example?x']) {
      assert.match(await sendRaw(suite().url, requestTarget(root, 'Host: a.example')), /^HTTP\/1\.1 200 OK/)
    }
  })

  it('an attack in an absolute URL is detected', async () => {
    const from = 'X-Forwarded-For: 203.0.113.5'
    const attack = 'http://x/api/v5/app/operator/overview?file=../../etc/passwd'
    assert.equal((await sendRequest(requestTarget(attack, 'Host: x', from))).body.code, 'BANNED')
  })

  it('an invalid host is 400, and one that a proxy forwards is not echoed', async () => {
    for (const host of ['a.b:99999', '[::::]', '1.2.3.999', '[1:2]', 'me@a.example', 'a b', 'a/b', '<a>']) {
      const { status, body } = await sendRequest(requestTarget('/api', `Host: ${host}`))
      assert.deepEqual([status, body.code], [400, 'BAD_REQUEST'], host)
      const forwarded = requestTarget('/api', 'Host: x', `X-Forwarded-Host: ${host}`)
      assert.equal(await docsOf(forwarded), 'http://x/docs', host)
    }
    for (const host of ['a_b.example', '[::1]:80', '192.0.2.1:65535', 'localhost']) {
      assert.equal(await docsOf(requestTarget('/api', `Host: ${host}`)), `http://${host}/docs`)
    }
  })

  it('a request without a host does not reveal the address of the service', async () => {
    for (const text of [
      'GET /api HTTP/1.0\r\n\r\n',
      requestTarget('/api', 'Host:'),
      requestTarget('http:///api', 'Host: x'),
    ]) {
      assert.equal(await docsOf(text), 'http://localhost/docs', text)
    }
  })

  it('a reply to an upgrade request closes the connection, because later requests on it are not read', async () => {
    const upgrade = ['Host: x', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk']
    const first = `GET /healthz HTTP/1.1\r\n${upgrade.join('\r\n')}\r\n\r\n`
    const plain = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
    const received = await sendRaw(suite().url, first + plain, { silenceMs: 5000 })
    assert.match(received, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\nConnection: close\r\n/)
    assert.equal(received.match(/HTTP\/1\.1/g)?.length, 1)
    const both = await sendRaw(suite().url, plain + plain)
    assert.equal(both.match(/Connection: keep-alive/g)?.length, 2)
  })
})

const get = (path: string, ...headers: string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`
const finalStatuses = (text: string) => text.match(/HTTP\/1\.1 [2-5]\d\d/g) ?? []

describe('a request with an Expect header', () => {
  const suite = forSuite((scope) => startTestService(scope, { RATE_LIMIT: '40/3600', TRUST_PROXY: 'loopback' }))

  for (const [expectation, status] of [
    ['miracles', 417],
    ['100-continue', 200],
  ] as const) {
    it(`${expectation}: counts as a pipelined request`, async () => {
      const one = get('/api/v1/version', `Expect: ${expectation}`, `X-Forwarded-For: 192.0.2.${status % 256}`)
      const { received, isClosed } = await openSocket(suite().url, one.repeat(FLOOD_SIZE))
      await until(isClosed)
      assert.deepEqual(finalStatuses(received()), Array(MAX_PIPELINED + 1).fill(`HTTP/1.1 ${status}`))
    })

    it(`${expectation}: counts towards the rate limit`, async () => {
      const from = `X-Forwarded-For: 198.51.100.${status % 256}`
      const twenty = get('/api/v1/version', `Expect: ${expectation}`, from).repeat(20)
      for (let i = 0; i < 2; i++) {
        const statuses = finalStatuses(await sendRaw(suite().url, twenty))
        assert.deepEqual(statuses, Array(20).fill(`HTTP/1.1 ${status}`))
      }
      assert.deepEqual(
        finalStatuses(await sendRaw(suite().url, get('/api/v1/version', `Expect: ${expectation}`, from))),
        ['HTTP/1.1 429'],
      )
    })
  }
})

const FROM = 'X-Forwarded-For: 203.0.113.5'
const ATTACK = '/api/v5/app/operator/overview?file=../../etc/passwd'

test('an Expect header does not bypass a ban', async (t) => {
  const { url } = await startTestService(t, { TRUST_PROXY: 'loopback' })
  const codeOf = async (request: string) => parseRaw(await sendRaw(url, request)).body.code
  assert.equal(await codeOf(get('/api', FROM, 'Expect: miracles')), 'EXPECTATION_FAILED')
  assert.equal(await codeOf(get(ATTACK, FROM)), 'BANNED')
  assert.equal(await codeOf(get('/api', FROM, 'Expect: miracles')), 'BANNED')
})

test('a URL that is too long is rejected before any other check reads it', async (t) => {
  const { url } = await startTestService(t, { TRUST_PROXY: 'loopback' })
  const codeOf = async (path: string) => parseRaw(await sendRaw(url, get(path, FROM))).body.code
  assert.equal(await codeOf(ATTACK + 'a'.repeat(9000)), 'URI_TOO_LONG')
  assert.equal(await codeOf('/nope'), 'UNKNOWN_PATH')
  assert.equal(await codeOf(ATTACK), 'BANNED')
})

describe('many requests of one client', () => {
  interface Flood {
    /** The work is done by the first check, not by the handler. */
    readonly isChecked?: boolean
    readonly handle?: (work: () => Reply) => Route['handle']
    readonly method?: typeof defineGet
    /** The body, which is sent after all heads are read. */
    readonly body?: string
  }

  /** Sends 99 requests that take long, and one of another client. Returns how many are done before that one. */
  async function countBefore(t: TestContext, flood: Flood) {
    const { isChecked = false, handle = (work) => work, method = defineGet, body = '' } = flood
    const done: string[] = []
    const ok = text('ok', 'text/plain')
    const work = () => {
      keepThreadBusy(5)
      done.push('long')
      return ok
    }
    const handleShort = () => {
      done.push('short')
      return ok
    }
    const spec = { tag: '', summary: '' }
    const long = method('/long', { ...spec, handle: isChecked ? () => ok : handle(work) })
    const server = createHttpServer({
      routes: [long, defineGet('/short', { ...spec, handle: handleShort })],
      log: {} as never,
      observe: () => {},
      publicUrl: '',
      trustProxy: ['127.0.0.1'],
      checkBan: ({ url }) => void (isChecked && url === '/long' && work()),
    })
    let started = 0
    server.on('request', () => started++)
    t.after(() => server.close())
    const url = await listen(server, '127.0.0.1', 0)
    const clients = await openSockets(t, url, 100)
    await until(async () => (await promisify(server.getConnections).call(server)) === clients.length)
    const others = clients.slice(0, -1)
    // The thread reads no request before all are sent.
    const head = `${long.method} /long HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.1\r\n`
    const fields = body && `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
    for (const { socket } of others) socket.write(`${head}${fields}\r\n`)
    if (body !== '') await until(() => started === others.length)
    if (body !== '') for (const { socket } of others) socket.write(body)
    clients.at(-1)!.socket.write(get('/short', 'X-Forwarded-For: 203.0.113.1'))
    await until(() => done.length === clients.length)
    return done.indexOf('short')
  }

  it('that take long delay others only by its turns', async (t) => {
    const before = await countBefore(t, {})
    assert.ok(before < 30, String(before))
  })

  it('whose bodies end at the same moment delay others only by its turns', async (t) => {
    const handle = (work: () => Reply) => (ctx: RequestContext) => readBody(ctx).then(work)
    const before = await countBefore(t, { method: post, handle, body: '{}' })
    assert.ok(before < 30, String(before))
  })

  it('that are only checked delay others only by its turns', async (t) => {
    const before = await countBefore(t, { isChecked: true })
    assert.ok(before < 30, String(before))
  })
})

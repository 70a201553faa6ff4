// Replies must be the same whether Node's internals or only its public API are used.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get as request } from 'node:http'
import { connect } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { drain, listen } from '../../../src/http/kernel/connections.ts'
import { createHeadWriter } from '../../../src/http/kernel/http-internals.ts'
import { createHttpServer } from '../../../src/http/kernel/http-server.ts'
import { cache, json, prepareReply, text } from '../../../src/http/kernel/replies.ts'
import { get } from '../../../src/http/kernel/route.ts'
import { createTestLog } from '../../kit/log.ts'
import { runProgram } from '../../kit/program.ts'
import { openSocket, sendRaw } from '../../kit/raw-http.ts'
import { forSuite, type Scope } from '../../kit/scope.ts'
import { until } from '../../kit/until.ts'

const spec = { tag: '', summary: '' }
const prepared = prepareReply(json({ prepared: true }))
const routes = [
  get('/json', { ...spec, handle: () => json({ status: 200 }) }),
  get('/prepared', { ...spec, handle: () => prepared }),
  get('/text', { ...spec, handle: async () => text('ünicode ✓', 'text/plain; charset=utf-8', { cache: cache.none }) }),
]

async function startApp(scope: Scope, useInternals: boolean): Promise<string> {
  const log = createTestLog() as never
  const server = createHttpServer({ routes, log, observe: () => {}, publicUrl: '', trustProxy: [], useInternals })
  scope.after(() => void server.close())
  return listen(server, '127.0.0.1', 0)
}

const buildRequest = (path: string, method = 'GET', ...headers: string[]) =>
  `${[`${method} ${path} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`

/** A reply without what differs from request to request. */
const normalize = (reply: string) =>
  reply.replace(/^(Date|X-Request-Id): .*$/gm, '$1').replace(/"requestId":"[^"]*"/, '')

/** Node orders its own headers differently. */
const sortHeaders = (reply: string) => {
  const [head = '', ...rest] = reply.split('\r\n\r\n')
  const [status, ...headers] = head.split('\r\n')
  return [status, ...headers.sort(), ...rest]
}

describe('a reply written through internals of Node', () => {
  const suite = forSuite(async (scope) => Promise.all([startApp(scope, true), startApp(scope, false)]))

  for (const path of ['/json', '/prepared', '/text', '/unknown']) {
    for (const [method, ...headers] of [
      ['GET'],
      ['HEAD'],
      ['DELETE'],
      ['GET', `If-None-Match: ${prepared.etag}`],
      ['GET', 'Connection: close'],
      ['OPTIONS', 'Origin: https://a.example', 'Access-Control-Request-Method: GET'],
    ] as const) {
      it(`equals one of the public API: ${method} ${path} ${headers.join(' ')}`, async () => {
        const requests = suite().map((url) => sendRaw(url, buildRequest(path, method, ...headers)))
        const [fast, fallback] = (await Promise.all(requests)).map(normalize).map(sortHeaders)
        assert.deepEqual(fast, fallback)
      })
    }
  }

  it('names the time of sending and the keep-alive time', async () => {
    for (const url of suite()) {
      const startedAt = Date.now()
      const reply = await sendRaw(url, buildRequest('/json'))
      assert.match(reply, /\r\nKeep-Alive: timeout=65\r\nDate: .*\r\nConnection: keep-alive\r\n/)
      const date = Date.parse(/^Date: (.*)\r$/m.exec(reply)?.[1] ?? '')
      // Whole seconds, and Node keeps its text for up to a second.
      assert.ok(date > startedAt - 3000 && date <= Date.now(), reply)
    }
  })

  it('is sent in the order of the requests of a connection, with its length in bytes', async () => {
    for (const url of suite()) {
      const paths = Array.from({ length: 30 }, (_, i) => ['/text', '/unknown', '/json'][i % 3]!)
      const received = Buffer.from(await sendRaw(url, paths.map((path) => buildRequest(path)).join('')))
      let at = 0
      for (const path of paths) {
        const bodyAt = received.indexOf('\r\n\r\n', at) + 4
        const head = received.toString('utf8', at, bodyAt)
        at = bodyAt + Number(/Content-Length: (\d+)/.exec(head)?.[1])
        assert.ok(head.startsWith(`HTTP/1.1 ${path === '/unknown' ? 404 : 200} `))
        assert.match(received.toString('utf8', bodyAt, at), path === '/text' ? /^ünicode ✓$/ : /^\{.*\}$/)
      }
      assert.equal(at, received.length)
    }
  })
})

describe('a request that is refused before it is routed', () => {
  const suite = forSuite(async (scope) => Promise.all([startApp(scope, true), startApp(scope, false)]))
  const heads = {
    'an unknown method': 'FOO / HTTP/1.1\r\n',
    'a control character': 'POST / HTTP/1.1\r\nX: a\x01b\r\n',
    'long headers': `POST / HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n`,
  }
  for (const [what, head] of Object.entries(heads)) {
    it(`gets its reply while it sends a body, and the connection is not reset: ${what}`, async () => {
      for (const url of suite()) {
        const { hostname, port } = new URL(url)
        const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
        socket.write(`${head}Host: x\r\nContent-Length: 9000000\r\n\r\n`)
        socket.write(Buffer.alloc(8_000_000))
        let received = ''
        socket.on('data', (bytes) => {
          received += bytes
        })
        await once(socket, 'end')
        assert.match(received, /^HTTP\/1\.1 [45].*\}$/s)
        socket.destroy()
      }
    })
  }
})

async function startWriter(t: TestContext, hasKnownLength: boolean, useInternals: boolean) {
  const writeHead = createHeadWriter({ useInternals })
  const server = createServer((_request, response) => {
    const headerText = hasKnownLength ? 'Content-Length: 2\r\n' : 'X-Time: 12:30: late\r\n'
    writeHead(response, { status: 299, headerText, hasKnownLength, closesConnection: false }, performance.now())
    response.end('ok')
  })
  t.after(() => server.close())
  return listen(server, '127.0.0.1', 0)
}

for (const useInternals of [true, false]) {
  const way = useInternals ? 'with internals' : 'with the public API'

  it(`${way} an unknown status and a body of unknown length are sent`, async (t) => {
    const known = await sendRaw(await startWriter(t, true, useInternals), buildRequest('/'))
    assert.match(known, /^HTTP\/1\.1 299 unknown\r\nContent-Length: 2\r\n[\s\S]*\r\n\r\nok$/)
    const chunked = await sendRaw(await startWriter(t, false, useInternals), buildRequest('/'))
    assert.match(chunked, /\r\nX-Time: 12:30: late\r\n[\s\S]*Transfer-Encoding: chunked[\s\S]*\r\n2\r\nok\r\n0\r\n/)
  })

  it(`${way} draining lets a request finish and accepts no connection`, async (t) => {
    const waiting = Promise.withResolvers<void>()
    let hasArrived = false
    const server = createServer((_request, response) => {
      hasArrived = true
      void waiting.promise.then(() => response.end('done'))
    })
    t.after(() => server.close())
    const url = await listen(server, '127.0.0.1', 0)
    const { received } = await openSocket(url, buildRequest('/'))
    await until(() => hasArrived)
    const drained = drain(server, 0, { useInternals })
    await assert.rejects(new Promise((resolve, reject) => request(url, resolve).on('error', reject)), /ECONNREFUSED/)
    waiting.resolve()
    await drained
    await until(() => received().endsWith('done'))
  })
}

it('a request that arrives while the port closes is held back and answered', async (t) => {
  const server = createServer((_request, response) => void response.end('ok'))
  t.after(() => server.close())
  const url = await listen(server, '127.0.0.1', 0)
  const drained = drain(server, 0, { emptiesListenQueue: true })
  const { received } = await openSocket(url, buildRequest('/'))
  assert.equal(server.listening, true)
  await until(() => received().endsWith('ok'))
  assert.equal(server.listening, false)
  await drained
})

it('draining leaves idle connections open for the given time', async (t) => {
  const server = createServer((_request, response) => void response.end('ok'))
  t.after(() => server.close())
  const url = await listen(server, '127.0.0.1', 0)
  const { socket, received, isClosed } = await openSocket(url, buildRequest('/'))
  await until(() => received().includes('ok'))
  const startedAt = performance.now()
  const drained = drain(server, 300)
  socket.write(buildRequest('/'))
  await until(() => received().split('HTTP/1.1').length === 3 || isClosed())
  // Unless the machine stopped for so long.
  if (performance.now() - startedAt < 300) assert.equal(isClosed(), false)
  await drained
  await until(isClosed)
})

it('V8 does not forget the shape of ticks while one is held', async () => {
  const script = `
    import { setTimeout as sleep } from 'node:timers/promises'
    import { createTick } from '${import.meta.resolve('../../../src/http/kernel/http-internals.ts')}'
    globalThis.held = createTick()
    for (let i = 0; i < 50; i++) process.nextTick(() => {})
    for (let i = 0; i < 12; i++) {
      await sleep(1)
      gc()
    }
    for (let i = 0; i < 50; i++) process.nextTick(() => {})
    void %DebugPrint(process.nextTick)`
  const flags = ['--expose-gc', '--allow-natives-syntax', '--input-type=module', '--eval', script]
  const { output } = await runProgram(process.execPath, flags, { cwd: import.meta.dirname })
  const states = output.match(/(?<=DefineKeyedOwnPropertyInLiteral )\w+/g) ?? []
  assert.deepEqual(states, Array(5).fill('MONOMORPHIC'), output)
})

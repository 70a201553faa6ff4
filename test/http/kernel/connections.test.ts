// Many requests on one connection, and connections that break while a reply is pending.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, ServerResponse } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, it, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createPipelineCounter, FLOOD_SIZE, listen, MAX_PIPELINED } from '../../../src/http/kernel/connections.ts'
import { createHttpServer } from '../../../src/http/kernel/http-server.ts'
import { readBody } from '../../../src/http/kernel/input.ts'
import { bytes, json, type Reply, text } from '../../../src/http/kernel/replies.ts'
import { get, post } from '../../../src/http/kernel/route.ts'
import { createTestLog } from '../../kit/log.ts'
import { openSocket } from '../../kit/raw-http.ts'
import { ROOT } from '../../kit/root.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'
import { keepThreadBusy } from '../../kit/turns.ts'
import { until } from '../../kit/until.ts'

test('a failure to accept a connection is reported and does not end the process', async (t) => {
  const errors: string[] = []
  const server = createServer()
  t.after(() => server.close())
  await listen(server, '127.0.0.1', 0, ({ message }) => errors.push(message))
  // As Node does if the system has no memory for a connection.
  for (const message of ['accept ENOBUFS', 'accept ENOMEM']) server.emit('error', new Error(message))
  assert.deepEqual(errors, ['accept ENOBUFS', 'accept ENOMEM'])
})

const WAITING = 1000
const canWait = process.platform === 'linux' && Number(readFileSync('/proc/sys/net/core/somaxconn')) >= WAITING

test('while a service is busy, a thousand connections wait, also on a port that a service manager opened', async (t) => {
  if (!canWait) return t.skip('the system lets fewer connections wait')
  // Prints the URL, then accepts nothing.
  const program = (socket?: number) => `
    import { listen } from ${JSON.stringify(join(ROOT, 'src/http/kernel/connections.ts'))}
    import { createServer } from 'node:net'
    import { writeSync } from 'node:fs'
    writeSync(1, await listen(createServer(), '127.0.0.1', 0, undefined, ${socket}))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`
  const opened = createServer().listen(0, '127.0.0.1')
  await once(opened, 'listening')
  const { fd } = (opened as unknown as { _handle: { fd: number } })._handle
  const services = [undefined, 3].map((socket) =>
    spawn(process.execPath, ['--input-type=module', '--eval', program(socket)], {
      stdio: ['ignore', 'pipe', 'inherit', fd],
    }),
  )
  opened.close()
  for (const service of services) {
    t.after(() => void service.kill('SIGKILL'))
    const [url] = await once(service.stdout!, 'data')
    const sockets = Array.from({ length: WAITING }, () => connect(Number(new URL(String(url)).port), '127.0.0.1'))
    t.after(() => sockets.forEach((socket) => void socket.destroy()))
    for (const socket of sockets) socket.on('error', () => {})
    await until(() => sockets.every(({ connecting, destroyed }) => !connecting && !destroyed))
  }
})

const REQUEST = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
const repliesIn = (text: string) => text.match(/HTTP\/1\.1 \d+/g) ?? []

describe('pipelined requests', () => {
  const suite = forSuite((scope) => startTestService(scope, { RATE_LIMIT: 'off' }))

  it('are all answered, batch after batch, on one connection', async () => {
    const { socket, received, isClosed } = await openSocket(suite().url)
    for (let batch = 1; batch <= 20; batch++) {
      socket.write(REQUEST.repeat(MAX_PIPELINED))
      await until(() => repliesIn(received()).length === batch * MAX_PIPELINED)
    }
    assert.equal(isClosed(), false)
    socket.destroy()
  })

  it('are answered up to a maximum; the last reply closes the connection', async () => {
    const { received, isClosed } = await openSocket(suite().url, REQUEST.repeat(FLOOD_SIZE))
    await until(isClosed)
    assert.deepEqual(repliesIn(received()), Array(MAX_PIPELINED + 1).fill('HTTP/1.1 200'))
    assert.deepEqual(received().match(/\r\nConnection: close\r\n/g), ['\r\nConnection: close\r\n'])
    assert.ok(received().lastIndexOf('Connection: close') > received().lastIndexOf('HTTP/1.1'))
    assert.equal((await fetch(`${suite().url}/healthz`)).status, 200)
  })

  it('close the connection at once if they are a flood, and other clients are served', async () => {
    const flood = REQUEST.repeat(5000)
    const connections = await Promise.all(Array.from({ length: 50 }, () => openSocket(suite().url, flood)))
    assert.equal((await fetch(`${suite().url}/healthz`)).status, 200)
    await until(() => connections.every(({ isClosed }) => isClosed()))
    for (const { received } of connections) assert.ok(repliesIn(received()).length <= MAX_PIPELINED + 1)
    const metrics = await (await fetch(`${suite().url}/metrics`)).text()
    // And one connection of the test above.
    assert.match(metrics, /^menagerie_http_early_errors_total\{code="FLOOD"\} 51$/m)
  })

  it('are not parsed after the last one that is answered', async (t) => {
    const routes = [get('/healthz', { tag: '', summary: '', handle: () => text('ok', 'text/plain') })]
    const server = createHttpServer({ routes, log: {} as never, observe: () => {}, publicUrl: '', trustProxy: [] })
    t.after(() => server.close())
    let parsed = 0
    server.on('request', () => parsed++)
    const url = await listen(server, '127.0.0.1', 0)
    const { isClosed } = await openSocket(url, REQUEST.repeat(5000))
    await until(isClosed)
    assert.equal(parsed, MAX_PIPELINED + 1)
  })

  /** Returns a function that counts a request of this address on a new connection. */
  const createCounter = (replyBytes = Number.POSITIVE_INFINITY) => {
    const count = createPipelineCounter(replyBytes)
    return (remoteAddress: string, headers: string[] = []) => {
      const request = { socket: { remoteAddress }, rawHeaders: headers } as IncomingMessage
      return (response = new ServerResponse(request)) => count(request, response)
    }
  }

  it('of one address close its connections if they are a flood together', () => {
    const connect = createCounter()
    const closed = (addresses: string[]) => addresses.filter((address) => connect(address)() >= MAX_PIPELINED).length
    assert.equal(closed(Array(1000).fill('192.0.2.1')), 1000 - 4 * MAX_PIPELINED)
    assert.equal(closed(['192.0.2.2']), 0)
  })

  it('of one IPv6 network close its connections if they are a flood together', () => {
    const connect = createCounter()
    const addresses = Array.from({ length: 500 }, (_, index) => `2001:db8::${index.toString(16)}`)
    const closed = addresses.filter((address) => connect(address)() >= MAX_PIPELINED)
    assert.equal(closed.length, 500 - 4 * MAX_PIPELINED)
  })

  it('of many clients close their connections if they are a flood together', () => {
    const connect = createCounter()
    const connections = Array.from({ length: 250 }, (_, i) => connect(`192.0.2.${i}`))
    const counts = connections.map((count) => Array.from({ length: MAX_PIPELINED - 1 }, () => count()).at(-1)!)
    const open = counts.filter((pipelined) => pipelined < MAX_PIPELINED)
    assert.equal(open.length, Math.floor((16 * MAX_PIPELINED) / (MAX_PIPELINED - 1)))
  })

  it('whose replies are not read close their connection if they fill the memory', () => {
    const connect = createCounter(4 * 2 ** 20)
    const responses: ServerResponse[] = []
    const send = (address: string, bytes: number) => {
      const count = connect(address, ['X', 'x'.repeat(bytes)])
      responses.push(new ServerResponse({} as IncomingMessage))
      return count(responses.at(-1)) >= MAX_PIPELINED
    }
    while (!send('192.0.2.1', 30_000)) assert.ok(responses.length < 25)
    assert.equal(send('192.0.2.2', 0), true)
    for (const response of responses) response.emit('close')
    assert.equal(send('192.0.2.2', 0), false)
  })

  it('that arrive one by one behind a slow reply are all answered', async () => {
    const { socket, received, isClosed } = await openSocket(suite().url)
    socket.write('GET /media/animals/cat/~slow.webp HTTP/1.1\r\nHost: x\r\n\r\n')
    for (let sent = 0; sent < 3 * MAX_PIPELINED; sent++) {
      socket.write(REQUEST)
      await setTimeout(1)
    }
    await until(() => repliesIn(received()).length === 3 * MAX_PIPELINED + 1)
    assert.equal(isClosed(), false)
    socket.destroy()
  })
})

it('a client that stops reading is disconnected, and one that sends requests is not', async (t) => {
  const much = Buffer.alloc(64 * 2 ** 20)
  const routes = [
    get('/much', { tag: '', summary: '', handle: () => bytes(much, 'text/plain') }),
    get('/little', { tag: '', summary: '', handle: () => text('little', 'text/plain') }),
  ]
  const options = { routes, log: {} as never, observe: () => {}, publicUrl: '', trustProxy: [], idleTimeoutMs: 1000 }
  const server = createHttpServer(options)
  t.after(() => server.close())
  const url = await listen(server, '127.0.0.1', 0)
  const silent = await openSocket(url)
  const active = await openSocket(url)
  silent.socket.pause()
  silent.socket.write('GET /much HTTP/1.1\r\nHost: x\r\n\r\n')
  const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))
  await until(async () => {
    active.socket.write('GET /little HTTP/1.1\r\nHost: x\r\n\r\n')
    return (await connections()) === 1
  })
  assert.equal(active.isClosed(), false)
  active.socket.pause()
  await until(async () => (await connections()) === 0)
  silent.socket.destroy()
  active.socket.destroy()
})

const spec = { tag: '', summary: '' }
const buildRequest = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const statuses = (received: string) => received.match(/HTTP\/1\.1 \d+/g)

describe('a pending request', () => {
  let waiting = Promise.withResolvers<Reply>()
  const early: string[] = []
  const connected = new Set<Socket>()
  let onRequest = (_: IncomingMessage) => {}
  const suite = forSuite(async (scope) => {
    const routes = [
      get('/slow', { ...spec, handle: () => waiting.promise }),
      get('/quick', { ...spec, handle: () => text('quick', 'text/plain') }),
      post('/unread', { ...spec, handle: async ({ request }) => json(await once(request, 'close')) }),
      post('/body', { ...spec, handle: async (ctx) => json(await readBody(ctx)) }),
    ]
    const server = createHttpServer({
      routes,
      log: createTestLog() as never,
      observe: () => {},
      publicUrl: '',
      trustProxy: [],
      onEarlyError: (code) => early.push(code),
    })
    server.prependListener('request', (request) => onRequest(request))
    server.prependListener('connect', ({ socket }) => {
      connected.add(socket)
      socket.once('close', () => connected.delete(socket))
    })
    scope.after(() => void server.close())
    return listen(server, '127.0.0.1', 0)
  })

  const buildJsonHead = (target: string) =>
    `${target} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`

  const behind: Record<string, [text: string, code: string]> = {
    'invalid bytes': ['rubbish\r\n\r\n', 'BAD_REQUEST'],
    'endless headers': [`GET / HTTP/1.1\r\nX: ${'x'.repeat(70_000)}`, 'HEADERS_TOO_LARGE'],
    CONNECT: ['CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n', 'METHOD_NOT_ALLOWED'],
  }
  for (const [what, [bytes, code]] of Object.entries(behind)) {
    it(`gets its reply before the connection closes if ${what} follows`, async () => {
      waiting = Promise.withResolvers()
      early.length = 0
      const { socket, received, isClosed } = await openSocket(
        suite(),
        buildRequest('/slow') + buildRequest('/quick') + bytes,
      )
      await until(() => early.length > 0)
      assert.deepEqual(early, [code])
      socket.write('more rubbish\r\n\r\n')
      assert.equal(received(), '')
      waiting.resolve(text('slow', 'text/plain'))
      await until(isClosed)
      assert.deepEqual(statuses(received()), ['HTTP/1.1 200', 'HTTP/1.1 200'])
      assert.match(received(), /slow[\s\S]*quick$/)
    })
  }

  it('gets a reply that closes the connection if its body has not arrived: the error for the rest must not follow it', async () => {
    for (const path of ['/quick', '/unknown']) {
      const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`
      const { received, isClosed } = await openSocket(suite(), head)
      await until(isClosed)
      assert.equal(statuses(received())?.length, 1)
      assert.match(received(), /\r\nConnection: close\r\n/)
    }
  })

  it('gets a reply that closes the connection after trailers: Node may refuse the next request, of another client', async () => {
    const head = buildJsonHead('POST /body')
    for (const trailer of ['Connection: close', 'Proxy-Connection: close', 'X-Any: a']) {
      const body = `7\r\n{"a":1}\r\n0\r\n${trailer}\r\n\r\n`
      const { received } = await openSocket(suite(), head + body)
      await until(() => received().endsWith('{"a":1}'))
      assert.match(received(), /\r\nConnection: close\r\n/, trailer)
    }
  })

  it('gets its reply while it sends a body that is not read, and the connection is not reset', async () => {
    for (const method of ['GET', 'POST']) {
      const { hostname, port } = new URL(suite())
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
      socket.write(`${method} /quick HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000\r\n\r\n`)
      socket.write(Buffer.alloc(8_000_000))
      let received = ''
      socket.on('data', (bytes) => {
        received += bytes
      })
      await once(socket, 'end')
      assert.match(received, method === 'GET' ? /quick$/ : /METHOD_NOT_ALLOWED/)
      socket.destroy()
    }
  })

  it('ends when the client disconnects, also in the middle of a later request', async () => {
    for (const next of [
      'GET /quick HT',
      'GET /quick HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n',
    ]) {
      waiting = Promise.withResolvers()
      const opened = new Set<Socket>()
      const closed = Promise.withResolvers<void>()
      onRequest = ({ socket }) => void opened.add(socket.once('close', closed.resolve))
      const { socket } = await openSocket(suite(), buildRequest('/slow') + next)
      await until(() => opened.size > 0)
      socket.destroy()
      await closed.promise
    }
  })

  describe('with a body in tiny chunks', () => {
    const chunks = '1\r\n \r\n'.repeat(10_000)
    const cases: Record<string, [status: number, maxChunks: number]> = {
      'GET /quick': [200, 0],
      'GET /slow': [200, 0],
      'GET /unknown': [404, 0],
      'POST /body': [400, 32],
      'POST /unread': [400, 32],
    }
    for (const [target, [status, maxChunks]] of Object.entries(cases)) {
      it(`is answered, and the rest of the body is dropped: ${target}`, async () => {
        waiting = Promise.withResolvers()
        let count = 0
        onRequest = (request) => {
          const { push } = request
          request.push = (chunk, encoding) => {
            if (chunk !== null) count++
            return push.call(request, chunk, encoding)
          }
        }
        // A request to a known path now waits for its turn.
        keepThreadBusy(10)
        const { socket, received, isClosed } = await openSocket(suite(), buildJsonHead(target) + chunks)
        socket.write(chunks, () => waiting.resolve(text('slow', 'text/plain')))
        await until(isClosed)
        assert.deepEqual(statuses(received()), [`HTTP/1.1 ${status}`])
        assert.match(received(), /\r\nConnection: close\r\n/)
        assert.equal(count, maxChunks)
      })
    }

    it('does not leave its reader waiting if CONNECT follows', async () => {
      const closed = Promise.withResolvers<void>()
      onRequest = (request) => void request.once('close', closed.resolve)
      const rest = '0\r\n\r\nCONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n'
      await openSocket(suite(), buildJsonHead('POST /unread') + '1\r\n \r\n'.repeat(300) + rest)
      await closed.promise
    })

    it('does not prevent the body of a later connection, for which Node uses the same parser', async () => {
      waiting = Promise.withResolvers()
      early.length = 0
      const connect = 'CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n'
      for (const next of ['', connect]) {
        const first = await openSocket(suite(), `${buildJsonHead('GET /slow')}1\r\nx\r\n0\r\n\r\n${next}`)
        if (next === '') first.socket.destroy()
        await until(() => first.isClosed() || early.includes('METHOD_NOT_ALLOWED'))
        const second = await openSocket(suite(), `${buildJsonHead('POST /body')}7\r\n{"a":1}\r\n0\r\n\r\n`)
        await until(() => second.received().endsWith('{"a":1}'))
        second.socket.destroy()
        first.socket.destroy()
      }
    })
  })

  describe('and CONNECT', () => {
    const buildConnect = (more = '') => `CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n${more}\r\n`
    const requests = [buildConnect(), `${buildConnect()}more`, buildConnect('Content-Length: 9\r\n')]

    it('do not keep the connection open after the reply, even if the client does', async () => {
      for (const request of requests) {
        const { hostname, port } = new URL(suite())
        const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on('error', () => {})
        socket.resume().write(request)
        await once(socket, 'end')
        await until(() => connected.size === 0)
        socket.destroy()
      }
    })

    it('do not end the process if the client resets the connection', async () => {
      for (const request of requests) {
        waiting = Promise.withResolvers()
        early.length = 0
        const { socket } = await openSocket(suite(), buildRequest('/slow') + request)
        await until(() => early.length > 0)
        socket.resetAndDestroy()
        waiting.resolve(text('slow', 'text/plain'))
        await until(() => connected.size === 0)
      }
    })
  })

  it('gets a 400 if its own body is malformed', async () => {
    const { received, isClosed } = await openSocket(suite(), `${buildJsonHead('POST /body')}no length\r\n`)
    await until(isClosed)
    assert.deepEqual(statuses(received()), ['HTTP/1.1 400'])
    assert.match(received(), /BAD_REQUEST/)
  })
})

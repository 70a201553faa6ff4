// Many requests on one connection that do not wait for replies, and callers that do not read them.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createApp } from '../../../src/http/kernel/app.ts'
import { FLOOD_SIZE, MAX_PIPELINED } from '../../../src/http/kernel/connections.ts'
import { listen } from '../../../src/http/kernel/listen.ts'
import { bytes } from '../../../src/http/kernel/replies.ts'
import { get } from '../../../src/http/kernel/route.ts'
import { forSuite } from '../../kit/scope.ts'
import { startTestService } from '../../kit/service.ts'
import { openSocket } from '../../kit/sockets.ts'
import { until } from '../../kit/until.ts'

const REQUEST = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
const repliesIn = (text: string) => text.match(/HTTP\/1\.1 \d+/g) ?? []

describe('requests that do not wait for replies', () => {
  const suite = forSuite((scope) => startTestService(scope, { RATE_LIMIT: 'off' }))

  it('are all answered, go after go, on a connection that stays', async () => {
    const { socket, received, isClosed } = await openSocket(suite().url)
    for (let go = 1; go <= 20; go++) {
      socket.write(REQUEST.repeat(MAX_PIPELINED))
      await until(() => repliesIn(received()).length === go * MAX_PIPELINED)
    }
    assert.equal(isClosed(), false)
    socket.destroy()
  })

  it('are answered up to a bound, and the last reply says that the connection closes', async () => {
    const { received, isClosed } = await openSocket(suite().url, REQUEST.repeat(FLOOD_SIZE))
    await until(isClosed)
    assert.deepEqual(repliesIn(received()), Array(MAX_PIPELINED + 1).fill('HTTP/1.1 200'))
    assert.deepEqual(received().match(/\r\nConnection: close\r\n/g), ['\r\nConnection: close\r\n'])
    assert.ok(received().lastIndexOf('Connection: close') > received().lastIndexOf('HTTP/1.1'))
    assert.equal((await fetch(`${suite().url}/healthz`)).status, 200)
  })

  it('end the connection at once where they are a flood, and others are answered', async () => {
    const flood = REQUEST.repeat(5000)
    const connections = await Promise.all(Array.from({ length: 50 }, () => openSocket(suite().url, flood)))
    assert.equal((await fetch(`${suite().url}/healthz`)).status, 200)
    await until(() => connections.every(({ isClosed }) => isClosed()))
    for (const { received } of connections) assert.ok(repliesIn(received()).length <= MAX_PIPELINED + 1)
    const metrics = await (await fetch(`${suite().url}/metrics`)).text()
    assert.match(metrics, /^menagerie_http_early_errors_total\{code="FLOOD"\} 50$/m)
  })

  it('wait for a slow reply before them, and are not counted together', async () => {
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

it('a caller that stops reading is let go', async (t) => {
  const much = Buffer.alloc(64 * 2 ** 20)
  const routes = [get('/much', { tag: '', summary: '' }, () => bytes(much, 'text/plain'))]
  const server = createApp({ routes, log: {} as never, observe: () => {}, publicUrl: '', trustProxy: [] })
  t.after(() => server.close())
  assert.equal(server.timeout, 120_000)
  server.timeout = 300
  const url = await listen(server, '127.0.0.1', 0)
  const { socket } = await openSocket(url)
  socket.pause()
  socket.write('GET /much HTTP/1.1\r\nHost: x\r\n\r\n')
  const connections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))
  await until(async () => (await connections()) === 0)
  socket.destroy()
})

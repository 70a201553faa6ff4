// Attacks on the port of the service: other clients are still served.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { test } from 'node:test'
import { openSocket, openSockets, readMaxSockets } from '../kit/raw-http.ts'
import { startTestService } from '../kit/service.ts'
import { fetchJson, fetchOnce, spawnService } from '../kit/service-process.ts'
import { startSource } from '../kit/source.ts'
import { until } from '../kit/until.ts'

/** docs/benchmarks.md shows the figures of `IDLE_CONNECTIONS=10000`. */
const IDLE_CONNECTIONS = Number(process.env.IDLE_CONNECTIONS ?? 2000)
const SLOW_CONNECTIONS = 100
const REQUEST = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'

const readMemoryMb = (pid: number) =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)

test('thousands of idle connections do not prevent other requests', async (t) => {
  const count = Math.min(IDLE_CONNECTIONS, readMaxSockets())
  const { opened, pid } = await spawnService(t, { CONNECTIONS_PER_ADDRESS: '0' })
  const url = await opened
  const before = readMemoryMb(pid)
  const sockets = await openSockets(t, url, count, REQUEST)
  await until(() => sockets.every(({ received }) => received().startsWith('HTTP/1.1 200')), 120_000)
  assert.equal((await fetchJson(`${url}/api/v1/version`)).status, 200)
  t.diagnostic(`${count} idle connections; memory ${before} MB before, ${readMemoryMb(pid)} MB with them`)
  assert.ok(sockets.every(({ isClosed }) => !isClosed()))
})

test('idle connections of many addresses do not use up the open files of the service', async (t) => {
  const { opened } = await spawnService(t, {}, undefined, ['prlimit', '--nofile=256'])
  const url = await opened
  const sockets = Array.from({ length: 300 }, (_, i) =>
    connect({ host: '127.0.0.1', port: Number(new URL(url).port), localAddress: `127.0.1.${1 + (i >> 1)}` })
      .on('error', () => {})
      .resume(),
  )
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  await until(() => sockets.every((socket) => socket.closed || socket.readyState === 'open'))
  for (let i = 0; i < 10; i++) assert.equal((await fetchOnce(`${url}/api/v1/version`)).status, 200)
})

test('connections that send one byte at a time are closed, and do not prevent other requests', async (t) => {
  const { opened } = await spawnService(t)
  const url = await opened
  const sockets = await openSockets(t, url, SLOW_CONNECTIONS, 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ')
  const sendByteTimer = setInterval(() => {
    for (const { socket, isClosed } of sockets) if (!isClosed()) socket.write('x')
  }, 500)
  t.after(() => clearInterval(sendByteTimer))
  assert.equal((await fetchJson(`${url}/api/v1/version`)).status, 200)
  await until(() => sockets.every(({ isClosed }) => isClosed()), 30_000)
  const answered = sockets.filter(({ received }) => received().startsWith('HTTP/1.1 408')).length
  t.diagnostic(`${SLOW_CONNECTIONS} slow connections ended, ${answered} of them with status 408`)
  assert.ok(answered > 0)
  assert.equal((await fetchJson(`${url}/api/v1/version`)).status, 200)
})

test('a burst of 50 times the limit gets 429, and requests in the next period are served', async (t) => {
  const { url } = await startTestService(t, { RATE_LIMIT: '20/2' })
  const statuses = new Map<number, number>()
  const sendRequest = async () => {
    const response = await fetch(`${url}/api/v1/version`)
    await response.arrayBuffer()
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    return response
  }
  const startedAt = performance.now()
  const replies = await Promise.all(Array.from({ length: 50 * 20 }, sendRequest))
  const seconds = (performance.now() - startedAt) / 1000
  t.diagnostic(`1,000 requests in ${seconds.toFixed(1)} s: ${JSON.stringify([...statuses])}`)
  assert.deepEqual([...statuses.keys()].sort(), [200, 429])
  // The limit, plus what is refilled during the burst.
  assert.ok((statuses.get(200) ?? 0) <= 20 + Math.ceil(seconds * 10))
  const wait = Number(replies.find(({ status }) => status === 429)?.headers.get('retry-after'))
  assert.ok(wait >= 1 && wait <= 2)
  await until(async () => (await sendRequest()).status === 200)
})

test('one address can keep a limited number of connections open; closing one allows another', async (t) => {
  const { url } = await startTestService(t, { CONNECTIONS_PER_ADDRESS: '50' })
  const sockets = await openSockets(t, url, 60, REQUEST)
  const answered = () => sockets.filter(({ received }) => received() !== '')
  await until(() => answered().length === 50 && sockets.filter(({ isClosed }) => isClosed()).length === 10)
  answered()[0]?.socket.destroy()
  await until(async () => {
    const next = await openSocket(url, REQUEST)
    await until(() => next.isClosed() || next.received() !== '')
    next.socket.destroy()
    return next.received() !== ''
  })
})

test('idle connections of many addresses do not cut those that wait for a reply', async (t) => {
  const answers: (() => void)[] = []
  const source = await startSource(t, (_request, response) => answers.push(() => response.writeHead(404).end()))
  // Allows 186 connections.
  const { url } = await startTestService(t, { FILTER_ALLOW_HOSTS: source.host, MEMORY_LIMIT: String(64 * 2 ** 20) })
  // Eight connections at a time: each of the other addresses has two.
  const pending = Array.from({ length: 8 }, (_, i) => fetch(`${url}/api/v1/filter/invert?image=${source.url(`/${i}`)}`))
  await until(() => answers.length > 0)
  const { port } = new URL(url)
  const sockets = Array.from({ length: 300 }, (_, i) =>
    connect({ host: '127.0.0.1', port: Number(port), localAddress: `127.0.1.${1 + (i >> 1)}` }).on('error', () => {}),
  )
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  await until(() => sockets.filter((socket) => socket.resume().closed).length >= 300 - 186)
  const answering = setInterval(() => {
    for (const answer of answers.splice(0)) answer()
  }, 10)
  t.after(() => clearInterval(answering))
  const replies = await Promise.all(pending)
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([502]))
})

test('the connections of a trusted proxy are not limited', async (t) => {
  const { url } = await startTestService(t, { CONNECTIONS_PER_ADDRESS: '5', TRUST_PROXY: 'loopback' })
  const sockets = await openSockets(t, url, 20, REQUEST)
  await until(() => sockets.every(({ received }) => received() !== ''))
})

// What strangers can do to our own port: the service, a process of its own, goes on for the others.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fetchJson, spawnService } from '../kit/process.ts'
import { mostSockets, openSocket, openSockets } from '../kit/sockets.ts'
import { until } from '../kit/until.ts'

const IDLE = 10_000
const SLOW = 500
const REQUEST = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'

const memoryOf = (pid: number) =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)

test('10,000 connections that are kept open and idle: others are answered', async (t) => {
  const count = Math.min(IDLE, mostSockets())
  const { opened, pid } = await spawnService(t, { CONNECTIONS_PER_ADDRESS: '0' })
  const url = await opened
  const before = memoryOf(pid)
  const sockets = await openSockets(t, url, count, REQUEST)
  await until(() => sockets.every(({ received }) => received().startsWith('HTTP/1.1 200')), 30_000)
  assert.equal((await fetchJson(`${url}/api/v1/version`)).status, 200)
  t.diagnostic(`${count} idle connections; memory ${before} MB before, ${memoryOf(pid)} MB with them`)
  assert.ok(sockets.every(({ isClosed }) => !isClosed()))
})

test('headers that come a byte at a time, many at once: they are ended, and others are answered', async (t) => {
  const { opened } = await spawnService(t)
  const url = await opened
  const sockets = await openSockets(t, url, SLOW, 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ')
  const drip = setInterval(() => {
    for (const { socket, isClosed } of sockets) if (!isClosed()) socket.write('x')
  }, 500)
  t.after(() => clearInterval(drip))
  assert.equal((await fetchJson(`${url}/api/v1/version`)).status, 200)
  await until(() => sockets.every(({ isClosed }) => isClosed()), 30_000)
  const told = sockets.filter(({ received }) => received().startsWith('HTTP/1.1 408')).length
  t.diagnostic(`${SLOW} slow connections ended, ${told} of them told why (408)`)
  assert.ok(told > 0)
  assert.equal((await fetchJson(`${url}/api/v1/version`)).status, 200)
})

test('a burst of 50 times the limit gets 429, and the next period is served again', async (t) => {
  const { opened } = await spawnService(t, { RATE_LIMIT: '20/2' })
  const url = await opened
  const statuses = new Map<number, number>()
  const ask = async () => {
    const response = await fetch(`${url}/healthz`)
    await response.arrayBuffer()
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    return response
  }
  const begun = performance.now()
  const replies = await Promise.all(Array.from({ length: 50 * 20 }, ask))
  const seconds = (performance.now() - begun) / 1000
  t.diagnostic(`1,000 requests in ${seconds.toFixed(1)} s: ${JSON.stringify([...statuses])}`)
  assert.deepEqual([...statuses.keys()].sort(), [200, 429])
  // The budget, and what comes back of it while the burst lasts.
  assert.ok((statuses.get(200) ?? 0) <= 20 + Math.ceil(seconds * 10))
  const wait = Number(replies.find(({ status }) => status === 429)?.headers.get('retry-after'))
  assert.ok(wait >= 1 && wait <= 2)
  await until(async () => (await ask()).status === 200)
})

test('one address keeps so many connections open and no more; closing one makes room', async (t) => {
  const { opened } = await spawnService(t, { CONNECTIONS_PER_ADDRESS: '50' })
  const url = await opened
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

test('the connections of a believed proxy are not bounded', async (t) => {
  const { opened } = await spawnService(t, { CONNECTIONS_PER_ADDRESS: '5', TRUST_PROXY: 'loopback' })
  const sockets = await openSockets(t, await opened, 20, REQUEST)
  await until(() => sockets.every(({ received }) => received() !== ''))
})

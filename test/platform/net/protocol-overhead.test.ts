// Sources that send endless protocol overhead, which costs more to parse than to send.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startRawSource, startSource } from '../../kit/source.ts'
import { keepThreadBusy } from '../../kit/turns.ts'
import { until } from '../../kit/until.ts'
import { failsWith, fetcherFor, signal } from './kit.ts'

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

const floods = {
  'interim responses': { start: '', again: 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n' },
  'one-byte chunks': { start: CHUNKED, again: '1\r\nx\r\n' },
  'a chunk extension': { start: `${CHUNKED}1;a=`, again: 'bbbb' },
  'a status line': { start: 'HTTP/1.1 200 ', again: 'OKOK' },
  'empty lines': { start: '', again: '\r\n' },
}

function pour(socket: Socket, { start, again }: { start: string; again: string }): void {
  const piece = again.repeat(Math.ceil(60_000 / again.length))
  const pump = () => {
    while (!socket.destroyed && socket.write(piece));
    socket.once('drain', pump)
  }
  socket.write(start)
  pump()
}

for (const [what, flood] of Object.entries(floods)) {
  test(`endless overhead is cut off before the deadline: ${what}`, async (t) => {
    const source = await startRawSource(t, (socket) => pour(socket, flood))
    const fetcher = fetcherFor([source], { totalTimeoutMs: 20_000, headersTimeoutMs: 20_000, maxBytes: 64e6 })
    const outcome = fetcher.get(source.url(), { signal: signal() })
    await assert.rejects(outcome, failsWith('unreachable', { problem: 'sent more protocol overhead than content' }))
  })
}

test('a large body arrives complete, in small chunks or in one', async (t) => {
  const content = Buffer.alloc(6_000_000, 'content')
  const small = await startSource(t, async (_request, response) => {
    for (let at = 0; at < content.length; at += 1000) {
      if (!response.write(content.subarray(at, at + 1000))) await new Promise((go) => response.once('drain', go))
    }
    response.end()
  })
  const whole = await startSource(t, (_request, response) => void response.end(content))
  for (const source of [small, whole]) {
    const { body } = await fetcherFor([source], { maxBytes: 8e6 }).get(source.url(), { signal: signal() })
    assert.ok(body.equals(content))
  }
})

test('sources that send one-byte chunks at the same moment occupy the service only in turns', async (t) => {
  const sockets: Socket[] = []
  const source = await startRawSource(t, (socket) => sockets.push(socket.setNoDelay()))
  const fetcher = fetcherFor([source], { totalTimeoutMs: 4000, concurrency: { total: 40, perHost: 40, waiting: 40 } })
  const fetching = Array.from({ length: 30 }, () => fetcher.get(source.url(), { signal: signal() }).catch(() => {}))
  await until(() => sockets.length === 30)
  for (const socket of sockets) socket.write(CHUNKED + '1\r\nx\r\n'.repeat(100_000))
  // Of CPU time: the machine may stop.
  let longestMs = 0
  let last = process.threadCpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last)
    longestMs = Math.max(longestMs, (user + system) / 1000)
    last = process.threadCpuUsage()
  }, 1)
  t.after(() => clearInterval(timer))
  await Promise.all(fetching)
  assert.ok(longestMs < 500, `${longestMs} ms`)
})

test('large images arrive together in few turns of a busy event loop', async (t) => {
  const content = Buffer.alloc(4_000_000, 'x')
  const source = await startSource(t, (_request, response) => void response.end(content))
  const fetcher = fetcherFor([source], { maxBytes: content.length })
  let isDone = false
  let turns = 0
  const fetching = Promise.all(Array.from({ length: 8 }, () => fetcher.get(source.url(), { signal: signal() })))
  fetching.finally(() => (isDone = true)).catch(() => {})
  for (; !isDone; turns++) {
    keepThreadBusy(5)
    await setImmediate()
  }
  await fetching
  // One chunk per turn would be 490.
  assert.ok(turns < 350, `${turns} turns`)
})

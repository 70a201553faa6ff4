import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { createSourceTurns, type SourceTurns } from '../../../src/platform/net/index.ts'
import { matchApiError } from '../../kit/api-error.ts'
import type { Scope } from '../../kit/scope.ts'
import { startRawSource, startSource } from '../../kit/source.ts'
import { blockThread, keepThreadBusy, passTurns } from '../../kit/turns.ts'
import { until } from '../../kit/until.ts'
import { failsWith, fetcherFor, signal } from './kit.ts'

/** A source that answers only on `release`. */
async function startPendingSource(t: Scope) {
  const pending: ServerResponse[] = []
  const source = await startSource(t, (_request, response) => void pending.push(response))
  return { ...source, pending, release: () => pending.shift()!.end('here') }
}

test('aborting closes the connection, before and after the headers', async (t) => {
  let requests = 0
  const before = await startRawSource(t, () => requests++)
  const after = await startRawSource(t, (socket) =>
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc', () => requests++),
  )
  for (const source of [before, after]) {
    requests = 0
    const caller = new AbortController()
    const fetcher = fetcherFor([source])
    const outcome = assert.rejects(fetcher.get(source.url(), { signal: caller.signal }), { name: 'AbortError' })
    await until(() => requests === 1)
    await passTurns()
    caller.abort()
    await outcome
    await until(() => source.connections().open === 0)
    assert.equal(fetcher.status().running, 0)
  }
})

test('an aborted signal starts no fetch', async (t) => {
  const source = await startPendingSource(t)
  await assert.rejects(fetcherFor([source]).get(source.url(), { signal: AbortSignal.abort() }), { name: 'AbortError' })
  assert.equal(source.connections().made, 0)
})

test('fewer fetches run at a time if the service may open few files', async (t) => {
  const sources = await Promise.all(Array.from({ length: 3 }, () => startPendingSource(t)))
  const fetcher = fetcherFor(sources, { maxOpen: 2 })
  const fetches = sources.map((source) => fetcher.get(source.url(), { signal: signal() }))
  await until(() => sources.filter(({ pending }) => pending.length > 0).length === 2)
  assert.deepEqual(fetcher.status(), { running: 2, waiting: 1 })
  for (const source of sources) {
    await until(() => source.pending.length > 0)
    source.release()
  }
  await Promise.all(fetches)
})

test('a name that never resolves fails as a timeout, and the fetch can be aborted', async () => {
  const fetcher = fetcherFor([], { totalTimeoutMs: 200, resolve: () => new Promise(() => {}) })
  await assert.rejects(fetcher.get('http://slow.example/', { signal: signal() }), failsWith('timeout'))
  const aborted = fetcher.get('http://slow.example/', { signal: AbortSignal.timeout(50) })
  await assert.rejects(aborted, { name: 'TimeoutError' })
})

test('a name with thousands of addresses is refused before they are checked', async () => {
  const addresses = Array.from({ length: 4000 }, (_, n) => `10.0.${n >> 8}.${n & 255}`)
  const outcome = fetcherFor([], { resolve: async () => addresses }).get('http://many.example/', { signal: signal() })
  await assert.rejects(outcome, failsWith('unreachable', { problem: 'has too many addresses in DNS' }))
})

test('a name that does not resolve fails as unreachable', async () => {
  for (const resolve of [async () => [], () => Promise.reject(new Error('SERVFAIL'))]) {
    const outcome = fetcherFor([], { resolve }).get('http://gone.example/', { signal: signal() })
    await assert.rejects(outcome, failsWith('unreachable', { sourceStatus: undefined }))
  }
})

test('URLs that never answer, which one network requests, do not delay others from the same host', async (t) => {
  const source = await startPendingSource(t)
  const fetcher = fetcherFor([source], { concurrency: { total: 9, perHost: 4, waiting: 9 } })
  const caller = new AbortController()
  const get = (client: string) => fetcher.get(source.url(), { signal: caller.signal, client })
  const attacks = Promise.allSettled(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5'].map(get))
  await until(() => fetcher.status().waiting === 2)
  const other = get('203.0.113.1')
  await until(() => source.pending.length === 4)
  source.pending[3]!.end('here')
  assert.equal((await other).body.toString(), 'here')
  caller.abort()
  await attacks
})

test('fetches per host are limited, further ones wait, and the rest fail with BUSY', async (t) => {
  const [slow, quick] = [await startPendingSource(t), await startPendingSource(t)]
  const hosts = [slow.host, quick.host.replace('127.0.0.1', 'localhost')]
  const fetcher = fetcherFor([], { allowHosts: hosts, concurrency: { total: 3, perHost: 2, waiting: 1 } })
  const get = (url: string) => fetcher.get(url, { signal: signal() })
  const running = [get(slow.url()), get(slow.url())]
  await until(() => slow.pending.length === 2)
  const waiting = get(slow.url())
  await assert.rejects(get(slow.url()), matchApiError('BUSY', { retryAfter: 10 }))
  assert.deepEqual(fetcher.status(), { running: 2, waiting: 1 })

  const elsewhere = get(`http://${hosts[1]}/`)
  await until(() => quick.pending.length === 1)
  quick.release()
  assert.equal((await elsewhere).body.toString(), 'here')

  assert.equal(slow.connections().made, 2)
  slow.release()
  await until(() => slow.pending.length === 2)
  assert.equal(slow.connections().made, 3)
  slow.release()
  slow.release()
  await Promise.all([...running, waiting])
  assert.deepEqual(fetcher.status(), { running: 0, waiting: 0 })
})

test('waiting for a slot ends on abort and after the time limit', async (t) => {
  const source = await startPendingSource(t)
  const concurrency = { total: 1, perHost: 1, waiting: 5 }
  const fetcher = fetcherFor([source], { concurrency, totalTimeoutMs: 1500, headersTimeoutMs: 5000 })
  const first = assert.rejects(fetcher.get(source.url(), { signal: signal() }), failsWith('timeout'))
  const aborted = fetcher.get(source.url(), { signal: AbortSignal.timeout(50) })
  await assert.rejects(aborted, { name: 'TimeoutError' })
  assert.deepEqual(fetcher.status(), { running: 1, waiting: 0 })
  await first
  assert.equal(source.connections().made, 1)
})

test('close() aborts running work', async (t) => {
  const source = await startPendingSource(t)
  const fetcher = fetcherFor([source])
  const outcome = assert.rejects(fetcher.get(source.url(), { signal: signal() }), { name: 'AbortError' })
  await until(() => source.pending.length === 1)
  fetcher.close()
  await outcome
  await assert.rejects(fetcher.get(source.url(), { signal: signal() }), { name: 'AbortError' })
})

test('a source that never completes the TLS handshake fails as a timeout', async (t) => {
  const source = await startRawSource(t, () => {})
  const outcome = fetcherFor([source], { connectTimeoutMs: 200 }).get(`https://${source.host}/`, { signal: signal() })
  await assert.rejects(outcome, failsWith('timeout', { max: 200 }))
  await until(() => source.connections().open === 0)
})

test('sources of all fetchers that have the same turns take turns', async (t) => {
  const source = await startSource(t, (_request, response) => void response.end('here'))
  const sourceTurns = createSourceTurns()
  const ended: string[] = []
  const long = sourceTurns.takeDataTurn(['192.0.2.0/24'], () => keepThreadBusy(50)).then(() => ended.push('long'))
  await fetcherFor([source], { sourceTurns }).get(source.url(), { signal: signal() })
  ended.push('fetched')
  await long
  assert.deepEqual(ended, ['long', 'fetched'])
})

test('a long step of a handshake is followed by three times its duration without such steps', async () => {
  assert.ok((await measurePause(keepThreadBusy)) > 80)
})

test('a step is not long because the thread waits for the processor', async () => {
  // Repeated, because a busy machine may delay the second step.
  let shortestMs = Number.POSITIVE_INFINITY
  for (let i = 0; i < 4 && shortestMs > 60; i++) shortestMs = Math.min(shortestMs, await measurePause(blockThread))
  assert.ok(shortestMs < 60, `${shortestMs} ms`)
})

/** The time between two steps of handshakes that take 30 ms each. */
async function measurePause(work: (ms: number) => void): Promise<number> {
  const { startHandshake } = createSourceTurns()
  const steps: { startedAt: number; endedAt: number }[] = []
  const takeStep = (network: string) =>
    startHandshake([network], signal()).takeTurn(() => {
      const startedAt = performance.now()
      work(30)
      steps.push({ startedAt, endedAt: performance.now() })
    })
  await Promise.all(['192.0.2.0/24', '198.51.100.0/24'].map(takeStep))
  const [first, second] = steps
  return second!.startedAt - first!.endedAt
}

test('a network whose last handshake was long waits for those of others, until it completes a short one', async () => {
  const { startHandshake } = createSourceTurns()
  const network = '203.0.113.0/24'
  const steps: string[] = []
  const takeStep = (handshake: ReturnType<SourceTurns['startHandshake']>, name: string, ms: number) =>
    handshake.takeTurn(() => {
      keepThreadBusy(ms)
      steps.push(name)
    })
  let networks = 0
  const runAmongOthers = async () => {
    steps.length = 0
    // New networks: those that used much would wait for this one.
    const others = [1, 2].map(() => startHandshake([`198.18.${networks++}.0/24`], signal()))
    await Promise.all([
      ...others.map((other) => takeStep(other, 'other', 30)),
      takeStep(startHandshake([network], signal()), 'short', 0),
    ])
  }
  async function completeShort() {
    const short = startHandshake([network], signal())
    await takeStep(short, 'short', 0)
    short.complete()
  }
  // Repeated, because a busy machine may make a short step long.
  for (let i = 0; i < 4 && steps.join() !== 'other,short,other'; i++) {
    await completeShort()
    await runAmongOthers()
  }
  assert.equal(steps.join(), 'other,short,other')
  const long = startHandshake([network], signal())
  await takeStep(long, 'long', 200)
  // Its last step was short, as with TLS 1.2.
  await takeStep(long, 'short', 0)
  long.complete()
  await runAmongOthers()
  assert.equal(steps.join(), 'other,other,short')
})

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  addWorkers,
  countByGroup,
  createHistograms,
  createHistory,
  createTally,
  definitions,
  estimateDuration,
  single,
} from '../../../src/platform/metrics/index.ts'

const NOON = Date.parse('2026-01-01T12:00:00Z')

function startHistory(t: TestContext) {
  const statuses = createTally()
  const durations = createHistograms(definitions.requestSeconds)
  const filters = createTally()
  const cacheReads = { hit: 0, miss: 0 }
  const gauges = { running: 0, waiting: 0, cacheBytes: 1000, memory: 50, cpu: 0.1 }
  let bytes = 0
  let lag = 0
  let now = NOON
  const history = createHistory({
    readCounters: () => ({
      requests: statuses.samples().map(([[status = ''], count]) => [['/x', 'GET', status], count]),
      requestSeconds: durations.samples(),
      replyBytes: single(bytes),
      filterRequests: filters.samples(),
      cacheReads: [
        [['results', 'hit'], cacheReads.hit],
        [['results', 'miss'], cacheReads.miss],
        [['sources', 'miss'], 1000],
      ],
    }),
    readGauges: () => ({ ...gauges }),
    eventLoop: { endWindow: () => ({ p50: 0, p99: 0, max: lag }) },
    nameOutcome: ([, , status = '']) => (status === '418' ? undefined : status < '400' ? 'served' : 'refused'),
    clock: () => now,
  })
  t.after(() => history.close())
  const countRequest = (group: string, { status = 200, ms = 1, filter = '' } = {}) => {
    statuses.add(String(status))
    durations.of(group).observe(ms / 1000)
    if (filter) filters.add(filter)
    bytes += 10
  }
  const wait = (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      now += 1000
      history.sample()
    }
  }
  const setLag = (seconds: number) => {
    lag = seconds
  }
  return { history, countRequest, wait, gauges, cacheReads, setLag }
}

test('a slot holds what was counted during its five seconds', (t) => {
  const { history, countRequest, wait } = startHistory(t)
  countRequest('Image filters, v1', { filter: 'blur' })
  countRequest('Image filters, v2', { status: 404 })
  countRequest('none', { status: 404 })
  assert.deepEqual(history.slots(5), [], 'the first slot is not finished')
  wait(5)
  countRequest('Health', { status: 503 })
  wait(5)
  const [first, second, ...more] = history.slots(5)
  assert.ok(first && second && more.length === 0)
  assert.deepEqual([first.at, first.seconds, second.at, second.seconds], [NOON, 5, NOON + 5000, 5])
  assert.deepEqual([first.statuses, second.statuses], [{ '2xx': 1, '4xx': 2 }, { '5xx': 1 }])
  assert.deepEqual(countByGroup(first), { 'Image filters, v1': 1, 'Image filters, v2': 1, none: 1 })
  assert.deepEqual(countByGroup(second), { Health: 1 })
  assert.deepEqual([first.filters, second.filters], [{ blur: 1 }, {}])
  assert.deepEqual([first.bytes, second.bytes], [30, 10])
})

test('longer slots sum the counts of short ones and keep the highest gauges', (t) => {
  const { history, countRequest, wait, gauges, cacheReads, setLag } = startHistory(t)
  cacheReads.miss++
  wait(5)
  for (let n = 0; n < 99; n++) countRequest('Pages', { ms: 1 })
  countRequest('Pages', { ms: 400 })
  gauges.waiting = 7
  wait(1)
  gauges.waiting = 0
  cacheReads.hit += 4
  setLag(0.25)
  wait(4)
  setLag(0)
  wait(5)
  const [slot, ...more] = history.slots(60)
  assert.ok(slot && more.length === 0)
  assert.deepEqual([slot.at, slot.seconds, slot.statuses], [NOON, 15, { '2xx': 100 }])
  assert.deepEqual(slot.cache, { hit: 4, miss: 1 })
  assert.deepEqual(slot.peaks, { running: 0, waiting: 7, cacheBytes: 1000, memory: 50, lag: 250, cpu: 0.1 })
})

test('the history keeps one hour and returns at most sixty slots', (t) => {
  const { history, countRequest, wait } = startHistory(t)
  for (let n = 0; n < 750; n++) {
    countRequest('Pages')
    wait(5)
  }
  for (const seconds of [5, 15, 60]) assert.ok(history.slots(seconds).length <= 60, String(seconds))
  const all = history.slots(60).reduce((sum, { statuses }) => sum + (statuses['2xx'] ?? 0), 0)
  assert.ok(all >= 59 * 12 && all <= 720, String(all))
})

test('percentiles are estimated within the bucket of the histogram', (t) => {
  const { history, countRequest, wait } = startHistory(t)
  for (let n = 0; n < 90; n++) countRequest('Pages', { ms: 2 })
  for (let n = 0; n < 10; n++) countRequest('Image filters, v1', { ms: 400 })
  countRequest('Slow', { ms: 99_000 })
  wait(10)
  const [slot, empty] = history.slots(5)
  assert.ok(slot && empty)
  const isPages = (group: string) => group === 'Pages'
  const p50 = estimateDuration(slot, 0.5, isPages) ?? 0
  assert.ok(p50 > 1 && p50 <= 2.5, String(p50))
  const p95 = estimateDuration(slot, 0.95) ?? 0
  assert.ok(p95 > 250 && p95 <= 500, String(p95))
  assert.equal(estimateDuration(slot, 1), 30_000, 'above all bounds: the highest bound')
  assert.equal(estimateDuration(empty, 0.5), null)
})

test('the slots of several processes are added', (t) => {
  const [first, second] = [startHistory(t), startHistory(t)]
  first.countRequest('Pages')
  second.countRequest('Pages')
  second.countRequest('Image filters, v1', { status: 503, filter: 'blur' })
  second.gauges.waiting = 3
  second.setLag(0.1)
  for (const { wait } of [first, second]) wait(5)
  // A process that is older than this one: its earlier slots are left out.
  const others = JSON.parse(JSON.stringify(second.history.slots(5)))
  const [slot, ...more] = addWorkers(first.history.slots(5), [[{ ...others[0], at: NOON - 5000 }, ...others]])
  assert.ok(slot && more.length === 0)
  assert.deepEqual([slot.seconds, slot.statuses, slot.filters], [5, { '2xx': 2, '5xx': 1 }, { blur: 1 }])
  assert.deepEqual(countByGroup(slot), { Pages: 2, 'Image filters, v1': 1 })
  assert.deepEqual([slot.peaks.waiting, slot.peaks.memory, slot.peaks.lag], [3, 100, 100])
})

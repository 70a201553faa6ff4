import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createHistory } from '../../../../../src/http/api/operator/history/history.ts'
import { bucketOf, percentile } from '../../../../../src/http/api/operator/history/latency.ts'
import { createLive } from '../../../../../src/http/api/operator/history/live.ts'

const NOON = Date.parse('2026-01-01T12:00:00Z')
const FILTERS = ['blur', 'invert']

function startHistory(t: TestContext) {
  const replies = { hit: 0, miss: 0, shared: 0 }
  const queue = { running: 0, waiting: 0 }
  const caches = {
    sources: { entries: 1, bytes: 700 },
    records: { entries: 0, bytes: 0 },
    results: { entries: 1, bytes: 300 },
  }
  let now = NOON
  const history = createHistory({
    node: 'test',
    filters: FILTERS,
    pipeline: () => ({ ...queue, caches, replies: { ...replies } }),
    clock: () => now,
  })
  t.after(() => history.close())
  const answered = (tag: string | undefined, { url = '/x', status = 200, ms = 1 } = {}) =>
    history.observe({
      ...{ id: 'a', method: 'GET', url, client: '192.0.2.1', route: 0, tag, note: undefined },
      ...{ status, bytes: 10, startedAt: 0, ms, trace: undefined },
    })
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      now += 1000
      history.look()
    }
  }
  return { history, answered, pass, replies, queue }
}

test('what was answered is told by slot, status, group and filter once the slot is over', (t) => {
  const { history, answered, pass } = startHistory(t)
  answered('Image filters, v1', { url: '/api/v1/filter/blur?image=https://a.example/invert' })
  answered('Image filters, v2', { url: '/api/v2/filter/nonsense', status: 404 })
  answered(undefined, { status: 404 })
  assert.deepEqual(history.view({}).at, [], 'the slot is under way')
  pass(5)
  answered('Health', { status: 503 })
  pass(5)
  const { at, seconds, statuses, groups, filters, bytes, step } = history.view({})
  assert.deepEqual([at, seconds, step], [[NOON, NOON + 5000], [5, 5], 5])
  assert.deepEqual(statuses, { '2xx': [1, 0], '3xx': [0, 0], '4xx': [2, 0], '5xx': [0, 1] })
  assert.deepEqual(groups, {
    Health: [0, 1],
    'Image filters, v1': [1, 0],
    'Image filters, v2': [1, 0],
    none: [1, 0],
  })
  assert.deepEqual(filters, { blur: [1, 0] }, 'a filter that there is not makes no column')
  assert.deepEqual(bytes, [30, 10])
})

test('longer slots are the sum of the short ones, with the highest of what is measured', (t) => {
  const { history, answered, pass, replies, queue } = startHistory(t)
  replies.miss = 1
  pass(5)
  for (let n = 0; n < 99; n++) answered('Pages', { ms: 1 })
  answered('Pages', { ms: 400 })
  queue.waiting = 7
  pass(1)
  queue.waiting = 0
  replies.hit = 4
  pass(9)
  const { at, seconds, statuses, latency, filterLatency, cache, measures } = history.view({ step: 60 })
  assert.deepEqual([at, seconds, statuses['2xx']], [[NOON], [15], [100]])
  assert.deepEqual(cache, { hit: [4], miss: [1], shared: [0] })
  assert.deepEqual([measures.waiting, measures.cacheBytes], [[7], [1000]])
  assert.ok((measures.memory[0] ?? 0) > 1_000_000)
  for (const share of ['p50', 'p95', 'p99'] as const) assert.ok(Math.abs((latency[share][0] ?? 0) - 1) < 0.1, share)
  assert.deepEqual(filterLatency, { p50: [null], p95: [null], p99: [null] })
})

test('since leaves out what the reader has, but not the slot that was under way', (t) => {
  const { history, pass } = startHistory(t)
  pass(100)
  assert.equal(history.view({}).at.length, 20)
  assert.deepEqual(history.view({ since: NOON + 90_000 }).at, [NOON + 90_000, NOON + 95_000])
  assert.deepEqual(history.view({ since: NOON + 60_000, step: 60 }).seconds, [40])
  assert.deepEqual(history.view({ since: NOON + 999_000 }).at, [])
})

test('an hour is kept, and never more than sixty slots are told', (t) => {
  const { history, answered, pass } = startHistory(t)
  for (let n = 0; n < 750; n++) {
    answered('Pages')
    pass(5)
  }
  for (const step of [5, 15, 60]) assert.ok(history.view({ step }).at.length <= 60, String(step))
  const all = history.view({ step: 60 }).statuses['2xx'].reduce((sum, count) => sum + count, 0)
  assert.ok(all >= 59 * 12 && all <= 720, String(all))
})

test('percentiles of durations are within a tenth, from microseconds to minutes', () => {
  for (const ms of [0.06, 0.5, 3, 42, 999, 61_000]) {
    const buckets = new Uint32Array(100)
    buckets[bucketOf(ms)] = 3
    const told = percentile(buckets, 0.5) ?? 0
    assert.ok(Math.abs(told - ms) / ms < 0.1, `${told} for ${ms}`)
  }
  assert.equal(bucketOf(0), 0)
  assert.equal(bucketOf(1e9), 84)
  assert.equal(percentile(new Uint32Array(4), 0.5), null)
})

test('what happened in several processes of a node is told as one', async (t) => {
  const [first, second] = [startHistory(t), startHistory(t)]
  first.answered('Pictures', { ms: 1 })
  second.answered('Pictures', { ms: 1 })
  second.answered('Image filters, v1', { url: '/api/v1/filter/blur', status: 503 })
  second.queue.waiting = 3
  for (const { pass } of [first, second]) pass(5)
  const answers = new Map<string, () => unknown>()
  const collect = async (topic: string) => {
    const theirs = JSON.parse(JSON.stringify(second.history.slots(Number(/\d+/.exec(topic)?.[0]))))
    return [answers.get(topic)?.(), theirs]
  }
  const live = createLive(first.history, { provide: (topic, read) => answers.set(topic, read), collect })
  const { seconds, statuses, groups, filters, latency, measures } = await live({})
  assert.deepEqual(seconds, [5])
  assert.deepEqual([statuses['2xx'], statuses['5xx']], [[2], [1]])
  assert.deepEqual([groups.Pictures, filters.blur, measures.waiting], [[2], [1], [3]])
  assert.notEqual(latency.p50[0], null)
  assert.deepEqual((await live({ since: NOON + 5000 })).at, [])
})

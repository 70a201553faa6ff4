import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  mergeSnapshots,
  pickCounters,
  pickGauges,
  renderMetrics,
  type Snapshot,
} from '../../../src/platform/metrics/index.ts'
import { parseExposition, sumSamples } from '../../kit/exposition.ts'

const first: Snapshot = {
  requests: [
    [['/api', 'GET', '200'], 5],
    [['/api', 'GET', '304'], 1],
  ],
  requestSeconds: [[['Health'], { counts: [...Array(17).fill(1), 2], sum: 3.5 }]],
  bansActive: [[[], 7]],
  contentSequence: [[[], 41]],
  storeUp: [[['redis'], 1]],
  residentMemory: [[[], 100]],
  workers: [[[], 1]],
}
const second: Snapshot = {
  requests: [
    [['/api', 'GET', '200'], 10],
    [['unknown', 'GET', '404'], 2],
  ],
  requestSeconds: [[['Health'], { counts: [...Array(17).fill(2), 0], sum: 1.5 }]],
  bansActive: [[[], 6]],
  contentSequence: [[[], 42]],
  storeUp: [[['redis'], 0]],
  residentMemory: [[[], 50]],
  workers: [[[], 1]],
}

test('merging sums counters and does not sum values that are the same in all processes', () => {
  const families = parseExposition(renderMetrics(mergeSnapshots([first, second])))
  const value = (name: string, labels?: Record<string, string>) => sumSamples(families, name, labels)
  assert.equal(value('menagerie_http_requests_total', { route: '/api', status: '200' }), 15)
  assert.equal(value('menagerie_http_requests_total'), 18)
  assert.equal(value('menagerie_http_request_duration_seconds_count'), 19 + 34)
  assert.equal(value('menagerie_http_request_duration_seconds_sum'), 5)
  assert.equal(value('menagerie_http_request_duration_seconds_bucket', { le: '0.001' }), 12)
  assert.equal(value('menagerie_bans_active'), 7)
  // While worker 1 is replaced, its successor has the number, too.
  assert.equal(value('menagerie_content_sequence'), 42)
  // One process that cannot reach the store is enough.
  assert.equal(value('menagerie_store_up'), 0)
  assert.equal(value('process_resident_memory_bytes'), 150)
  assert.equal(value('menagerie_workers'), 2)
})

test('the order of the processes does not matter, and a single snapshot is unchanged', () => {
  const sorted = (snapshot: Snapshot) => renderMetrics(snapshot).split('\n').sort()
  assert.deepEqual(sorted(mergeSnapshots([first, second])), sorted(mergeSnapshots([second, first])))
  assert.equal(renderMetrics(mergeSnapshots([first])), renderMetrics(first))
  assert.equal(renderMetrics(mergeSnapshots([])), renderMetrics({}))
})

test('a snapshot is plain JSON', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(first)), first)
})

test('metrics of a newer version are not rendered', () => {
  const newer = { ...second, invented: [[[], 1]] } as Snapshot
  assert.equal(renderMetrics(mergeSnapshots([first, newer])), renderMetrics(mergeSnapshots([first, second])))
})

test('every metric is either a counter or a gauge', () => {
  assert.deepEqual(mergeSnapshots([pickCounters(first), pickGauges(first)]), mergeSnapshots([first]))
  assert.deepEqual([pickCounters(first).residentMemory, pickGauges(first).requests], [undefined, undefined])
})

test('counters are added even if this version does not know their metric', () => {
  const newer = { ...pickCounters(second), invented: [[[], 3]] } as Snapshot
  const { invented, ...known } = mergeSnapshots([pickCounters(first), newer, newer]) as Snapshot & { invented: unknown }
  assert.deepEqual(invented, [[[], 6]])
  assert.equal(renderMetrics(known), renderMetrics(mergeSnapshots([first, second, second].map(pickCounters))))
})

test('sums of seconds are the same in any order, so that they never fall by their last digit', () => {
  const seconds = [0.1, 0.2, 0.3, 1e6 + 0.7, 123.456]
  const spent = seconds.map((value) => pickCounters({ cpuSeconds: [[[], value]] }))
  const [a, b, c, d, e] = spent as [Snapshot, Snapshot, Snapshot, Snapshot, Snapshot]
  const inTurn = mergeSnapshots(spent)
  assert.deepEqual(mergeSnapshots([mergeSnapshots([e, mergeSnapshots([c, d])]), mergeSnapshots([b, a])]), inTurn)
  assert.ok(Math.abs(Number(inTurn.cpuSeconds?.[0]?.[1]) - seconds.reduce((sum, value) => sum + value)) < 1e-5)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addUp, lasting, merge, momentary, render, type Snapshot } from '../../../src/platform/metrics/index.ts'
import { readExposition, totalOf } from '../../kit/exposition.ts'

const first: Snapshot = {
  requests: [
    [['/api', 'GET', '200'], 5],
    [['/api', 'GET', '304'], 1],
  ],
  requestSeconds: [[['Health'], { counts: [...Array(15).fill(1), 2], sum: 3.5 }]],
  bansActive: [[[], 7]],
  storeUp: [[['redis'], 1]],
  residentMemory: [[[], 100]],
  processes: [[[], 1]],
}
const second: Snapshot = {
  requests: [
    [['/api', 'GET', '200'], 10],
    [['unknown', 'GET', '404'], 2],
  ],
  requestSeconds: [[['Health'], { counts: [...Array(15).fill(2), 0], sum: 1.5 }]],
  bansActive: [[[], 6]],
  storeUp: [[['redis'], 0]],
  residentMemory: [[[], 50]],
  processes: [[[], 1]],
}

test('several processes answer as one: counts are summed, what all see alike is not', () => {
  const families = readExposition(render(merge([first, second])))
  const value = (name: string, labels?: Record<string, string>) => totalOf(families, name, labels)
  assert.equal(value('menagerie_http_requests_total', { route: '/api', status: '200' }), 15)
  assert.equal(value('menagerie_http_requests_total'), 18)
  assert.equal(value('menagerie_http_request_duration_seconds_count'), 17 + 30)
  assert.equal(value('menagerie_http_request_duration_seconds_sum'), 5)
  assert.equal(value('menagerie_http_request_duration_seconds_bucket', { le: '0.001' }), 6)
  assert.equal(value('menagerie_bans_active'), 7)
  // One process that cannot reach the store is news.
  assert.equal(value('menagerie_store_up'), 0)
  assert.equal(value('process_resident_memory_bytes'), 150)
  assert.equal(value('menagerie_processes'), 2)
})

test('the order of the processes does not matter, and one alone stays as it is', () => {
  const sorted = (snapshot: Snapshot) => render(snapshot).split('\n').sort()
  assert.deepEqual(sorted(merge([first, second])), sorted(merge([second, first])))
  assert.equal(render(merge([first])), render(first))
  assert.equal(render(merge([])), render({}))
})

test('a snapshot survives the way between processes', () => {
  assert.deepEqual(JSON.parse(JSON.stringify(first)), first)
})

test('a process of another version is joined for what both know', () => {
  const newer = { ...second, invented: [[[], 1]] } as Snapshot
  assert.equal(render(merge([first, newer])), render(merge([first, second])))
})

test('what lasts and what is true for the moment are all there is, and each is one of them', () => {
  assert.deepEqual(merge([lasting(first), momentary(first)]), merge([first]))
  assert.deepEqual([lasting(first).residentMemory, momentary(first).requests], [undefined, undefined])
})

test('counts of processes that ended are added up, also those of metrics that are not known here', () => {
  const newer = { ...lasting(second), invented: [[[], 3]] } as Snapshot
  const { invented, ...known } = addUp([lasting(first), newer, newer]) as Snapshot & { invented: unknown }
  assert.deepEqual(invented, [[[], 6]])
  assert.equal(render(known), render(merge([first, second, second].map(lasting))))
})

test('seconds add up to the same in any order: a sum must not fall by its last digit', () => {
  const seconds = [0.1, 0.2, 0.3, 1e6 + 0.7, 123.456]
  const spent = seconds.map((value) => lasting({ cpuSeconds: [[[], value]] }))
  const [a, b, c, d, e] = spent as [Snapshot, Snapshot, Snapshot, Snapshot, Snapshot]
  const inTurn = addUp(spent)
  assert.deepEqual(addUp([addUp([e, addUp([c, d])]), addUp([b, a])]), inTurn)
  assert.ok(Math.abs(Number(inTurn.cpuSeconds?.[0]?.[1]) - seconds.reduce((sum, value) => sum + value)) < 1e-5)
})

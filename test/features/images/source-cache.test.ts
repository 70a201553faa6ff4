import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { computeFreshness } from '../../../src/features/images/source-cache.ts'

const DAY = 24 * 3600
const MINUTE = 60

function computeFreshSeconds(headers: Record<string, string>, heuristicSeconds = MINUTE): number {
  const fetched = { url: 'http://example.com/', status: 200, headers, body: Buffer.alloc(0), redirects: [] }
  return Math.round((computeFreshness(fetched, heuristicSeconds * 1000)!.freshUntil - Date.now()) / 1000)
}

// Time stands still, so that results are exact.
mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 0, 1) })

test('a source is fresh as long as it states, but at most a year', () => {
  assert.equal(computeFreshSeconds({ 'cache-control': 'max-age=600' }), 600)
  assert.equal(computeFreshSeconds({ 'cache-control': 'max-age=99999999999999999999999999' }), 365 * DAY)
  assert.equal(computeFreshSeconds({ expires: new Date(Date.now() + 9e12).toUTCString() }), 365 * DAY)
})

test('a guessed lifetime is at most a day', () => {
  assert.equal(computeFreshSeconds({ 'last-modified': 'Thu, 01 Jan 1970 00:00:00 GMT' }), DAY)
  assert.equal(computeFreshSeconds({ 'cache-control': 'immutable' }), DAY)
  assert.equal(
    computeFreshSeconds({ 'cache-control': 'public', 'last-modified': 'Thu, 01 Jan 1970 00:00:00 GMT' }),
    DAY,
  )
  assert.equal(computeFreshSeconds({}), MINUTE)
})

test('an image with Vary: * is never fresh', () => {
  for (const vary of ['*', 'accept, *']) {
    assert.equal(computeFreshSeconds({ vary }), 0)
    assert.equal(computeFreshSeconds({ vary, 'cache-control': 'max-age=600' }), 0)
  }
  assert.equal(computeFreshSeconds({ vary: 'accept' }), MINUTE)
})

test('stale-while-revalidate and stale-if-error do not extend freshness', () => {
  assert.equal(
    computeFreshSeconds({ 'cache-control': 'max-age=10, stale-if-error=600, stale-while-revalidate=600' }),
    10,
  )
})

test('a long Vary header does not take long to revalidate an image', () => {
  const headers = { 'cache-control': 'max-age=0', etag: '"v1"', vary: `accept${' '.repeat(16_000)}origin` }
  const fetched = { url: 'http://example.com/', headers, body: Buffer.alloc(0), redirects: [] }
  const before = process.threadCpuUsage()
  let policy = computeFreshness({ ...fetched, status: 200 }, 0)!.policy
  for (let n = 0; n < 20; n++) policy = computeFreshness({ ...fetched, status: 304 }, 0, policy)!.policy
  const { user, system } = process.threadCpuUsage(before)
  assert.ok(user + system < 3_000_000, `${user + system} µs`)
})

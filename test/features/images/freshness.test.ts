import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshnessOf } from '../../../src/features/images/freshness.ts'

const DAY = 24 * 3600
const MINUTE = 60

/** Seconds, to the nearest. */
function freshFor(headers: Record<string, string>, heuristicSeconds = MINUTE): number {
  const fetched = { url: 'http://example.com/', status: 200, headers, body: Buffer.alloc(0), redirects: [] }
  return Math.round((freshnessOf(fetched, heuristicSeconds * 1000)!.freshUntil - Date.now()) / 1000)
}

test('a source is fresh for as long as it says, but not for more than a year', () => {
  assert.equal(freshFor({ 'cache-control': 'max-age=600' }), 600)
  assert.equal(freshFor({ 'cache-control': 'max-age=99999999999999999999999999' }), 365 * DAY)
  assert.equal(freshFor({ expires: new Date(Date.now() + 9e12).toUTCString() }), 365 * DAY)
})

test('what is guessed lasts no more than a day', () => {
  assert.equal(freshFor({ 'last-modified': 'Thu, 01 Jan 1970 00:00:00 GMT' }), DAY)
  assert.equal(freshFor({ 'cache-control': 'immutable' }), DAY)
  assert.equal(freshFor({ 'cache-control': 'public', 'last-modified': 'Thu, 01 Jan 1970 00:00:00 GMT' }), DAY)
  assert.equal(freshFor({}), MINUTE)
})

test('a picture that varies by everything is never fresh', () => {
  for (const vary of ['*', 'accept, *']) {
    assert.equal(freshFor({ vary }), 0)
    assert.equal(freshFor({ vary, 'cache-control': 'max-age=600' }), 0)
  }
  assert.equal(freshFor({ vary: 'accept' }), MINUTE)
})

test('the time in which a stale picture might do is not taken for freshness', () => {
  assert.equal(freshFor({ 'cache-control': 'max-age=10, stale-if-error=600, stale-while-revalidate=600' }), 10)
})

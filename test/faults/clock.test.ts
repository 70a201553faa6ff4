// The wall clock jumps: to one hour ahead, to one hour behind, and back. Limits, bans, tokens and counts stay correct.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createBans, createTokens } from '../../src/features/access/index.ts'
import { openDownloadCounter } from '../../src/platform/store/index.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { createTestLog } from '../kit/log.ts'
import { needsRedis, startRedis } from '../kit/redis.ts'
import { startTestService } from '../kit/service.ts'
import { temporaryStore } from '../kit/store.ts'
import { until } from '../kit/until.ts'

const HOUR_MS = 3_600_000
const OFFSETS_MS = [0, HOUR_MS, -HOUR_MS, 0]

/** Moves `Date.now` of this process; monotonic clocks are not affected. */
function mockWallClock(t: TestContext) {
  const real = Date.now
  const clock = { offsetMs: 0 }
  t.mock.method(Date, 'now', () => real() + clock.offsetMs)
  return clock
}

test('rate limits use a monotonic clock', async (t) => {
  const clock = mockWallClock(t)
  const { url } = await startTestService(t, { RATE_LIMIT: '5/3600' })
  const statuses: number[] = []
  for (const offsetMs of OFFSETS_MS) {
    clock.offsetMs = offsetMs
    for (let requests = 0; requests < 2; requests++) statuses.push((await fetch(`${url}/api/v1/version`)).status)
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429, 429])
})

test('uptime uses a monotonic clock, and a clock that was set is reported on /readyz', async (t) => {
  const clock = mockWallClock(t)
  const { fetchJson } = await startTestService(t)
  for (const offsetMs of OFFSETS_MS) {
    clock.offsetMs = offsetMs
    const { body } = await fetchJson('/api/v1/uptime')
    assert.ok(body.uptime >= 0 && body.uptime < 60, `${body.uptime}`)
  }
  clock.offsetMs = -HOUR_MS
  await until(async () => /the clock was set back by/.test(JSON.stringify((await fetchJson('/readyz')).body)))
})

test('a ban that seemed to have expired is active again when the clock is corrected', async (t) => {
  const clock = mockWallClock(t)
  const store = await temporaryStore(t)
  const bans = createBans(store.bans, store.strikes, { exempt: [], log: createTestLog() })
  t.after(() => bans.close())
  await bans.add('192.0.2.1', { reason: 'a test', by: 'a test', ms: HOUR_MS / 2 })
  const isBanned = OFFSETS_MS.map((offsetMs) => {
    clock.offsetMs = offsetMs
    return bans.find('192.0.2.1') !== undefined
  })
  assert.deepEqual(isBanned, [true, false, true, true])
})

test('a service that starts while its clock is ahead, or before it is set, enforces all bans when the clock is corrected', async (t) => {
  const clock = mockWallClock(t)
  const store = await temporaryStore(t)
  const open = () => {
    const bans = createBans(store.bans, store.strikes, { exempt: [], log: createTestLog() })
    t.after(() => bans.close())
    return bans
  }
  await open().add('192.0.2.1', { reason: 'a test', by: 'a test', ms: HOUR_MS / 2 })
  for (const offsetMs of [HOUR_MS, -Date.now()]) {
    clock.offsetMs = offsetMs
    const bans = open()
    await bans.refresh()
    assert.equal(bans.find('192.0.2.1') === undefined, offsetMs > 0)
    clock.offsetMs = 0
    await bans.refresh()
    assert.equal(bans.find('192.0.2.1')?.reason, 'a test')
  }
})

test('a ban that was made while a clock was ahead lasts as long as it was meant to, here and on other nodes', async (t) => {
  const clock = mockWallClock(t)
  const store = await temporaryStore(t)
  const nodes = [1, 2].map(() => createBans(store.bans, store.strikes, { exempt: [], log: createTestLog() }))
  t.after(() => nodes.map((bans) => bans.close()))
  clock.offsetMs = 90 * 24 * HOUR_MS
  await nodes[0]?.recordAttack('192.0.2.1', 'a test')
  await nodes[0]?.refresh()
  clock.offsetMs = 0
  for (const bans of nodes) {
    await bans.refresh()
    const { until: end = 0 } = bans.find('192.0.2.1') ?? {}
    const hours = (end - Date.now()) / HOUR_MS
    assert.ok(hours > 23 && hours <= 24, `${hours}`)
  }
})

test('a token without expiry survives clock jumps; one with expiry follows the clock', async (t) => {
  const clock = mockWallClock(t)
  const store = await temporaryStore(t)
  const tokens = createTokens(store.tokens, { clock: () => Date.now() })
  const endless = await tokens.create('endless', ['read'], null)
  const short = await tokens.create('short', ['read'], Date.now() + HOUR_MS / 2)
  for (const offsetMs of OFFSETS_MS) {
    clock.offsetMs = offsetMs
    assert.equal((await tokens.authenticate(`Bearer ${endless.secret}`, 'read')).label, 'endless')
    assert.equal((await tokens.verify(short.secret))?.expired, offsetMs === HOUR_MS)
  }
})

test('every download is counted once, whatever the date seems to be', async (t) => {
  // At noon, so that midnight does not pass during the test.
  const noon = new Date().setUTCHours(12)
  let offsetMs = 0
  const store = await temporaryStore(t)
  const counter = await openDownloadCounter(store.downloads, {
    folder: await temporaryFolder(t),
    log: createTestLog(),
    clock: () => noon + offsetMs,
    flushIntervalMs: 20,
  })
  for (const days of [0, 1, -1, 0]) {
    offsetMs = days * 24 * HOUR_MS
    for (let counted = 0; counted < 10; counted++) counter.count('launcher', '1.0.0')
    await until(() => counter.status().waiting === 0)
  }
  await counter.close()
  const rows = await store.downloads.rows()
  const byDay = rows.toSorted((a, b) => a.day.localeCompare(b.day))
  // One row per day: yesterday, today (twice) and tomorrow.
  assert.deepEqual(
    byDay.map(({ count }) => count),
    [10, 20, 10],
  )
})

test('a clock that differs from that of Redis is reported on /readyz', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const clock = mockWallClock(t)
  const { fetchJson } = await startTestService(t, { STORE_URL: redis.url })
  const readProblems = async () => JSON.stringify((await fetchJson('/readyz')).body.problems ?? [])
  assert.doesNotMatch(await readProblems(), /clock/)
  for (const offsetMs of [HOUR_MS, -HOUR_MS]) {
    clock.offsetMs = offsetMs
    await until(async () => /clocks of Redis and this node differ by 3\d{3} seconds/.test(await readProblems()))
  }
  clock.offsetMs = 0
  await until(async () => !/clocks of Redis/.test(await readProblems()))
})

// The clock on the wall jumps: an hour forward, two hours back. Nothing that counts or limits goes wild.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Bans, createTokens } from '../../src/features/access/index.ts'
import { createCounter } from '../../src/platform/store/index.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { rememberingLog } from '../kit/log.ts'
import { startTestService } from '../kit/service.ts'
import { temporaryStore } from '../kit/store.ts'
import { until } from '../kit/until.ts'

const HOUR = 3_600_000
const JUMPS = [0, HOUR, -HOUR, 0]

/** Moves the clock of this process; what does not depend on it goes on as before. */
function wallClock(t: TestContext) {
  const real = Date.now
  const clock = { offset: 0 }
  t.mock.method(Date, 'now', () => real() + clock.offset)
  return clock
}

test('limits go by a clock that does not jump', async (t) => {
  const clock = wallClock(t)
  const { url } = await startTestService(t, { RATE_LIMIT: '5/3600' })
  const statuses: number[] = []
  for (const offset of JUMPS) {
    clock.offset = offset
    for (let asked = 0; asked < 2; asked++) statuses.push((await fetch(`${url}/healthz`)).status)
  }
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429, 429])
})

test('uptime goes by a clock that does not jump', async (t) => {
  const clock = wallClock(t)
  const { askJson } = await startTestService(t)
  for (const offset of JUMPS) {
    clock.offset = offset
    const { body } = await askJson('/api/v1/uptime')
    assert.ok(body.uptime >= 0 && body.uptime < 60, `${body.uptime}`)
  }
})

test('a ban that seemed to have ended holds again when the clock is set right', async (t) => {
  const clock = wallClock(t)
  const store = await temporaryStore(t)
  const bans = new Bans(store.bans, store.strikes, { exempt: [], log: rememberingLog() })
  t.after(() => bans.close())
  await bans.add('192.0.2.1', { reason: 'a test', by: 'a test', ms: HOUR / 2 })
  const isBanned = JUMPS.map((offset) => {
    clock.offset = offset
    return bans.find('192.0.2.1') !== undefined
  })
  assert.deepEqual(isBanned, [true, false, true, true])
})

test('a token without an end holds through jumps; one with an end ends by the clock', async (t) => {
  const clock = wallClock(t)
  const store = await temporaryStore(t)
  const tokens = createTokens(store.tokens, { clock: () => Date.now() })
  const endless = await tokens.create('endless', ['read'], null)
  const short = await tokens.create('short', ['read'], Date.now() + HOUR / 2)
  for (const offset of JUMPS) {
    clock.offset = offset
    assert.equal((await tokens.authenticate(`Bearer ${endless.text}`, 'read')).label, 'endless')
    assert.equal((await tokens.verify(short.text))?.expired, offset === HOUR)
  }
})

test('downloads are counted once each, whatever day it seems to be', async (t) => {
  const clock = wallClock(t)
  const store = await temporaryStore(t)
  const counter = createCounter(store.downloads, {
    folder: await temporaryFolder(t),
    log: rememberingLog(),
    clock: () => Date.now(),
    flushIntervalMs: 20,
  })
  for (const offset of JUMPS) {
    clock.offset = 24 * offset
    for (let counted = 0; counted < 10; counted++) counter.count('launcher', '1.0.0')
    await until(() => counter.status().waiting === 0)
  }
  await counter.close()
  const rows = await store.downloads.rows()
  assert.deepEqual(rows.map(({ count }) => count).sort(), [10, 10, 20])
})

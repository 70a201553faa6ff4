import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as errors from '../../../src/errors/index.ts'
import {
  addCount,
  createAgentReader,
  createReferrerLimiter,
  createReferrerReader,
  createUsageRecorder,
  outcomeOf,
} from '../../../src/features/usage/index.ts'
import { openStore, usageOutcomes } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { PATIENT } from '../../kit/store.ts'
import { until } from '../../kit/until.ts'

test('only errors of the source of an image count as failures of the source', () => {
  const definitions = Object.values(errors).filter((value) => typeof value === 'function' && 'code' in value)
  const codes = (outcome: string) =>
    definitions.filter(({ status }) => usageOutcomes[outcomeOf(status)] === outcome).map(({ code }) => code)
  assert.deepEqual(codes('sourceFailed').sort(), ['IMAGE_TIMEOUT', 'IMAGE_UNREACHABLE'])
  assert.ok(codes('failed').includes('BUSY') && codes('refused').includes('RATE_LIMITED'))
  assert.deepEqual([200, 206, 302, 304].map(outcomeOf), [0, 0, 0, 0])
})

test('of a referrer only a public host is counted', () => {
  const read = createReferrerReader(['animals.example'])
  const hosts = {
    'https://Blog.Example.org/people/jane?mail=jane@example.org#top': 'blog.example.org',
    'http://example.org:8080': 'example.org',
    'https://animals.example/playground': 'own pages',
    'http://127.0.0.1:4010/docs': 'own pages',
    'http://192.168.1.20/admin': 'others',
    'http://[2001:db8::1]/': 'others',
    'http://janes-laptop/': 'others',
    'http://nas.local/': 'others',
    'https://jane:secret@example.org/': 'others',
    'android-app://com.example': 'others',
    '=HYPERLINK("https://example.org")': 'others',
    [`https://${'a'.repeat(60)}.${'b'.repeat(60)}.org/`]: 'others',
  }
  for (const [referrer, host] of Object.entries(hosts)) assert.equal(read(referrer, '127.0.0.1:4010'), host, referrer)
})

test('a network that invents referring sites does not use up the names for others', () => {
  let now = Date.UTC(2026, 0, 1)
  const limit = createReferrerLimiter(() => now)
  const madeUp = Array.from({ length: 200 }, (_, i) => limit(`site-${i}.example`, `2001:db8:1:${i}::1`))
  assert.equal(madeUp.filter((site) => site !== 'others').length, 20)
  assert.equal(limit('site-0.example', '2001:db8:1::1'), 'site-0.example')
  assert.equal(limit('own pages', '2001:db8:1::1'), 'own pages')
  assert.equal(limit('site-199.example', '192.0.2.1'), 'site-199.example')
  now += 86_400_000
  assert.equal(limit('site-199.example', '2001:db8:1::1'), 'site-199.example')
})

test('of a user agent only its family is counted', () => {
  const read = createAgentReader()
  const webkit = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)'
  const families = {
    [`${webkit} Chrome/140.0.0.0 Safari/537.36`]: 'Chrome',
    [`${webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`]: 'Edge',
    [`${webkit} Version/17.0 Safari/605.1.15`]: 'Safari',
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0': 'Firefox',
    'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)': 'Discord',
    'Mozilla/5.0 (compatible; Googlebot/2.1)': 'other bots',
    'curl/8.5.0': 'curl',
    'python-requests/2.31': 'Python',
    node: 'Node.js',
    'jane@example.org': 'others',
  }
  for (const [agent, family] of Object.entries(families)) assert.equal(read(agent), family, agent)
  assert.equal(read(undefined), 'none')
})

test('requests before and after midnight count on their days, and wait while the store is unavailable', async (t) => {
  const clock = { now: Date.UTC(2026, 5, 1, 23, 59) }
  const dataDir = await temporaryFolder(t)
  const log = createTestLog()
  const store = await openStore('', { dataDir, log, ...PATIENT })
  t.after(() => store.close())
  await until(async () => (await store.health()).ok)
  let isAvailable = true
  const usage = {
    ...store.usage,
    add: (batch: Parameters<typeof store.usage.add>[0]) =>
      isAvailable ? store.usage.add(batch) : Promise.reject(new errors.StoreUnavailable(1)),
  }
  const totals = new Map([['group', new Map([['Pages', [0, 0, 0, 0] as [number, number, number, number]]])]])
  const recorder = createUsageRecorder(usage, {
    readTotals: () => structuredClone(totals),
    log,
    clock: () => clock.now,
    monotonicClock: () => clock.now,
  })
  const count = () => {
    totals.get('group')!.get('Pages')![0]++
    recorder.updateDay()
    addCount(recorder.tallyOf('agent'), 'curl', 0)
  }
  count()
  isAvailable = false
  await recorder.flush()
  count()
  clock.now += 120_000
  recorder.updateDay()
  count()
  isAvailable = true
  await recorder.close()
  const rowsOf = (n: number) => [
    { dimension: 'agent', name: 'curl', counts: [n, 0, 0, 0] },
    { dimension: 'group', name: 'Pages', counts: [n, 0, 0, 0] },
  ]
  assert.deepEqual(await store.usage.days(), ['2026-06-01', '2026-06-02'])
  assert.deepEqual(await store.usage.rows('2026-06-01'), rowsOf(2))
  assert.deepEqual(await store.usage.rows('2026-06-02'), rowsOf(1))
  assert.deepEqual(
    recorder
      .readRecent(5)
      .map(({ counts }) => counts[0])
      .sort(),
    [3, 3],
  )
  clock.now += 3_700_000
  assert.deepEqual(recorder.readRecent(60), [])
  isAvailable = false
  count()
  await recorder.close()
  assert.match(log.lines.at(-1)?.message ?? '', /the last part of the usage history; it is lost/)
})

test('setting the clock back does not make old requests part of the last minutes', async (t) => {
  const store = await openStore('', { dataDir: await temporaryFolder(t), log: createTestLog(), ...PATIENT })
  t.after(() => store.close())
  const time = { elapsed: 0, clock: Date.UTC(2026, 5, 2) }
  const recorder = createUsageRecorder(store.usage, {
    readTotals: () => new Map(),
    log: createTestLog(),
    clock: () => time.clock,
    monotonicClock: () => time.elapsed,
  })
  t.after(() => recorder.close())
  const count = () => addCount(recorder.tallyOf('agent'), 'curl', 0)
  count()
  assert.deepEqual(recorder.readRecent(5), [{ dimension: 'agent', name: 'curl', counts: [1, 0, 0, 0] }])
  time.clock -= 86_400_000
  time.elapsed += 600_000
  assert.deepEqual(recorder.readRecent(5), [])
})

import assert from 'node:assert/strict'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createAdoption } from '../../../src/features/releases/index.ts'
import { createCollector } from '../../../src/platform/concurrency/index.ts'
import { openStore, type Store } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { needsRedis, startRedis } from '../../kit/redis.ts'
import { openTestReleases, record, releasesYaml } from '../../kit/releases.ts'
import { PATIENT } from '../../kit/store.ts'
import { until, untilEqual } from '../../kit/until.ts'

const NOON = Date.UTC(2026, 5, 1, 12)
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const [TODAY, TOMORROW] = ['2026-06-01', '2026-06-02']
const launcher = [
  record('8.0.0', { date: '2026-07-01' }),
  record('2.1.0'),
  record('2.0.0', { withdrawn: true }),
  ...Array.from({ length: 300 }, (_, n) => record(`1.0.${n}`)),
]

/** Opens a store, and returns a function that starts another node with it. */
async function openNodes(t: TestContext, url = '', dataDir?: string) {
  const clock = { now: NOON }
  const readClock = () => clock.now
  const folder = dataDir ?? (await temporaryFolder(t))
  const store = await openStore(url, { dataDir: folder, log: createTestLog(), clock: readClock, ...PATIENT })
  t.after(() => store.close())
  await until(async () => (await store.health()).ok)
  const { releases } = await openTestReleases(t, { 'releases.yaml': releasesYaml({ launcher }) }, readClock)
  const startNode = (log = createTestLog()) => {
    const node = createAdoption(store.adoption, { releases, log, clock: readClock, flushIntervalMs: 5 })
    t.after(() => node.close())
    return node
  }
  return { clock, store, startNode }
}

const readDays = (store: Store) => store.adoption.days('')

/** Sends checks of these installations. */
function check({ count }: ReturnType<typeof createAdoption>, from: number, to: number, version = '2.1.0'): void {
  for (let n = from; n < to; n++) count(version, `installation ${n}`)
}

test('checks are counted by version; all versions that are not public count as one', async (t) => {
  const { store, startNode } = await openNodes(t)
  const node = startNode()
  for (const version of ['2.1.0', '2.1.0.0', '2', '1.0.299', undefined]) node.count(version, 'one')
  // Scheduled, older than the newest 200 versions, and invented.
  for (const version of ['8.0.0', '1.0.0', '__proto__', 'constructor']) node.count(version, 'one')
  for (let n = 0; n < 10_000; n++) node.count(`7.${n}.0`, 'one')
  await node.close()
  const versions = { '1.0.299': 1, '2.0.0': 1, '2.1.0': 2, other: 10_004, unknown: 1 }
  assert.deepEqual(await readDays(store), [{ day: TODAY, installations: 1, versions }])
  assert.deepEqual(node.totals(), versions)
})

test('long versions that clients make up take no memory', async (t) => {
  const { startNode } = await openNodes(t)
  const node = startNode()
  const collectGarbage = createCollector()
  const measure = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const before = measure()
  for (let n = 0; n < 500; n++) node.count(`2.1.0+${'x'.repeat(20_000)}${n}`, 'one')
  // Their texts have ten million characters.
  assert.ok(measure() - before < 5_000_000)
})

test('checks before and after midnight belong to their days, and each day has a salt of its own', async (t) => {
  const { clock, store, startNode } = await openNodes(t)
  const [one, two] = [startNode(), startNode()]
  clock.now = Date.parse(TOMORROW) - 1
  check(one, 0, 500)
  await until(async () => (await readDays(store)).length === 1)
  check(two, 0, 500)
  clock.now++
  for (const node of [one, two]) check(node, 300, 600)
  const sum = (versions: Record<string, number> | undefined) => Object.values(versions ?? {}).reduce((a, b) => a + b, 0)
  await untilEqual(async () => (await readDays(store)).map(({ versions }) => sum(versions)), [1000, 600])
  await Promise.all([one.close(), two.close()])
  const [today, tomorrow] = await readDays(store)
  assert.ok(Math.abs((today?.installations ?? 0) - 500) <= 15)
  assert.ok(Math.abs((tomorrow?.installations ?? 0) - 300) <= 9)
  // Nobody gets the salt of the first day again.
  assert.equal(await store.adoption.salt(TODAY, 'another'), undefined)
})

test('the salt of a day is deleted at midnight, also if no launcher checks for updates', async (t) => {
  const dataDir = await temporaryFolder(t)
  const { clock, startNode } = await openNodes(t, '', dataDir)
  startNode()
  const readSalt = () => readFile(join(dataDir, 'menagerie.sqlite-salt'), 'utf8').catch(() => '')
  await until(async () => (await readSalt()).startsWith(TODAY))
  const [, first = ''] = (await readSalt()).split(' ')
  assert.match(first, /^[0-9a-f]{32}$/)
  clock.now += DAY_MS
  await until(async () => (await readSalt()).startsWith(TOMORROW))
  for (const name of await readdir(dataDir)) {
    // SQLite removes its journal.
    const text = await readFile(join(dataDir, name), 'latin1').catch(() => '')
    assert.ok(!text.includes(first), name)
  }
})

test('a removed salt is written again, so that a restart counts no installation twice', async (t) => {
  const dataDir = await temporaryFolder(t)
  const { store, startNode } = await openNodes(t, '', dataDir)
  const node = startNode()
  const saltFile = join(dataDir, 'menagerie.sqlite-salt')
  check(node, 0, 100)
  await until(async () => (await readDays(store)).length === 1)
  const salt = await readFile(saltFile, 'utf8')
  for (const name of await readdir(dataDir))
    if (name.startsWith('menagerie.sqlite')) await rm(join(dataDir, name), { force: true })
  check(node, 100, 200)
  await untilEqual(() => readFile(saltFile, 'utf8').catch(() => ''), salt)
})

test('a clock that is set back over midnight and forward again counts no installation twice', async (t) => {
  const { clock, store, startNode } = await openNodes(t)
  const node = startNode()
  const count = async (day: string) => (await readDays(store)).find((found) => found.day === day)
  for (const [now, day, checks] of [
    [NOON, TODAY, 100],
    [NOON + DAY_MS, TOMORROW, 100],
    [NOON, TODAY, 200],
    [NOON + DAY_MS, TOMORROW, 200],
  ] as const) {
    clock.now = now
    check(node, 0, 100)
    await until(async () => (await count(day))?.versions['2.1.0'] === checks)
    await until(async () => Math.abs(((await count(day))?.installations ?? 0) - 100) <= 3)
  }
})

test('a restart on the same day counts no installation twice', async (t) => {
  const dataDir = await temporaryFolder(t)
  for (const expected of [100, 200]) {
    const { store, startNode } = await openNodes(t, '', dataDir)
    const node = startNode()
    check(node, 0, 100)
    await node.close()
    const [today] = await readDays(store)
    assert.equal(today?.versions['2.1.0'], expected)
    assert.ok(Math.abs(today.installations - 100) <= 3, String(today.installations))
    await store.close()
  }
})

test(
  'checks that are lost, because the service stops while Redis does not reply, are reported',
  needsRedis,
  async (t) => {
    const redis = await startRedis(t)
    const { store, startNode } = await openNodes(t, redis.url)
    const log = createTestLog()
    const node = startNode(log)
    check(node, 0, 100)
    await until(async () => (await readDays(store)).length === 1)
    await redis.kill()
    check(node, 0, 100)
    await node.close()
    assert.match(log.lines.at(-1)?.message ?? '', /the store did not confirm the last update checks/)
  },
)

test('while Redis does not reply, counts wait in memory, and are counted once afterwards', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const { store, startNode } = await openNodes(t, redis.url)
  const log = createTestLog()
  const node = startNode(log)
  check(node, 0, 100)
  await until(async () => (await readDays(store)).length === 1)
  redis.pause()
  check(node, 0, 200)
  // Redis executes the call that timed out when it continues.
  await until(() => log.lines.length > 0)
  redis.resume()
  check(node, 0, 100)
  await untilEqual(async () => (await readDays(store).catch(() => []))[0]?.versions, { '2.1.0': 400 })
  const [today] = await readDays(store)
  assert.ok(Math.abs((today?.installations ?? 0) - 200) <= 6)
  assert.equal(log.lines.length, 1)
})

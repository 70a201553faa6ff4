import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { type Notification, watchEvents } from '../../../src/features/notifications/index.ts'
import type { ServiceProblem } from '../../../src/platform/logging/index.ts'
import { openStore, type Store } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { needsRedis, startRedis } from '../../kit/redis.ts'
import { PATIENT, temporaryStore } from '../../kit/store.ts'
import { until, untilEqual } from '../../kit/until.ts'

const MONDAY = Date.UTC(2026, 10, 16, 8)

/** One node that watches for events. What it watches can be changed. */
function startWatching(t: TestContext, store: Store, holdMs = 150) {
  const release = (version: string) => ({ application: 'launcher', version, beta: false, rollout: 100 })
  const node = {
    now: MONDAY - 1000,
    problems: [] as ServiceProblem[],
    releases: [release('1.0.0')],
    bans: 0,
    counts: { requests: 1000, bans: 3 },
    checks: 0,
    sent: [] as Notification[],
    release,
    /** Waits until what has just changed was seen twice, as a problem must be. */
    async waitForChecks() {
      const from = node.checks
      await until(() => node.checks >= from + 3)
    },
    titles: () => node.sent.map(({ event }) => event),
    close: async () => {},
  }
  const watcher = watchEvents({
    markers: store.markers,
    listProblems: () => {
      node.checks++
      return node.problems
    },
    listPublicReleases: () => node.releases,
    listReleases: () => node.releases,
    clients: store.clients,
    countBans: () => node.bans,
    readCounts: async () => node.counts,
    readDownloads: store.downloads.rows,
    send: (notification) => node.sent.push(notification),
    clock: () => node.now,
    intervalMs: 5,
    holdMs,
  })
  node.close = watcher.close
  t.after(watcher.close)
  return node
}

const request = (id: string) => ({
  id,
  name: 'Somebody',
  contact: 'somebody@example.org',
  reason: 'because',
  state: 'pending' as const,
  createdAt: 1,
  decidedAt: null,
  keyHash: null,
})

test('a problem is reported when it begins and when it ends, although its numbers change', async (t) => {
  const node = startWatching(t, await temporaryStore(t))
  node.problems = [{ part: 'downloads', message: 'counts waiting for the store: 1' }]
  await until(() => node.sent.length === 1)
  node.problems = [{ part: 'downloads', message: 'counts waiting for the store: 2' }]
  await node.waitForChecks()
  node.problems = []
  await until(() => node.sent.length === 2)
  assert.deepEqual(
    node.sent.map(({ event, lines }) => [event, ...lines]),
    [
      ['problem-began', 'downloads: counts waiting for the store: 1'],
      ['problem-ended', 'downloads: counts waiting for the store: 1'],
    ],
  )
})

test('a restart neither repeats a problem nor forgets that it was reported', async (t) => {
  const store = await temporaryStore(t)
  const problems = [{ part: 'content', file: 'a.txt', rule: 'empty', message: 'is empty' }]
  const before = startWatching(t, store)
  before.problems = problems
  await until(() => before.sent.length === 1)
  await before.close()
  const after = startWatching(t, store)
  after.problems = problems
  await after.waitForChecks()
  assert.deepEqual(after.titles(), [])
  after.problems = []
  await untilEqual(after.titles, ['problem-ended'])
  assert.deepEqual(after.sent.at(-1)?.lines, ['content: a.txt: is empty'])
})

test('a clock that was set is reported, the service itself stopping is not', async (t) => {
  const node = startWatching(t, await temporaryStore(t))
  node.problems = [{ part: 'service', message: 'the service is stopping', fatal: true }]
  await node.waitForChecks()
  assert.deepEqual(node.sent, [])
  node.problems = [{ part: 'service', message: 'the clock was set back by 2 hours' }]
  await untilEqual(node.titles, ['problem-began'])
})

test('many problems are one message', async (t) => {
  const node = startWatching(t, await temporaryStore(t))
  node.problems = Array.from('abcdefghijkl', (name) => ({ part: 'content', file: `${name}.txt`, message: 'is empty' }))
  await until(() => node.sent.length === 1)
  assert.equal(node.sent[0]?.lines.length, 11)
  assert.equal(node.sent[0]?.lines.at(-1), '… and 2 more')
})

test('hundreds of invalid files do not keep other problems from being reported', async (t) => {
  const node = startWatching(t, await temporaryStore(t))
  const files = Array.from({ length: 300 }, (_, index) => `${'x'.repeat(index + 1)}.png`)
  node.problems = files.map((file) => ({ part: 'content', file, message: 'is not a picture' }))
  await until(() => node.sent.length === 1)
  node.problems.push({ part: 'backup', message: 'the last backup failed' })
  await until(() => node.sent.length === 2)
  assert.deepEqual(node.sent[1]?.lines, ['backup: the last backup failed'])
})

test('a release is announced once, also if it became public while no service was running', async (t) => {
  const store = await temporaryStore(t)
  const before = startWatching(t, store)
  await before.waitForChecks()
  assert.deepEqual(before.sent, [], 'releases of before the first start')
  await before.close()
  const after = startWatching(t, store)
  after.releases = [after.release('1.0.0'), { ...after.release('1.1.0'), beta: true, rollout: 10 }]
  await until(() => after.sent.length === 1)
  assert.deepEqual(after.sent[0]?.lines, ['launcher 1.1.0 (beta, rollout 10 %)'])
  after.releases = [after.release('1.0.0')]
  await after.waitForChecks()
  after.releases = [after.release('1.0.0'), after.release('1.1.0'), after.release('1.2.0')]
  await until(() => after.sent.length === 2)
  assert.deepEqual(after.sent[1]?.lines, ['launcher 1.2.0'])
})

test('a release that becomes public while the store cannot be written is announced afterwards', async (t) => {
  const dataDir = await temporaryFolder(t)
  const store = await openStore('', { dataDir, log: createTestLog() })
  t.after(() => store.close())
  const node = startWatching(t, store)
  await node.waitForChecks()
  using other = new DatabaseSync(join(dataDir, 'menagerie.sqlite'))
  other.exec('BEGIN IMMEDIATE')
  node.releases = [node.release('1.0.0'), node.release('1.1.0')]
  const from = node.checks
  await until(() => node.checks >= from + 2)
  other.exec('ROLLBACK')
  await untilEqual(node.titles, ['release-public'])
})

test('a request for a key is announced without its personal data', async (t) => {
  const store = await temporaryStore(t)
  await store.clients.addRequest(request('old'), 10)
  const node = startWatching(t, store)
  await node.waitForChecks()
  assert.deepEqual(node.sent, [])
  await store.clients.addRequest(request('new'), 10)
  await untilEqual(node.titles, ['key-requested'])
  assert.doesNotMatch(JSON.stringify(node.sent), /somebody|because|new/i)
})

test('many bans are one message until there was an hour without many bans', async (t) => {
  const node = startWatching(t, await temporaryStore(t))
  node.bans = 19
  await node.waitForChecks()
  assert.deepEqual(node.sent, [])
  node.bans = 25
  await untilEqual(node.titles, ['many-bans'])
  for (let minutes = 0; minutes < 120; minutes += 40) {
    node.now += 40 * 60_000
    await node.waitForChecks()
  }
  const reported = node.sent.filter(({ event }) => event === 'many-bans')
  assert.equal(reported.length, 1)
  node.now += 61 * 60_000
  await until(() => node.sent.filter(({ event }) => event === 'many-bans').length === 2)
})

test('the digest of a week is sent on Monday, also after a restart', async (t) => {
  const store = await temporaryStore(t)
  const row = { application: 'launcher', version: '1.0.0', day: '2026-11-15', count: 1500 }
  const rows = [row, { ...row, version: '1.1.0', count: 20 }, { ...row, day: '2026-11-08', count: 7 }]
  await store.downloads.add({ writer: 'a', number: 1, rows })
  const before = startWatching(t, store)
  await before.waitForChecks()
  before.problems = [{ part: 'log', message: 'the disk is full' }]
  await until(() => before.sent.length === 1)
  before.counts = { requests: 4000, bans: 5 }
  before.now = MONDAY
  await until(() => before.titles().includes('digest'))
  const digest = before.sent.find(({ event }) => event === 'digest')
  assert.equal(digest?.title, 'week until 2026-11-16')
  assert.deepEqual(digest?.lines, [
    'Requests: 3,000',
    'Downloads: 1,520 (launcher 1.0.0: 1,500, launcher 1.1.0: 20)',
    'Problems: 1 began, 1 open',
    'Bans: 2',
  ])
  await before.close()
  const after = startWatching(t, store)
  after.now = MONDAY + 3 * 86_400_000
  await after.waitForChecks()
  assert.deepEqual(after.titles(), [])
  after.now = MONDAY + 7 * 86_400_000
  await untilEqual(after.titles, ['digest'])
})

test('two nodes with one Redis send each message once', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const openNode = async () => {
    const store = await openStore(redis.url, { dataDir: await temporaryFolder(t), log: createTestLog(), ...PATIENT })
    t.after(() => store.close())
    await until(async () => (await store.health()).ok)
    return store
  }
  const store = await openNode()
  const nodes = [store, await openNode()].map((opened) => startWatching(t, opened, 1500))
  const [one = assert.fail(), two = assert.fail()] = nodes
  for (const node of nodes) await node.waitForChecks()
  const all = () => nodes.flatMap((node) => node.titles()).sort()

  for (const node of nodes) {
    node.problems = [{ part: 'content', file: 'a.txt', message: 'is empty' }]
    node.releases = [...node.releases, node.release('2.0.0')]
    node.bans = 30
    node.now = MONDAY
  }
  await store.clients.addRequest(request('new'), 10)
  const expected = ['digest', 'key-requested', 'many-bans', 'problem-began', 'release-public']
  await untilEqual(all, expected)
  // The problem ends when neither node has it.
  one.problems = []
  for (const node of nodes) await node.waitForChecks()
  assert.deepEqual(all(), expected)
  two.problems = []
  await untilEqual(all, [...expected.slice(0, 4), 'problem-ended', 'release-public'])
  for (const node of nodes) await node.waitForChecks()
  assert.equal(all().length, 6)
})

test('while Redis is unavailable a node reports its problems, and their end afterwards', needsRedis, async (t) => {
  const redis = await startRedis(t)
  const store = await openStore(redis.url, { dataDir: await temporaryFolder(t), log: createTestLog() })
  t.after(() => store.close())
  await until(async () => (await store.health()).ok)
  const node = startWatching(t, store)
  await node.waitForChecks()
  await redis.kill()
  node.problems = [{ part: 'store', message: 'Redis is unavailable' }]
  await untilEqual(node.titles, ['problem-began'])
  node.problems = []
  await redis.start()
  await untilEqual(node.titles, ['problem-began', 'problem-ended'])
})

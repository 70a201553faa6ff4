import assert from 'node:assert/strict'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import {
  assignJournalFolders,
  createCounter,
  type DownloadBatch,
  type Downloads,
  openStore,
} from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { until } from '../../kit/until.ts'

type Mode = 'works' | 'refuses' | 'loses the reply' | 'hangs'

/** A real store whose `add` can fail in the ways in which a network fails. */
async function setUp(t: TestContext) {
  const dataDir = await temporaryFolder(t)
  const folder = join(dataDir, 'counts')
  const log = createTestLog()
  const store = await openStore('', { dataDir, log })
  t.after(() => store.close())
  const network: { mode: Mode; batches: DownloadBatch[] } = { mode: 'works', batches: [] }
  const downloads: Downloads = {
    ...store.downloads,
    async add(batch) {
      network.batches.push(batch)
      if (network.mode === 'hangs') await until(() => network.mode !== 'hangs')
      const applied = network.mode !== 'refuses' && (await store.downloads.add(batch))
      if (network.mode !== 'works') throw new Error(`the store ${network.mode}`)
      return applied
    },
  }
  const createTestCounter = (
    options: { clock?: () => number; orphanedAfterMs?: number; closeTimeoutMs?: number } = {},
  ) => {
    const counter = createCounter(downloads, {
      folder,
      log,
      flushIntervalMs: 20,
      orphanedAfterMs: 60_000,
      closeTimeoutMs: 10_000,
      ...options,
    })
    t.after(() => counter.close())
    return counter
  }
  const readTotal = async () => (await store.downloads.summary(30)).total
  const listJournals = () => readdir(folder).catch((): string[] => [])
  return { store, network, createTestCounter, readTotal, listJournals, folder, log }
}

test('counts are sent to the store in few batches', async (t) => {
  const { network, createTestCounter, readTotal } = await setUp(t)
  const counter = createTestCounter()
  for (let index = 0; index < 1000; index += 1) counter.count('launcher', `1.${index % 3}.0`)
  assert.equal(counter.status().waiting, 1000)
  await until(async () => (await readTotal()) === 1000)
  assert.equal(network.batches.length, 1)
  assert.equal(network.batches[0]?.rows.length, 3)
  await until(() => counter.status().waiting === 0)
})

test('a clean shutdown loses no count', async (t) => {
  const { network, createTestCounter, readTotal, listJournals } = await setUp(t)
  const counter = createTestCounter()
  counter.count('launcher', '1.0.0')
  await until(() => network.batches.length === 1)
  counter.count('launcher', '1.0.0')
  await counter.close()
  assert.equal(await readTotal(), 2)
  assert.deepEqual(await listJournals(), [])
})

test('a lost reply does not count twice', async (t) => {
  const { network, createTestCounter, readTotal } = await setUp(t)
  const counter = createTestCounter()
  network.mode = 'loses the reply'
  counter.count('launcher', '1.0.0')
  await until(() => network.batches.length > 1)
  network.mode = 'works'
  counter.count('launcher', '1.0.0')
  await counter.close()
  assert.equal(await readTotal(), 2)
})

test('counts wait in memory and in the journal while the store is unavailable, and arrive afterwards', async (t) => {
  const { network, createTestCounter, readTotal, listJournals, log } = await setUp(t)
  const counter = createTestCounter()
  network.mode = 'refuses'
  for (let round = 0; round < 5; round += 1) {
    for (let index = 0; index < 100; index += 1) counter.count('launcher', '1.0.0')
    await until(() => network.batches.length > round)
  }
  assert.equal(counter.status().waiting, 500)
  await until(() => counter.status().storeProblem === 'Error: the store refuses')
  // While the journal is replaced there are two files for a moment.
  await until(async () => (await listJournals()).length === 1)
  network.mode = 'works'
  await until(() => counter.status().waiting === 0)
  assert.equal(await readTotal(), 500)
  await until(async () => (await listJournals()).length === 0)
  const warnings = log.lines.filter(({ message }) => message.startsWith('the store is unavailable; counted'))
  assert.equal(warnings.length, 1)
})

test('the journal is removed if the store acknowledges a batch while it is written to the journal', async (t) => {
  const { network, createTestCounter, listJournals } = await setUp(t)
  network.mode = 'hangs'
  const counter = createTestCounter()
  counter.count('launcher', '1.0.0')
  await until(() => network.batches.length === 1)
  network.mode = 'works'
  await until(() => counter.status().waiting === 0)
  await until(async () => (await listJournals()).length === 0)
})

test('a hanging store blocks neither the journal nor the shutdown', async (t) => {
  const { network, createTestCounter, readTotal, listJournals } = await setUp(t)
  network.mode = 'hangs'
  const counter = createTestCounter({ closeTimeoutMs: 100 })
  counter.count('launcher', '1.0.0')
  await until(async () => (await listJournals()).length === 1)
  counter.count('launcher', '1.0.0')
  await counter.close()
  network.mode = 'works'
  const next = createTestCounter({ orphanedAfterMs: 50 })
  await until(async () => (await listJournals()).length === 0)
  await next.close()
  assert.equal(await readTotal(), 2)
})

test('the journal of a stopped process is imported once, even by two processes', async (t) => {
  const { network, createTestCounter, readTotal, listJournals, folder } = await setUp(t)
  network.mode = 'refuses'
  const stopped = createTestCounter()
  stopped.count('launcher', '1.0.0')
  stopped.count('reshade', '1.0.0')
  await stopped.close()
  const [journal = '', ...more] = await listJournals()
  assert.deepEqual(more, [])
  await utimes(join(folder, journal), 0, 0)
  network.mode = 'works'
  const nodes = [createTestCounter({ orphanedAfterMs: 50 }), createTestCounter({ orphanedAfterMs: 50 })]
  await until(async () => (await listJournals()).length === 0)
  for (const node of nodes) await node.close()
  assert.equal(await readTotal(), 2)
})

test('a batch that arrived before the process was killed is not imported again', async (t) => {
  const { network, createTestCounter, readTotal, listJournals } = await setUp(t)
  network.mode = 'loses the reply'
  const killed = createTestCounter()
  killed.count('launcher', '1.0.0')
  await until(async () => (await listJournals()).length === 1)
  network.mode = 'refuses'
  killed.count('launcher', '1.0.0')
  await killed.close()
  network.mode = 'works'
  const next = createTestCounter({ orphanedAfterMs: 50 })
  await until(async () => (await listJournals()).length === 0)
  await next.close()
  assert.equal(await readTotal(), 2)
})

test('an unreadable journal is moved aside and does not block the others', async (t) => {
  const { network, createTestCounter, readTotal, listJournals, folder, log } = await setUp(t)
  network.mode = 'refuses'
  const stopped = createTestCounter()
  stopped.count('launcher', '1.0.0')
  await stopped.close()
  network.mode = 'works'
  await writeFile(join(folder, 'downloads-00000000-0000-0000-0000-000000000000.json'), '[{"number":1,"rows":[{"co')
  const next = createTestCounter({ orphanedAfterMs: 50 })
  await until(async () => (await listJournals()).join() === 'unreadable')
  await next.close()
  assert.equal(await readTotal(), 1)
  assert.equal((await readdir(join(folder, 'unreadable'))).length, 1)
  assert.ok(log.lines.some(({ level, message }) => level === 'error' && /unreadable/.test(message)))
})

test('a download is counted on its UTC day', async (t) => {
  const { store, createTestCounter } = await setUp(t)
  let now = Date.UTC(2026, 10, 30, 23, 59, 59, 999)
  const counter = createTestCounter({ clock: () => now })
  counter.count('launcher', '1.0.0')
  now += 1
  counter.count('launcher', '1.0.0')
  now -= 1
  counter.count('launcher', '1.0.0')
  await counter.close()
  const days = (await store.downloads.rows()).map(({ day, count }) => [day, count])
  assert.deepEqual(days, [
    ['2026-11-30', 2],
    ['2026-12-01', 1],
  ])
})

test('every download is counted exactly once, whatever the store does meanwhile', async (t) => {
  const mode = fc.constantFrom<Mode>('works', 'refuses', 'loses the reply')
  const step = fc.record({ mode, downloads: fc.integer({ min: 0, max: 5 }), stop: fc.boolean() })
  const { network, createTestCounter, readTotal, listJournals } = await setUp(t)
  let expected = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      let counter = createTestCounter({ orphanedAfterMs: 40 })
      for (const { mode, downloads, stop } of steps) {
        network.mode = mode
        for (let index = 0; index < downloads; index += 1) counter.count('launcher', `1.0.${index}`)
        expected += downloads
        const sentBatches = network.batches.length
        if (!stop && downloads > 0) await until(() => network.batches.length > sentBatches)
        if (!stop) continue
        await counter.close()
        counter = createTestCounter({ orphanedAfterMs: 40 })
      }
      network.mode = 'works'
      await counter.close()
      const last = createTestCounter({ orphanedAfterMs: 40 })
      await until(async () => (await listJournals()).length === 0)
      await last.close()
      assert.equal(await readTotal(), expected)
    }),
    { numRuns: 15 },
  )
})

test('every journal folder has exactly one owner, whatever the former number of workers was', async (t) => {
  const root = await temporaryFolder(t)
  for (const name of ['worker-1', 'worker-2', 'worker-3', 'worker-4', 'unreadable']) await mkdir(join(root, name))
  for (const workers of [1, 2, 4]) {
    const all = Array.from({ length: workers }, (_, index) =>
      assignJournalFolders(root, { number: index + 1, workerCount: workers }),
    )
    const owned = all
      .flatMap(({ folder, orphanedFolders }) => [folder, ...orphanedFolders])
      .map((folder) => basename(folder))
    assert.deepEqual(owned.sort(), [basename(root), 'worker-1', 'worker-2', 'worker-3', 'worker-4'].sort())
  }
})

test('a missing root folder has no orphaned journals', async (t) => {
  const root = join(await temporaryFolder(t), 'counts')
  assert.deepEqual(assignJournalFolders(root, { number: 1, workerCount: 1 }), { folder: root, orphanedFolders: [] })
  assert.deepEqual(assignJournalFolders(root, { number: 2, workerCount: 2 }), {
    folder: join(root, 'worker-2'),
    orphanedFolders: [],
  })
})

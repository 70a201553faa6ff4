import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { cp, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { lockFile } from '../../../src/platform/files/index.ts'
import {
  type DownloadBatch,
  type Downloads,
  openDownloadCounter,
  openStore,
} from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { countInJournals } from '../../kit/journal.ts'
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
  const openTestCounter = async (
    options: { clock?: () => number; checkIntervalMs?: number; closeTimeoutMs?: number } = {},
  ) => {
    const intervals = { flushIntervalMs: 20, checkIntervalMs: 20, closeTimeoutMs: 10_000 }
    const counter = await openDownloadCounter(downloads, { folder, log, ...intervals, ...options })
    t.after(() => counter.close())
    return counter
  }
  const readTotal = async () => (await store.downloads.summary(30)).total
  const countJournaled = () => countInJournals(folder)
  /** The next processes hand in the journals of those before them. */
  const handIn = async (processes = 1) => {
    network.mode = 'works'
    const next = await Promise.all(Array.from({ length: processes }, () => openTestCounter()))
    await until(() => countJournaled() === 0)
    for (const counter of next) await counter.close()
    return readTotal()
  }
  const hasLogged = (text: RegExp, level?: string) =>
    log.lines.some((line) => text.test(line.message) && (level === undefined || line.level === level))
  return { store, network, openTestCounter, readTotal, countJournaled, handIn, hasLogged, folder, log }
}

test('counts are sent to the store in few batches', async (t) => {
  const { network, openTestCounter, readTotal } = await setUp(t)
  const counter = await openTestCounter()
  for (let index = 0; index < 1000; index += 1) counter.count('launcher', `1.${index % 3}.0`)
  assert.equal(counter.status().waiting, 1000)
  await until(async () => (await readTotal()) === 1000)
  assert.equal(network.batches.length, 1)
  assert.equal(network.batches[0]?.rows.length, 3)
  await until(() => counter.status().waiting === 0)
})

test('a count is in the journal before its reply is sent', async (t) => {
  const { network, openTestCounter, countJournaled } = await setUp(t)
  network.mode = 'hangs'
  const counter = await openTestCounter({ closeTimeoutMs: 0 })
  for (let expected = 1; expected <= 5; expected += 1) {
    await counter.count('launcher', `1.0.${expected % 2}`)
    assert.equal(countJournaled(), expected)
  }
  network.mode = 'works'
})

test('the counts of one turn of the event loop are written with one call', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const { network, openTestCounter, countJournaled } = await setUp(t)
  network.mode = 'hangs'
  const counter = await openTestCounter({ closeTimeoutMs: 0 })
  const countWrites = () => Number(/^syscw: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
  const before = countWrites()
  for (let index = 0; index < 1000; index += 1) counter.count('launcher', `1.0.${index}`)
  await counter.count('launcher', '2.0.0')
  assert.equal(countJournaled(), 1001)
  // A few writes of other parts of this process may be among them.
  assert.ok(countWrites() - before < 50, `${countWrites() - before}`)
  network.mode = 'works'
})

test('counts wait in the journal while the store is unavailable, and arrive afterwards', async (t) => {
  const { network, openTestCounter, readTotal, countJournaled, log } = await setUp(t)
  const counter = await openTestCounter()
  network.mode = 'refuses'
  for (let round = 0; round < 5; round += 1) {
    for (let index = 0; index < 100; index += 1) counter.count('launcher', '1.0.0')
    await until(() => network.batches.length > round)
  }
  assert.equal(counter.status().waiting, 500)
  await until(() => counter.status().storeProblem === 'Error: the store refuses')
  assert.equal(countJournaled(), 500)
  network.mode = 'works'
  await until(() => counter.status().waiting === 0)
  assert.equal(await readTotal(), 500)
  assert.equal(countJournaled(), 0)
  const warnings = log.lines.filter(({ message }) => message.startsWith('the store is unavailable; counted'))
  assert.equal(warnings.length, 1)
})

test('a hanging store blocks neither the journal nor the shutdown', async (t) => {
  const { network, openTestCounter, countJournaled, handIn } = await setUp(t)
  network.mode = 'hangs'
  const counter = await openTestCounter({ closeTimeoutMs: 100 })
  await counter.count('launcher', '1.0.0')
  await until(() => network.batches.length === 1)
  await counter.count('launcher', '1.0.0')
  await counter.close()
  assert.equal(countJournaled(), 2)
  assert.equal(await handIn(), 2)
})

test('the journals of stopped processes are imported once, however many processes try', async (t) => {
  const { network, openTestCounter, countJournaled, handIn, hasLogged } = await setUp(t)
  let expected = 0
  for (const processes of [3, 1, 2]) {
    network.mode = 'refuses'
    const stopped = await Promise.all(Array.from({ length: processes }, () => openTestCounter()))
    for (const counter of stopped) counter.count('launcher', '1.0.0')
    expected += processes
    for (const counter of stopped) await counter.close()
    assert.ok(countJournaled() > 0)
    assert.equal(await handIn(2), expected)
  }
  assert.ok(hasLogged(/^imported the downloads that an earlier process had counted$/))
})

test('a batch that arrived before the process was killed is not counted again', async (t) => {
  const { network, openTestCounter, readTotal, countJournaled, handIn } = await setUp(t)
  network.mode = 'loses the reply'
  const killed = await openTestCounter()
  killed.count('launcher', '1.0.0')
  await until(async () => (await readTotal()) === 1)
  network.mode = 'refuses'
  killed.count('launcher', '1.0.0')
  await killed.close()
  assert.equal(countJournaled(), 2)
  assert.equal(await handIn(), 2)
})

test('a damaged journal is reported and does not stop the counting', async (t) => {
  const { openTestCounter, readTotal, hasLogged, folder } = await setUp(t)
  mkdirSync(folder, { recursive: true })
  await writeFile(join(folder, '1.journal'), 'counts01, but not by this program'.repeat(100))
  const counter = await openTestCounter()
  await counter.count('launcher', '1.0.0')
  await until(() => /DATA_DIR.counts.1.journal.damaged$/.test(counter.status().damage ?? ''))
  assert.ok(hasLogged(/damaged/, 'error'))
  assert.match(await readFile(join(folder, '1.journal.damaged'), 'latin1'), /^counts01, but not/)
  await counter.close()
  assert.equal(await readTotal(), 1)
  // Another one of the same number does not replace it.
  await writeFile(join(folder, '1.journal'), 'counts01, but damaged again'.repeat(100))
  const next = await openTestCounter()
  await until(() => /1.journal.damaged-\d+$/.test(next.status().damage ?? ''))
  assert.match(await readFile(join(folder, '1.journal.damaged'), 'latin1'), /^counts01, but not/)
})

test('a journal that cannot be read is reported, and the others are imported', async (t) => {
  const { network, openTestCounter, readTotal, folder } = await setUp(t)
  network.mode = 'refuses'
  const stopped = await Promise.all([openTestCounter(), openTestCounter(), openTestCounter()])
  for (const counter of stopped) await counter.count('launcher', '1.0.0')
  for (const counter of stopped) await counter.close()
  await rename(join(folder, '1.journal'), join(folder, 'moved'))
  mkdirSync(join(folder, '1.journal'))
  network.mode = 'works'
  const counter = await openTestCounter()
  assert.equal(counter.status().diskProblem, undefined)
  await until(() => counter.status().importProblem === 'EISDIR')
  await until(async () => (await readTotal()) === 2)
  await rmdir(join(folder, '1.journal'))
  await rename(join(folder, 'moved'), join(folder, '1.journal'))
  await until(async () => (await readTotal()) === 3)
})

test('if the file system gives no locks, few journals are created, and it is reported until it does', async (t) => {
  const { openTestCounter, readTotal, folder } = await setUp(t)
  mkdirSync(folder, { recursive: true })
  // SQLite has one result for a lock that another process has, and for one that the file system does not give.
  const locks = await Promise.all(Array.from({ length: 100 }, (_, i) => lockFile(join(folder, `${i + 1}.lock`))))
  const counter = await openTestCounter()
  assert.equal(counter.status().diskProblem, 'ENOLCK')
  await counter.count('launcher', '1.0.0')
  assert.ok(readdirSync(folder).filter((name) => name.endsWith('.journal')).length < 100)
  for (const lock of locks) lock?.dispose()
  await until(() => counter.status().diskProblem === undefined)
  await counter.count('launcher', '1.0.0')
  await until(async () => (await readTotal()) === 2)
})

test('a link to a device is not a journal, and is reported', async (t) => {
  const { network, openTestCounter, readTotal, folder } = await setUp(t)
  mkdirSync(folder, { recursive: true })
  symlinkSync('/dev/null', join(folder, '1.journal'))
  network.mode = 'refuses'
  const counter = await openTestCounter()
  await until(() => counter.status().importProblem === 'ENOTSUP')
  await counter.count('launcher', '1.0.0')
  // Like a kill: the next process finds the count.
  await counter.close()
  network.mode = 'works'
  await openTestCounter()
  await until(async () => (await readTotal()) === 1)
})

test('no count is lost if the lock files of running processes are removed', async (t) => {
  const { store, network, openTestCounter, readTotal, folder, log } = await setUp(t)
  network.mode = 'refuses'
  // A process that does nothing for three intervals loses its file to the other one.
  const checkIntervalMs = 1000
  // The first to check. The store accepts what it imports.
  const other = await openDownloadCounter(store.downloads, { folder, log, checkIntervalMs })
  t.after(() => other.close())
  const counter = await openTestCounter({ checkIntervalMs })
  let counted = 0
  const countUntil = async (attempts: number) => {
    while (network.batches.length < attempts) {
      const { length } = network.batches
      await counter.count('launcher', '1.0.0')
      counted += 1
      await until(() => network.batches.length > length)
    }
  }
  await countUntil(2)
  for (const name of ['1.lock', '2.lock']) await rm(join(folder, name))
  // For longer than four intervals, with 20 ms between two attempts.
  await countUntil(220)
  network.mode = 'works'
  await until(() => counter.status().waiting === 0)
  assert.equal(await readTotal(), counted)
})

test('new counts are not lost if the journal is an old copy, whose batches the store knows', async (t) => {
  const { network, openTestCounter, readTotal, countJournaled, handIn, folder } = await setUp(t)
  network.mode = 'refuses'
  const first = await openTestCounter()
  await first.count('launcher', '1.0.0')
  await until(() => network.batches.length > 0)
  await first.count('launcher', '1.0.0')
  await first.close()
  const copy = await readFile(join(folder, '1.journal'))
  assert.equal(await handIn(), 2)
  await writeFile(join(folder, '1.journal'), copy)
  const second = await openTestCounter()
  await second.count('launcher', '1.0.0')
  await until(() => countJournaled() === 0)
  assert.equal(await readTotal(), 3)
})

test('counts that a copy of the journal has handed in too early are reported', async (t) => {
  const { store, network, openTestCounter, readTotal, folder, log } = await setUp(t)
  const counter = await openTestCounter()
  network.mode = 'refuses'
  await counter.count('launcher', '1.0.0')
  await until(() => counter.status().storeProblem !== undefined)
  await counter.count('launcher', '1.0.1')
  const copy = join(await temporaryFolder(t), 'counts')
  await cp(folder, copy, { recursive: true })
  await counter.count('launcher', '1.0.1')
  const other = await openDownloadCounter(store.downloads, { folder: copy, log, checkIntervalMs: 20 })
  t.after(() => other.close())
  await until(async () => (await readTotal()) === 2)
  assert.equal(counter.status().loss, undefined)
  network.mode = 'works'
  await until(() => counter.status().waiting === 0)
  assert.match(counter.status().loss ?? '', /counts are lost, because another service handed in a copy/)
})

test('a removed folder is noticed, and the journal is written again', async (t) => {
  const { network, openTestCounter, readTotal, countJournaled, hasLogged, folder } = await setUp(t)
  network.mode = 'refuses'
  const counter = await openTestCounter()
  await counter.count('launcher', '1.0.0')
  // The counter writes to it meanwhile.
  await rm(folder, { recursive: true, maxRetries: 10 })
  await until(() => countJournaled() === 1)
  await counter.count('launcher', '1.0.0')
  assert.equal(countJournaled(), 2)
  assert.equal(counter.status().diskProblem, undefined)
  assert.ok(hasLogged(/cannot be written/, 'error'))
  network.mode = 'works'
  await counter.close()
  assert.equal(await readTotal(), 2)
})

test('without a journal the reply waits for the store; without both it leaves, and the problem is reported', async (t) => {
  const { network, openTestCounter, readTotal, countJournaled, folder } = await setUp(t)
  await writeFile(folder, 'in the way')
  const counter = await openTestCounter()
  assert.equal(counter.status().diskProblem, 'EEXIST')
  for (let expected = 1; expected <= 3; expected += 1) {
    await counter.count('launcher', '1.0.0')
    assert.equal(await readTotal(), expected)
  }
  network.mode = 'refuses'
  await counter.count('launcher', '1.0.0')
  assert.equal(counter.status().waiting, 1)
  await rm(folder)
  await until(() => counter.status().diskProblem === undefined)
  assert.equal(countJournaled(), 1)
  network.mode = 'works'
  await counter.close()
  assert.equal(await readTotal(), 4)
})

test('more versions than the journal can hold are reported for an hour, and the others are counted', async (t) => {
  const { network, openTestCounter, readTotal, countJournaled } = await setUp(t)
  network.mode = 'refuses'
  const counter = await openTestCounter()
  const versions = 50_000
  for (let index = 0; index < versions; index += 1) counter.count('launcher', `1.0.${index}`)
  const { counted, lost } = counter.status()
  assert.ok(counted > 10_000 && lost > 0, `${counted} ${lost}`)
  assert.equal(counted + lost, versions)
  await counter.count('launcher', '1.0.0')
  assert.equal(countJournaled(), counted + 1)
  network.mode = 'works'
  await counter.close()
  assert.equal(await readTotal(), counted + 1)
  assert.equal(counter.status().loss, `${lost} counts were lost because DATA_DIR/counts was full`)
  const now = performance.now()
  t.mock.method(performance, 'now', () => now + 3_600_001)
  assert.deepEqual([counter.status().loss, counter.status().lost], [undefined, lost])
})

test('a download is counted on its UTC day', async (t) => {
  const { store, openTestCounter } = await setUp(t)
  let now = Date.UTC(2026, 10, 30, 23, 59, 59, 999)
  const counter = await openTestCounter({ clock: () => now })
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
  const { network, openTestCounter, handIn } = await setUp(t)
  let expected = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      let counter = await openTestCounter()
      for (const { mode, downloads, stop } of steps) {
        network.mode = mode
        for (let index = 0; index < downloads; index += 1) counter.count('launcher', `1.0.${index}`)
        expected += downloads
        const sentBatches = network.batches.length
        if (!stop && downloads > 0) await until(() => network.batches.length > sentBatches)
        if (!stop) continue
        await counter.close()
        counter = await openTestCounter()
      }
      network.mode = 'works'
      await counter.close()
      assert.equal(await handIn(), expected)
    }),
    { numRuns: 15 },
  )
})

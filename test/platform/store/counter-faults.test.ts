// The journal of the counts is damaged, copied, removed, full or cannot be written, or its folder has no locks.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { cp, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { lockFile } from '../../../src/platform/files/index.ts'
import { createBatchSender, openDownloadCounter, type UsageBatch } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { until } from '../../kit/until.ts'
import { setUpCounter } from './set-up-counter.ts'

test('a damaged journal is reported and does not stop the counting', async (t) => {
  const { openTestCounter, readTotal, hasLogged, folder } = await setUpCounter(t)
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
  const { network, openTestCounter, readTotal, folder } = await setUpCounter(t)
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
  const { openTestCounter, readTotal, folder } = await setUpCounter(t)
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
  const { network, openTestCounter, readTotal, folder } = await setUpCounter(t)
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
  const { store, network, openTestCounter, readTotal, folder, log } = await setUpCounter(t)
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
  const { network, openTestCounter, readTotal, countJournaled, handIn, folder } = await setUpCounter(t)
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
  const { store, network, openTestCounter, readTotal, folder, log } = await setUpCounter(t)
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

test('a machine that is set back to a snapshot repeats numbers: few counts are lost, and reported, and later ones count', async (t) => {
  const { store, network, openTestCounter, readTotal } = await setUpCounter(t)
  const counter = await openTestCounter()
  const count = async () => {
    await counter.count('launcher', '1.0.0')
    await until(() => counter.status().waiting === 0)
  }
  await count()
  const { writer } = network.batches.at(-1)!
  await store.downloads.add({ writer, number: 100, rows: [] })
  for (let counts = 0; counts < 4; counts++) await count()
  assert.equal(await readTotal(), 3)
  assert.match(counter.status().loss ?? '', /this machine was set back to a snapshot$/)
})

test('after a machine was set back to a snapshot, update checks and the usage history lose no count', async (t) => {
  const { store } = await setUpCounter(t)
  const counts = { day: '2026-12-01', rows: [{ dimension: 'kind', name: 'cat', counts: [1, 0, 0, 0] as const }] }
  const batches: UsageBatch[] = []
  const { flush } = createBatchSender({
    add: (batch: UsageBatch) => store.usage.add(batches[batches.push(batch) - 1]!),
    take: () => [counts],
    reportFailure: assert.ifError,
  })
  await flush()
  await store.usage.add({ ...counts, writer: batches[0]!.writer, number: 100, rows: [] })
  for (let flushes = 0; flushes < 3; flushes++) await flush()
  assert.deepEqual((await store.usage.rows('2026-12-01'))[0]?.counts, [4, 0, 0, 0])
})

test('a removed folder is noticed, and the journal is written again', async (t) => {
  const { network, openTestCounter, readTotal, countJournaled, hasLogged, folder } = await setUpCounter(t)
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

test('a journal that is truncated or overwritten while it is in use is written again, and reported', async (t) => {
  const { network, openTestCounter, countJournaled, hasLogged, folder } = await setUpCounter(t)
  network.mode = 'refuses'
  const counter = await openTestCounter()
  for (const bytes of ['', 'of another program '.repeat(1e5)]) {
    await counter.count('launcher', '1.0.0')
    const counted = countJournaled()
    await writeFile(join(folder, '1.journal'), bytes)
    await until(() => countJournaled() === counted)
  }
  assert.match(counter.status().damage ?? '', /another program changed a journal/)
  assert.ok(hasLogged(/another program/, 'error'))
})

test('without a journal the reply waits for the store; without both it leaves, and the problem is reported', async (t) => {
  const { network, openTestCounter, readTotal, countJournaled, folder } = await setUpCounter(t)
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
  const { network, openTestCounter, readTotal, countJournaled } = await setUpCounter(t)
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

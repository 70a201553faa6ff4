import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { createCounter, type DownloadBatch, type Downloads, openStore } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { rememberingLog } from '../../kit/log.ts'
import { until } from '../../kit/until.ts'

type Mood = 'works' | 'refuses' | 'loses the answer' | 'hangs'

/** A real store whose `add` can be made to fail in the ways a network fails. */
async function setUp(t: TestContext) {
  const dataDir = await temporaryFolder(t)
  const folder = join(dataDir, 'counts')
  const log = rememberingLog()
  const store = openStore('', { dataDir, log })
  t.after(() => store.close())
  const way: { mood: Mood; batches: DownloadBatch[] } = { mood: 'works', batches: [] }
  const downloads: Downloads = {
    ...store.downloads,
    async add(batch) {
      way.batches.push(batch)
      if (way.mood === 'hangs') await until(() => way.mood !== 'hangs')
      const applied = way.mood !== 'refuses' && (await store.downloads.add(batch))
      if (way.mood !== 'works') throw new Error(`the store ${way.mood}`)
      return applied
    },
  }
  const count = (options: { clock?: () => number; orphanedAfterMs?: number; closeTimeoutMs?: number } = {}) => {
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
  const total = async () => (await store.downloads.summary(30)).total
  const left = () => readdir(folder).catch((): string[] => [])
  return { store, way, count, total, left, folder, log }
}

test('counts arrive by themselves, gathered into few batches', async (t) => {
  const { way, count, total } = await setUp(t)
  const counter = count()
  for (let index = 0; index < 1000; index += 1) counter.count('launcher', `1.${index % 3}.0`)
  assert.equal(counter.status().waiting, 1000)
  await until(async () => (await total()) === 1000)
  assert.equal(way.batches.length, 1)
  assert.equal(way.batches[0]?.rows.length, 3)
  await until(() => counter.status().waiting === 0)
})

test('a clean stop loses none', async (t) => {
  const { count, total, left } = await setUp(t)
  const counter = count()
  counter.count('launcher', '1.0.0')
  await sleep(21)
  counter.count('launcher', '1.0.0')
  await counter.close()
  assert.equal(await total(), 2)
  assert.deepEqual(await left(), [])
})

test('a lost answer does not count twice', async (t) => {
  const { way, count, total } = await setUp(t)
  const counter = count()
  way.mood = 'loses the answer'
  counter.count('launcher', '1.0.0')
  await until(() => way.batches.length > 1)
  way.mood = 'works'
  counter.count('launcher', '1.0.0')
  await counter.close()
  assert.equal(await total(), 2)
})

test('counts wait while the store is away, in memory and on the disk, and arrive when it is back', async (t) => {
  const { way, count, total, left, log } = await setUp(t)
  const counter = count()
  way.mood = 'refuses'
  for (let round = 0; round < 5; round += 1) {
    for (let index = 0; index < 100; index += 1) counter.count('launcher', '1.0.0')
    await sleep(25)
  }
  assert.equal(counter.status().waiting, 500)
  await until(() => counter.status().trouble === 'Error: the store refuses')
  // For a moment there are two: the file is renewed by another that takes its place.
  await until(async () => (await left()).length === 1)
  way.mood = 'works'
  await until(() => counter.status().waiting === 0)
  assert.equal(await total(), 500)
  await until(async () => (await left()).length === 0)
  const told = log.lines.filter(({ message }) => message.startsWith('the store is unavailable; counted'))
  assert.equal(told.length, 1)
})

test('a store that hangs keeps neither the counts off the disk nor the stop from ending', async (t) => {
  const { way, count, total, left } = await setUp(t)
  way.mood = 'hangs'
  const counter = count({ closeTimeoutMs: 100 })
  counter.count('launcher', '1.0.0')
  await until(async () => (await left()).length === 1)
  counter.count('launcher', '1.0.0')
  await counter.close()
  way.mood = 'works'
  const next = count({ orphanedAfterMs: 50 })
  await until(async () => (await left()).length === 0)
  await next.close()
  assert.equal(await total(), 2)
})

test('what a stopped process left is taken in once, also by two at a time', async (t) => {
  const { way, count, total, left } = await setUp(t)
  way.mood = 'refuses'
  const stopped = count()
  stopped.count('launcher', '1.0.0')
  stopped.count('reshade', '1.0.0')
  await stopped.close()
  assert.equal((await left()).length, 1)
  way.mood = 'works'
  await sleep(60)
  const nodes = [count({ orphanedAfterMs: 50 }), count({ orphanedAfterMs: 50 })]
  await until(async () => (await left()).length === 0)
  for (const node of nodes) await node.close()
  assert.equal(await total(), 2)
})

test('a batch that had arrived before the process was killed is not counted again from its file', async (t) => {
  const { way, count, total, left } = await setUp(t)
  way.mood = 'loses the answer'
  const killed = count()
  killed.count('launcher', '1.0.0')
  await until(async () => (await left()).length === 1)
  way.mood = 'refuses'
  killed.count('launcher', '1.0.0')
  await killed.close()
  way.mood = 'works'
  const next = count({ orphanedAfterMs: 50 })
  await until(async () => (await left()).length === 0)
  await next.close()
  assert.equal(await total(), 2)
})

test('a file that cannot be read is set aside, not deleted, and the others are taken in', async (t) => {
  const { way, count, total, left, folder, log } = await setUp(t)
  way.mood = 'refuses'
  const stopped = count()
  stopped.count('launcher', '1.0.0')
  await stopped.close()
  way.mood = 'works'
  await writeFile(join(folder, 'downloads-00000000-0000-0000-0000-000000000000.json'), '[{"number":1,"rows":[{"co')
  const next = count({ orphanedAfterMs: 50 })
  await until(async () => (await left()).join() === 'unreadable')
  await next.close()
  assert.equal(await total(), 1)
  assert.equal((await readdir(join(folder, 'unreadable'))).length, 1)
  assert.ok(log.lines.some(({ level, message }) => level === 'error' && /unreadable/.test(message)))
})

test('a download is counted on the UTC day it happens', async (t) => {
  const { store, count } = await setUp(t)
  let now = Date.UTC(2026, 10, 30, 23, 59, 59, 999)
  const counter = count({ clock: () => now })
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

test('whatever the store does between, every download is counted exactly once', async (t) => {
  const mood = fc.constantFrom<Mood>('works', 'refuses', 'loses the answer')
  const step = fc.record({ mood, downloads: fc.integer({ min: 0, max: 5 }), stop: fc.boolean() })
  const { way, count, total, left } = await setUp(t)
  let expected = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
      let counter = count({ orphanedAfterMs: 40 })
      for (const { mood, downloads, stop } of steps) {
        way.mood = mood
        for (let index = 0; index < downloads; index += 1) counter.count('launcher', `1.0.${index}`)
        expected += downloads
        await sleep(stop ? 0 : 30)
        if (!stop) continue
        await counter.close()
        counter = count({ orphanedAfterMs: 40 })
      }
      way.mood = 'works'
      await counter.close()
      const last = count({ orphanedAfterMs: 40 })
      await until(async () => (await left()).length === 0)
      await last.close()
      assert.equal(await total(), expected)
    }),
    { numRuns: 15 },
  )
})

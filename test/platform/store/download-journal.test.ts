// What the journal holds after a write that was interrupted, and after damage to its file.
import assert from 'node:assert/strict'
import { readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { lockFile } from '../../../src/platform/files/index.ts'
import { CountBatch } from '../../../src/platform/store/count-batch.ts'
import { openDownloadJournal } from '../../../src/platform/store/download-journal.ts'
import { openJournalFile, readBatches } from '../../../src/platform/store/download-journal-file.ts'
import type { DownloadBatch, Downloads } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'

const WRITER = '00000000-0000-4000-8000-000000000000'
const HALF_BYTES = 64 * 1024

type Counts = Record<string, number>
const readCounts = (batch: CountBatch | undefined): Counts =>
  Object.fromEntries((batch?.toDownloadBatch().rows ?? []).map(({ version, count }) => [version, count]))

/** The versions that are downloaded in one turn of the event loop. Long ones fill several pages. */
const version = fc.integer({ min: 0, max: 300 }).map((number) => `${number}.0.0-${'x'.repeat(number)}`)
const turn = fc.array(version, { minLength: 1, maxLength: 40 })
const turns = fc.array(turn, { minLength: 1, maxLength: 12 })

const countTurn = (batch: CountBatch, versions: readonly string[]) => {
  for (const name of versions) batch.add('launcher', name, '2026-12-01')
}

test('a write that ends in the middle leaves each count as before or after the turn', () => {
  fc.assert(
    fc.property(turns, turn, fc.nat(), (earlier, last, cut) => {
      const batch = CountBatch.begin(Buffer.alloc(HALF_BYTES), WRITER, 1)
      for (const versions of earlier) countTurn(batch, versions)
      batch.takeChanges()
      const [file, before] = [Buffer.from(batch.bytes), readCounts(batch)]
      countTurn(batch, last)
      const changes = batch.takeChanges()
      const after = readCounts(batch)
      // A count and its check are 8 aligned bytes.
      const written = changes.subarray(0, (cut % (Math.ceil(changes.length / 8) + 1)) * 8)
      written.copy(file, changes.byteOffset - batch.bytes.byteOffset)
      const found = readCounts(CountBatch.read(file))
      for (const [name, count] of Object.entries(found)) {
        assert.ok(count === before[name] || count === after[name], `${name}: ${count}`)
      }
      for (const [name, count] of Object.entries(before)) assert.ok((found[name] ?? 0) >= count, name)
    }),
  )
})

test('truncated or damaged bytes never add a count', () => {
  const damage = fc.record({ at: fc.nat(), value: fc.integer({ min: 1, max: 255 }), truncates: fc.boolean() })
  fc.assert(
    fc.property(turns, damage, (all, { at, value, truncates }) => {
      const batch = CountBatch.begin(Buffer.alloc(HALF_BYTES), WRITER, 1)
      for (const versions of all) countTurn(batch, versions)
      batch.takeChanges()
      const [file, counts] = [Buffer.from(batch.bytes), readCounts(batch)]
      const position = at % file.length
      if (truncates) file.fill(0, position)
      else file[position] = (file[position] ?? 0) ^ value
      const found = readCounts(CountBatch.read(file))
      for (const [name, count] of Object.entries(found)) assert.equal(count, counts[name])
    }),
  )
})

test('damage costs only the counts that it hits', () => {
  fc.assert(
    fc.property(turns, fc.nat(), fc.integer({ min: 1, max: 40 }), (all, at, length) => {
      const batch = CountBatch.begin(Buffer.alloc(HALF_BYTES), WRITER, 1)
      for (const versions of all) countTurn(batch, versions)
      batch.takeChanges()
      const [file, counts] = [Buffer.from(batch.bytes), readCounts(batch)]
      const used = file.findLastIndex((byte) => byte !== 0) + 1
      const start = 64 + (at % (used - 64))
      file.fill(0xa5, start, Math.min(start + length, used))
      const found = readCounts(CountBatch.read(file))
      // The shortest entry has 40 bytes, so that 40 bytes are part of at most three.
      assert.ok(Object.keys(found).length >= Object.keys(counts).length - 3)
      for (const [name, count] of Object.entries(found)) assert.equal(count, counts[name])
    }),
  )
})

test('a batch does not read the entries of an older batch in the same bytes', () => {
  fc.assert(
    fc.property(turns, turn, (older, newer) => {
      const bytes = Buffer.alloc(HALF_BYTES)
      const old = CountBatch.begin(bytes, WRITER, 1)
      for (const versions of older) countTurn(old, versions)
      old.takeChanges()
      const batch = CountBatch.begin(bytes, WRITER, 3)
      assert.deepEqual(readCounts(CountBatch.read(bytes)), {})
      countTurn(batch, newer)
      batch.takeChanges()
      assert.deepEqual(readCounts(CountBatch.read(bytes)), readCounts(batch))
    }),
  )
})

test('of a journal file that was cut at any byte, all complete counts are imported', async (t) => {
  const folder = await temporaryFolder(t)
  const path = join(folder, '1.journal')
  const first = await openDownloadJournal(folder, createTestLog(), 6000)
  const sent = first.begin()
  const gathering = first.begin(sent)
  for (let index = 0; index < 100; index += 1) sent.add('launcher', `1.0.${index}`, '2026-12-01')
  for (let index = 0; index < 50; index += 1) gathering.add('launcher', `1.0.${index}`, '2026-12-01')
  first.save(sent)
  first.save(gathering)
  first.close()
  const complete = await readFile(path)
  await fc.assert(
    fc.asyncProperty(fc.nat(complete.length), fc.nat(10_000), async (length, shortLength) => {
      for (const size of [length, shortLength]) {
        await writeFile(path, complete)
        await truncate(path, size)
        const expected = readBatches(Buffer.concat([complete.subarray(0, size), Buffer.alloc(complete.length - size)]))
        const log = createTestLog()
        const journal = await openDownloadJournal(folder, log, 0)
        const batches: DownloadBatch[] = []
        const add = async (batch: DownloadBatch) => batches.push(batch) > 0
        await journal.importOrphans({ add } as Downloads)
        assert.deepEqual(
          batches,
          expected.map((batch) => batch.toDownloadBatch()),
        )
        assert.equal(journal.damage() !== undefined, size > 0 && size < complete.length)
        journal.close()
      }
    }),
    { numRuns: 40 },
  )
})

test('a process keeps its file if another one looks at its new lock', async (t) => {
  const folder = await temporaryFolder(t)
  const file = await openJournalFile(folder, 1, 60_000)
  assert.ok(file)
  const lockPath = join(folder, '1.lock')
  await rm(lockPath)
  const other = await lockFile(lockPath)
  const keeping = file.keepLock()
  await setImmediate()
  other?.dispose()
  assert.equal(await keeping, true)
  assert.equal(await lockFile(lockPath), undefined)
  // It has the lock for longer.
  await rm(lockPath)
  const slow = await lockFile(lockPath)
  assert.equal(await file.keepLock(), true)
  slow?.dispose()
  assert.equal(await file.keepLock(), true)
  assert.equal(await lockFile(lockPath), undefined)
  file.close()
})

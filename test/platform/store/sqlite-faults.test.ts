// The database file cannot be opened, read or written: it is damaged or locked, or its disk is full.
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { copyFile, cp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { StoreUnavailable } from '../../../src/errors/index.ts'
import { succeeds } from '../../../src/platform/concurrency/index.ts'
import { openStore, StoreUrlError } from '../../../src/platform/store/index.ts'
import { createRevision, openDatabase } from '../../../src/platform/store/sqlite/database.ts'
import { migrations } from '../../../src/platform/store/sqlite/schema.ts'
import { mountSmallDisk } from '../../kit/disk.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { until } from '../../kit/until.ts'
import { token } from './contract.ts'
import { openReadySqlite, openSqlite } from './open-sqlite.ts'

async function readFailure({ store, file }: Awaited<ReturnType<typeof openSqlite>>): Promise<string> {
  // On a busy machine the start of the thread may take longer than the reply timeout.
  await until(async () => !(await store.health()).message.includes('does not reply in time'))
  const { ok, message } = await store.health()
  assert.equal(ok, false)
  assert.ok(!message.includes(join(file, '..')), `no path in: ${message}`)
  await assert.rejects(store.tokens.list(), StoreUnavailable)
  return message
}

describe('SQLite with faults', { concurrency: 3 }, () => {
  test('opening a store with an unsupported URL rejects', async () => {
    const log = createTestLog()
    for (const url of ['sqlite:', 'mysql://x', 'redis:', 'redis://', 'menagerie.sqlite', 'http://x']) {
      await assert.rejects(openStore(url, { dataDir: '.', log }), StoreUrlError, url)
    }
  })

  test('a database with a newer schema is refused and not changed', async (t) => {
    const dataDir = await temporaryFolder(t)
    const file = join(dataDir, 'menagerie.sqlite')
    const db = new DatabaseSync(file)
    db.exec('CREATE TABLE future (x); PRAGMA user_version = 99')
    db.close()
    const before = await readFile(file)
    const message = await readFailure(await openSqlite(t, dataDir))
    assert.match(message, new RegExp(`schema 99.*at most schema ${migrations.length}\\b.*nothing was changed`))
    assert.deepEqual(await readFile(file), before)
    assert.deepEqual(await readdir(dataDir), ['menagerie.sqlite'])
  })

  test('a damaged file is refused and copied once; a repaired file is used without a restart', async (t) => {
    const dataDir = await temporaryFolder(t)
    const file = join(dataDir, 'menagerie.sqlite')
    const garbage = Buffer.alloc(20_000, 'no database ')
    await writeFile(file, garbage)
    const opened = await openSqlite(t, dataDir)
    assert.match(await readFailure(opened), /not a database.*a copy is kept as menagerie\.sqlite\.damaged-[0-9a-f]{12}/)
    await readFailure(opened)
    assert.deepEqual(await readFile(file), garbage)
    const copies = (await readdir(dataDir)).filter((name) => name.includes('.damaged-'))
    assert.equal(copies.length, 1)
    assert.deepEqual(await readFile(join(dataDir, copies[0] ?? '')), garbage)

    await rename(file, `${file}.moved`)
    await opened.becomesReady()
    await opened.store.tokens.put([token('a')])
  })

  test('damage in the middle of a file is detected when it is opened', async (t) => {
    const dataDir = await temporaryFolder(t)
    const first = await openReadySqlite(t, dataDir)
    await first.store.tokens.put(Array.from({ length: 3000 }, (_, index) => token(`t${index}`)))
    await first.store.close()
    const bytes = await readFile(first.file)
    // A page that opening the file does not read by itself.
    const page = 4096 * Math.floor(bytes.length / 4096 / 2)
    bytes.fill(0xab, page, page + 4096)
    await writeFile(first.file, bytes)
    assert.match(await readFailure(await openSqlite(t, dataDir)), /damaged.*nothing was deleted/)
    assert.deepEqual(await readFile(first.file), bytes)
  })

  test('a file is locked by another process: writes fail in time, and counts arrive afterwards', async (t) => {
    const dataDir = await temporaryFolder(t)
    const opened = await openReadySqlite(t, dataDir)
    await opened.store.tokens.put([token('a')])
    const other = new DatabaseSync(opened.file)
    t.after(() => other.close())
    other.exec('BEGIN IMMEDIATE')
    const counter = await opened.startCounter()
    counter.count('launcher', '1.0.0')
    const { message } = await opened.store.health()
    assert.match(message, /locked by another process/)
    // A writer does not block readers.
    assert.equal((await opened.store.tokens.list()).length, 1)
    assert.equal(counter.status().waiting, 1)
    other.exec('COMMIT')
    await until(() => counter.status().waiting === 0)
    assert.equal((await opened.store.downloads.summary(1)).total, 1)
  })

  test('a full disk is reported, and counts arrive when there is space again', async (t) => {
    const disk = await mountSmallDisk(t, 512 * 1024)
    if (!disk) return
    const opened = await openReadySqlite(t, disk.folder)
    await opened.store.tokens.put([token('a')])
    const counter = await opened.startCounter()
    await writeFile(join(disk.folder, 'filler'), Buffer.alloc(1024 * 1024)).catch(() => {})
    for (let index = 0; index < 500; index += 1) counter.count('launcher', `1.0.${index}`)
    await until(() => counter.status().storeProblem !== undefined)
    assert.match(counter.status().storeProblem ?? '', /disk of menagerie\.sqlite is full/)
    assert.equal(counter.status().waiting, 500)
    assert.equal((await opened.store.tokens.list()).length, 1)
    await rm(join(disk.folder, 'filler'))
    await until(() => counter.status().waiting === 0)
    assert.equal((await opened.store.downloads.summary(1)).total, 500)
  })

  test('a full disk with blocks of less than 4 KiB does not kill the process', async (t) => {
    const disk = await mountSmallDisk(t, 8 * 1024 * 1024, 1024)
    if (!disk) return
    const { store } = await openReadySqlite(t, disk.folder)
    await store.tokens.put([token('a')])
    await writeFile(join(disk.folder, 'filler'), Buffer.alloc(8 * 1024 * 1024)).catch(() => {})
    const tokens = Array.from({ length: 5000 }, (_, index) => token(`${index}`))
    // After an error the file is opened again.
    for (let attempts = 0; attempts < 3; attempts++) await assert.rejects(store.tokens.put(tokens), StoreUnavailable)
    await rm(join(disk.folder, 'filler'))
    await until(() => succeeds(store.tokens.put(tokens)))
    assert.equal((await store.tokens.list()).length, 5001)
  })

  test('a read-only disk is reported, and writes work when it is writable again', async (t) => {
    const disk = await mountSmallDisk(t, 4 * 1024 * 1024)
    if (!disk) return
    const first = await openReadySqlite(t, disk.folder)
    await first.store.tokens.put([token('a')])
    await first.store.close()
    disk.makeReadOnly()
    const { store, becomesReady } = await openSqlite(t, disk.folder)
    assert.match((await store.health()).message, /not writable|cannot be opened/)
    await assert.rejects(store.tokens.put([token('b')]), StoreUnavailable)
    disk.makeWritable()
    await becomesReady()
    await store.tokens.put([token('b')])
    assert.equal((await store.tokens.list()).length, 2)
  })

  test('a folder that cannot be created is reported', async (t) => {
    const dataDir = await temporaryFolder(t)
    await writeFile(join(dataDir, 'file'), '')
    const { store } = await openSqlite(t, join(dataDir, 'file', 'inside'))
    const { message } = await store.health()
    assert.match(message, /folder of menagerie\.sqlite cannot be created/)
  })

  test('an older schema is migrated after a backup, also if it was migrated before', async (t) => {
    const dataDir = await temporaryFolder(t)
    const file = join(dataDir, 'x.sqlite')
    const readNote = (opened: DatabaseSync) => {
      using db = opened
      return db.prepare('SELECT text FROM notes').get()?.text
    }
    const steps = ['CREATE TABLE notes (text TEXT)', `UPDATE notes SET text = 'new'; CREATE TABLE more (x)`]
    const old = openDatabase(file, steps.slice(0, 1))
    old.exec(`INSERT INTO notes VALUES ('old')`)
    old.close()
    assert.equal(readNote(openDatabase(file, steps)), 'new')
    assert.equal(readNote(new DatabaseSync(`${file}.schema-1`)), 'old')
    assert.equal(statSync(`${file}.schema-1`).mode & 0o777, 0o600)

    // The operator goes back to the older version, and updates again later.
    const isCopy = (name: string) => name.startsWith('x.sqlite.schema-1')
    for (const text of ['old', 'old', 'newer', 'newer']) {
      for (const suffix of ['-wal', '-shm']) await rm(file + suffix, { force: true })
      await copyFile(`${file}.schema-1`, file)
      const back = openDatabase(file, steps.slice(0, 1))
      back.exec(`UPDATE notes SET text = '${text}'`)
      back.close()
      openDatabase(file, steps).close()
    }
    const copies = (await readdir(dataDir)).filter(isCopy)
    const texts = copies.map((name) => readNote(new DatabaseSync(join(dataDir, name))))
    assert.deepEqual(new Set(texts), new Set(['newer', 'old']))
    assert.ok(texts.length <= 3, `${texts.length} copies`)

    assert.throws(() => openDatabase(file, [...steps, `DELETE FROM notes; SELECT no_such_function()`]))
    assert.equal(readNote(openDatabase(file, steps)), 'new')
  })

  test('a migration needs a complete backup: on a full disk nothing is migrated', async (t) => {
    const disk = await mountSmallDisk(t, 512 * 1024)
    if (!disk) return
    const file = join(disk.folder, 'x.sqlite')
    const first = 'CREATE TABLE notes (text TEXT)'
    const old = openDatabase(file, [first])
    old.prepare('INSERT INTO notes VALUES (?)').run('x'.repeat(200_000))
    old.close()
    // Leaves space for -wal and -shm, but not for the backup.
    await writeFile(join(disk.folder, 'filler'), Buffer.alloc(160 * 1024))
    const steps = [first, 'DELETE FROM notes']
    assert.throws(() => openDatabase(file, steps), /full/)
    assert.deepEqual((await readdir(disk.folder)).sort(), ['filler', 'x.sqlite'])
    await rm(join(disk.folder, 'filler'))
    openDatabase(file, steps).close()
    using backup = new DatabaseSync(`${file}.schema-1`)
    assert.equal(backup.prepare('SELECT length(text) AS length FROM notes').get()?.length, 200_000)
  })

  test('revisions stay different however often the file is opened', async (t) => {
    using db = openDatabase(join(await temporaryFolder(t), 'x.sqlite'))
    const read = (opening: number, stored: number) => {
      const revision = createRevision({ db, clock: Date.now, opening }, 'tokens').toPublic(stored)
      assert.ok(Number.isSafeInteger(revision))
      return revision
    }
    for (const opening of [0, 1, 8192, 2 ** 21 - 1, 2 ** 21]) {
      const revisions = [read(opening, 1), read(opening, 2), read(opening + 1, 1), read(opening + 1, 2)]
      assert.equal(new Set(revisions).size, revisions.length)
    }
  })

  test('counts that are gone because the file `-wal` was removed after a kill are reported at the next start', async (t) => {
    const killed = await openSqlite(t, await temporaryFolder(t))
    const counter = await killed.startCounter()
    await counter.count('launcher', '1.0.0')
    await until(() => counter.status().waiting === 0)
    for (const withWal of [true, false]) {
      const dataDir = await temporaryFolder(t)
      await cp(join(killed.file, '../counts'), join(dataDir, 'counts'), { recursive: true })
      // A younger lock may have replaced one that was removed.
      await utimes(join(dataDir, 'counts/1.lock'), 0, 0)
      const { file, startCounter, store, becomesReady } = await openSqlite(t, dataDir)
      await copyFile(killed.file, file)
      if (withWal) await copyFile(`${killed.file}-wal`, `${file}-wal`)
      await becomesReady()
      const { status, close } = await startCounter()
      await until(async () => (await store.downloads.writers()).length > 0)
      await close()
      assert.equal((await store.downloads.summary(1)).total, withWal ? 1 : 0)
      if (withWal) assert.equal(status().damage, undefined)
      else assert.match(status().damage ?? '', /^the store lost counts/)
    }
  })
})

// The database file is damaged, locked, replaced, or its disk is full.
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import {
  copyFile,
  cp,
  open as openFile,
  readdir,
  readFile,
  rename,
  rm,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { StoreUnavailable } from '../../../src/errors/index.ts'
import { createBans, createTokens } from '../../../src/features/access/index.ts'
import { succeeds } from '../../../src/platform/concurrency/index.ts'
import { openDownloadCounter, openStore, type Store, StoreUrlError } from '../../../src/platform/store/index.ts'
import { createRevision, openDatabase } from '../../../src/platform/store/sqlite/database.ts'
import { migrations } from '../../../src/platform/store/sqlite/schema.ts'
import { mountSmallDisk } from '../../kit/disk.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { until, untilEqual } from '../../kit/until.ts'
import { token } from './contract.ts'

async function open(t: TestContext, dataDir: string) {
  const log = createTestLog()
  const store = await openStore('', { dataDir, log })
  t.after(() => store.close())
  const becomesReady = () => until(async () => (await store.health()).ok)
  const startCounter = async () => {
    const counter = await openDownloadCounter(store.downloads, {
      folder: join(dataDir, 'counts'),
      log,
      flushIntervalMs: 20,
    })
    t.after(() => counter.close())
    return counter
  }
  return { store, log, file: join(dataDir, 'menagerie.sqlite'), becomesReady, startCounter }
}

async function openFileStore(t: TestContext, file: string) {
  const store = await openStore(`sqlite:${file}`, { dataDir: '', log: createTestLog() })
  t.after(() => store.close())
  await until(async () => (await store.health()).ok)
  return store
}

async function readFailure({ store, file }: Awaited<ReturnType<typeof open>>): Promise<string> {
  // On a busy machine the start of the thread may take longer than the reply timeout.
  await until(async () => !(await store.health()).message.includes('does not reply in time'))
  const { ok, message } = await store.health()
  assert.equal(ok, false)
  assert.ok(!message.includes(join(file, '..')), `no path in: ${message}`)
  await assert.rejects(store.tokens.list(), StoreUnavailable)
  return message
}

const readIds = (store: Store) => () =>
  store.tokens.list().then(
    (tokens) => tokens.map(({ id }) => id),
    () => undefined,
  )
/** Otherwise the file of a new database has only its first page. */
function moveWalIntoFile(file: string) {
  using db = new DatabaseSync(file)
  db.exec('PRAGMA wal_checkpoint')
}
const row = (count: number) => ({ application: 'launcher', version: '1.0.0', day: '2026-01-01', count })

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
    const message = await readFailure(await open(t, dataDir))
    assert.match(message, new RegExp(`schema 99.*at most schema ${migrations.length}\\b.*nothing was changed`))
    assert.deepEqual(await readFile(file), before)
    assert.deepEqual(await readdir(dataDir), ['menagerie.sqlite'])
  })

  test('a damaged file is refused and copied once; a repaired file is used without a restart', async (t) => {
    const dataDir = await temporaryFolder(t)
    const file = join(dataDir, 'menagerie.sqlite')
    const garbage = Buffer.alloc(20_000, 'no database ')
    await writeFile(file, garbage)
    const opened = await open(t, dataDir)
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
    const first = await open(t, dataDir)
    await first.becomesReady()
    await first.store.tokens.put(Array.from({ length: 3000 }, (_, index) => token(`t${index}`)))
    await first.store.close()
    const bytes = await readFile(first.file)
    // A page that opening the file does not read by itself.
    const page = 4096 * Math.floor(bytes.length / 4096 / 2)
    bytes.fill(0xab, page, page + 4096)
    await writeFile(first.file, bytes)
    assert.match(await readFailure(await open(t, dataDir)), /damaged.*nothing was deleted/)
    assert.deepEqual(await readFile(first.file), bytes)
  })

  test('a file is locked by another process: writes fail in time, and counts arrive afterwards', async (t) => {
    const dataDir = await temporaryFolder(t)
    const opened = await open(t, dataDir)
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
    const opened = await open(t, disk.folder)
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
    const { store } = await open(t, disk.folder)
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
    const first = await open(t, disk.folder)
    await first.store.tokens.put([token('a')])
    await first.store.close()
    disk.makeReadOnly()
    const { store, becomesReady } = await open(t, disk.folder)
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
    const { store } = await open(t, join(dataDir, 'file', 'inside'))
    const { message } = await store.health()
    assert.match(message, /folder of menagerie\.sqlite cannot be created/)
  })

  test('an older schema is migrated after a backup', async (t) => {
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

  const damages: Record<string, (file: string) => Promise<void>> = {
    'a removed database': async (file) => {
      for (const suffix of ['', '-wal', '-shm']) await rm(file + suffix, { force: true })
    },
    'a database whose folder is removed': (file) => rm(join(file, '..'), { recursive: true }),
    'a database that is overwritten': (file) => writeFile(file, Buffer.alloc(20_000, 'no database ')),
    'a database that is emptied': (file) => writeFile(file, ''),
    'a database that is cut off': async (file) => {
      moveWalIntoFile(file)
      await truncate(file, 4096)
    },
    'a database that is overwritten in the middle': async (file) => {
      moveWalIntoFile(file)
      await using handle = await openFile(file, 'r+')
      await handle.write(Buffer.alloc(8192, 0xab), 0, 8192, 4096)
    },
    'a database that is replaced by an empty file': async (file) => {
      await writeFile(`${file}.new`, '')
      await rename(`${file}.new`, file)
    },
    'a database whose -wal file is removed': (file) => rm(`${file}-wal`),
    'a database whose -wal file is emptied': (file) => truncate(`${file}-wal`),
    'a database whose -shm file is emptied': (file) => truncate(`${file}-shm`),
  }
  for (const [what, damage] of Object.entries(damages)) {
    test(`${what} is written again with its content, and reported`, async (t) => {
      const { store, log, file } = await open(t, join(await temporaryFolder(t), 'data'))
      await store.tokens.put([token('before')])
      await store.downloads.add({ writer: 'w', number: 1, rows: [row(2)] })
      // Another process drops the pages that the service has in memory.
      const other = await openFileStore(t, file)
      await other.tokens.put([token('other')])
      await other.close()
      assert.equal((await store.tokens.list()).length, 2)
      await damage(file)
      await store.tokens.put([token('after')])
      assert.equal(statSync(file).mode & 0o777, 0o600)
      const { ok, incident = '' } = await store.health()
      assert.ok(ok)
      assert.match(
        incident,
        /^menagerie\.sqlite was .* while it was in use; it was written again with its former content/,
      )
      const errors = log.lines.filter(({ level }) => level === 'error')
      assert.deepEqual(
        errors.map(({ message }) => message),
        [incident],
      )
      await store.downloads.add({ writer: 'w', number: 2, rows: [row(3)] })
      await store.close()
      const again = await openFileStore(t, file)
      assert.deepEqual((await readIds(again)())?.sort(), ['after', 'before', 'other'])
      assert.equal((await again.downloads.summary(1)).total, 5)
    })
  }

  test('counts that are gone because the file `-wal` was removed after a kill are reported at the next start', async (t) => {
    const killed = await open(t, await temporaryFolder(t))
    const counter = await killed.startCounter()
    await counter.count('launcher', '1.0.0')
    await until(() => counter.status().waiting === 0)
    for (const withWal of [true, false]) {
      const dataDir = await temporaryFolder(t)
      await cp(join(killed.file, '../counts'), join(dataDir, 'counts'), { recursive: true })
      // A younger lock may have replaced one that was removed.
      await utimes(join(dataDir, 'counts/1.lock'), 0, 0)
      const { file, startCounter, store, becomesReady } = await open(t, dataDir)
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

  test('writes and checkpoints of another process are not a fault', async (t) => {
    const { store, log, file } = await open(t, await temporaryFolder(t))
    await store.tokens.put([token('a')])
    for (let round = 0; round < 20; round++) {
      using other = new DatabaseSync(file)
      other.exec(`INSERT OR REPLACE INTO markers VALUES ('round', '${round}')`)
      if (round % 2 === 0) other.exec(`PRAGMA wal_checkpoint(${round % 4 === 0 ? 'TRUNCATE' : 'PASSIVE'})`)
      assert.equal(await store.markers.get('round'), String(round))
      await store.markers.set('own', String(round))
    }
    assert.equal((await store.health()).incident, undefined)
    assert.deepEqual(
      log.lines.filter(({ level }) => level === 'error'),
      [],
    )
  })

  test('a database that is too large for the memory is refused when it is overwritten, and not acknowledged', async (t) => {
    const { store, file } = await open(t, await temporaryFolder(t))
    const label = 'x'.repeat(3000)
    for (let part = 0; part < 10; part++) {
      await store.tokens.put(Array.from({ length: 800 }, (_, n) => ({ ...token(`t${part}-${n}`), label })))
    }
    await store.close()
    const again = await open(t, join(file, '..'))
    await again.becomesReady()
    await writeFile(file, Buffer.alloc(20_000, 'no database '))
    await assert.rejects(again.store.tokens.put([token('after')]), StoreUnavailable)
    await until(async () => !(await again.store.health()).ok)
    const { message, incident } = await again.store.health()
    assert.match(message, /not a database.*a copy is kept/)
    assert.match(incident ?? '', /was overwritten while it was in use; its former content is lost/)
  })

  test('while the content cannot be written again, nothing is acknowledged, and nothing is lost', async (t) => {
    const dataDir = join(await temporaryFolder(t), 'data')
    const { store, becomesReady } = await open(t, dataDir)
    await store.tokens.put([token('before')])
    await rm(dataDir, { recursive: true })
    await writeFile(dataDir, 'a file where the folder was')
    await assert.rejects(store.tokens.put([token('after')]), StoreUnavailable)
    assert.match((await store.health()).message, /was removed while it was in use, and cannot be written again: /)
    await rm(dataDir)
    await becomesReady()
    assert.deepEqual(await readIds(store)(), ['before'])
  })

  for (const [how, putBackup] of Object.entries({ replaced: rename, overwritten: copyFile }))
    test(`a database that is ${how} with another one is used without pages of the former file, which is kept`, async (t) => {
      const { store, file } = await open(t, await temporaryFolder(t))
      const backup = await open(t, await temporaryFolder(t))
      const [running, restored] = [createTokens(store.tokens), createTokens(backup.store.tokens)]
      const [old, good] = [await running.create('old', ['read'], null), await restored.create('good', ['read'], null)]
      const bans = createBans(store.bans, store.strikes, { exempt: [], log: createTestLog() })
      t.after(() => bans.close())
      const at = Date.now()
      const ban = (address: string) => ({ address, reason: '', by: 'automatic', at, until: at + 3_600_000 })
      await Promise.all([store.bans.put([ban('192.0.2.1')]), backup.store.bans.put([ban('192.0.2.2')])])
      await until(() => bans.find('192.0.2.1') !== undefined)
      assert.ok(await running.verify(old.secret))
      await backup.store.close()
      await putBackup(backup.file, file)
      await untilEqual<string[] | undefined>(readIds(store), [good.token.id])
      assert.match(
        (await store.health()).incident ?? '',
        /continues with the new file, .* in menagerie\.sqlite\.replaced$/,
      )
      assert.deepEqual(await readIds(await openFileStore(t, `${file}.replaced`))(), [old.token.id])
      await until(() => bans.find('192.0.2.2') !== undefined && bans.find('192.0.2.1') === undefined)
      await until(async () => (await running.verify(good.secret)) !== undefined)
      assert.equal(await running.verify(old.secret), undefined, 'the revisions of both files are the same number')
    })
})

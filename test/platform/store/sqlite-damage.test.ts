// The database file is damaged, removed or replaced while it is in use.
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { copyFile, open, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { StoreUnavailable } from '../../../src/errors/index.ts'
import { createBans, createTokens } from '../../../src/features/access/index.ts'
import { openStore, type Store } from '../../../src/platform/store/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { until, untilEqual } from '../../kit/until.ts'
import { token } from './contract.ts'
import { openReadySqlite, openSqlite } from './open-sqlite.ts'

async function openFileStore(t: TestContext, file: string) {
  const store = await openStore(`sqlite:${file}`, { dataDir: '', log: createTestLog() })
  t.after(() => store.close())
  await until(async () => (await store.health()).ok)
  return store
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

describe('a SQLite file in use', { concurrency: 3 }, () => {
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
      await using handle = await open(file, 'r+')
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
      const { store, log, file } = await openReadySqlite(t, join(await temporaryFolder(t), 'data'))
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

  test('writes and checkpoints of another process are not a fault', async (t) => {
    const { store, log, file } = await openReadySqlite(t, await temporaryFolder(t))
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
    const { store, file } = await openReadySqlite(t, await temporaryFolder(t))
    const label = 'x'.repeat(3000)
    for (let part = 0; part < 10; part++) {
      await store.tokens.put(Array.from({ length: 800 }, (_, n) => ({ ...token(`t${part}-${n}`), label })))
    }
    await store.close()
    const again = await openSqlite(t, join(file, '..'))
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
    const { store, becomesReady } = await openReadySqlite(t, dataDir)
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
      const { store, file } = await openReadySqlite(t, await temporaryFolder(t))
      const backup = await openReadySqlite(t, await temporaryFolder(t))
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

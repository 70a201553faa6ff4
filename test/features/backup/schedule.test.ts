import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createBackup, listBackups, OtherBackupRuns, scheduleBackups } from '../../../src/features/backup/index.ts'
import { identify } from '../../../src/platform/files/index.ts'
import { checkIntegrity, openStore, writeStoreCopy } from '../../../src/platform/store/index.ts'
import { mountSmallDisk } from '../../kit/disk.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createTestLog } from '../../kit/log.ts'
import { until } from '../../kit/until.ts'

async function prepare(t: TestContext, given?: string) {
  const folder = await temporaryFolder(t)
  const [dataDir, contentDir, log] = [join(folder, 'data'), join(folder, 'content'), createTestLog()]
  await mkdir(dataDir)
  await mkdir(contentDir)
  await writeFile(join(contentDir, 'a.txt'), 'a')
  await writeFile(join(contentDir, 'b.txt'), 'b')
  const store = await openStore('', { dataDir, log })
  t.after(() => store.close())
  await until(async () => (await store.health()).ok)
  const dir = given ?? join(folder, 'backups')
  const writeStore = (target: string) => writeStoreCopy('', { dataDir, log }, store, target)
  const lastFolderFile = join(dataDir, 'last-backup-folder')
  const countDownloads = async () => (await store.downloads.summary(1)).total
  const options = { dir, contentDir, lastFolderFile, keep: 2, storeBytes: 0, writeStore, countDownloads }
  const names = async () => (await listBackups(dir)).map(({ name }) => name)
  return { options, names, dir, dataDir, contentDir, log, store }
}

test('old backups are removed after a new good one, and unchanged files are stored once', async (t) => {
  const { options, names, dir, contentDir } = await prepare(t)
  const start = Date.UTC(2026, 10, 1)
  for (let day = 0; day < 3; day++) {
    await writeFile(join(contentDir, 'b.txt'), `b${day}`)
    // As deployments do that give all files the same time.
    await utimes(join(contentDir, 'b.txt'), 1, 1)
    await createBackup({ ...options, now: start + day * 86_400_000 })
  }
  assert.deepEqual(await names(), ['2026-11-02T00-00-00Z', '2026-11-03T00-00-00Z'])
  const [older = '', newer = ''] = await names()
  const inode = async (name: string, file: string) => (await stat(join(dir, name, 'content', file))).ino
  assert.equal(await inode(older, 'a.txt'), await inode(newer, 'a.txt'))
  assert.equal(await readFile(join(dir, newer, 'content', 'b.txt'), 'utf8'), 'b2')
})

test('the newest backup with more downloads than the new one, or twice as many files, is not removed, but reported', async (t) => {
  const { options, names, dir, contentDir, store } = await prepare(t)
  let day = 0
  const backUp = () => createBackup({ ...options, now: Date.UTC(2026, 10, ++day) })
  const addDownloads = (number: number, count: number) =>
    store.downloads.add({
      writer: 'a',
      number,
      rows: [{ application: 'launcher', version: '1', day: '2026-11-01', count }],
    })
  const days = async () => (await names()).map((name) => Number(name.slice(8, 10)))
  await addDownloads(1, 5)
  await backUp()
  await backUp()
  await store.clear()
  await backUp()
  const { problem } = await backUp()
  assert.equal(
    problem,
    'the old backup 2026-11-02T00-00-00Z is kept, because it holds more downloads or files than newer ones: restore it, ' +
      'or remove BACKUP_DIR/2026-11-02T00-00-00Z',
  )
  assert.deepEqual(await days(), [2, 3, 4])
  await rm(join(dir, '2026-11-02T00-00-00Z'), { recursive: true })
  assert.equal((await backUp()).problem, undefined)
  assert.deepEqual(await days(), [4, 5])

  for (const name of ['a.txt', 'b.txt']) await rm(join(contentDir, name))
  for (const _ of [1, 2, 3]) await backUp()
  assert.deepEqual(await days(), [5, 7, 8])
  for (const name of ['a.txt', 'b.txt']) await writeFile(join(contentDir, name), 'again')
  assert.equal((await backUp()).problem, undefined)
  assert.deepEqual(await days(), [8, 9])
})

test('if several losses follow each other, the backups with most downloads and with most files are not removed', async (t) => {
  const { options, dir, contentDir, store } = await prepare(t)
  let day = 0
  const backUpTwice = async () => {
    for (const _ of [1, 2]) await createBackup({ ...options, now: Date.UTC(2026, 10, ++day) })
  }
  const count = (number: number, count: number) =>
    store.downloads.add({
      writer: 'a',
      number,
      rows: [{ application: 'launcher', version: '1', day: '2026-11-01', count }],
    })
  const listed = async () => (await listBackups(dir)).map(({ downloads, files }) => [downloads, files.length - 1])
  await count(1, 500)
  await backUpTwice()
  await store.clear()
  await count(1, 5)
  await backUpTwice()
  await store.clear()
  await backUpTwice()
  assert.deepEqual(await listed(), [
    [500, 2],
    [5, 2],
    [0, 2],
    [0, 2],
  ])
  for (const name of ['a.txt', 'b.txt']) await rm(join(contentDir, name))
  await backUpTwice()
  assert.deepEqual(await listed(), [
    [500, 2],
    [0, 2],
    [0, 0],
    [0, 0],
  ])
})

test('an edit of the same size in the second of a backup is in the next one, also if times are whole seconds', async (t) => {
  const disk = await mountSmallDisk(t, 4 * 2 ** 20, 1024, 128)
  if (!disk) return
  const { options, names, dir } = await prepare(t)
  const contentDir = join(disk.folder, 'content')
  const file = join(contentDir, 'a.txt')
  await mkdir(contentDir)
  const backUp = async () => {
    await createBackup({ ...options, contentDir })
    return readFile(join(dir, (await names()).at(-1) ?? '', 'content/a.txt'), 'utf8')
  }
  for (;;) {
    await writeFile(file, 'old')
    const before = identify(await stat(file))
    await backUp()
    await writeFile(file, 'new')
    // Otherwise the next second has begun meanwhile.
    if (identify(await stat(file)) === before) break
  }
  assert.equal(await backUp(), 'new')
  await writeFile(file, 'end')
  await until(async () => Date.now() - (await stat(file)).ctimeMs > 2000)
  assert.equal(await backUp(), 'end')
})

test('the list of backups reads one file at a time: a disk that does not answer takes one thread', async (t) => {
  const dir = await temporaryFolder(t)
  for (const second of [0, 1, 2, 3, 4, 5, 6, 7]) {
    await mkdir(join(dir, `2026-11-01T00-00-0${second}Z`))
    await writeFile(join(dir, `2026-11-01T00-00-0${second}Z`, 'manifest.json'), '{"files":[]}')
  }
  const countReads = () => process.getActiveResourcesInfo().filter((name) => name === 'FSReqPromise').length
  let isDone = false
  const list = listBackups(dir).finally(() => {
    isDone = true
  })
  let most = 0
  for (; !isDone; await setImmediate()) most = Math.max(most, countReads())
  assert.equal((await list).length, 8)
  assert.equal(most, 1)
})

test('backups from a time when the clock was ahead are removed before newer ones', async (t) => {
  const { options, names } = await prepare(t)
  const now = Date.UTC(2026, 10, 1)
  for (const at of [now + 9e11, now + 9.1e11, now, now + 86_400_000]) await createBackup({ ...options, now: at })
  assert.deepEqual(await names(), ['2026-11-01T00-00-00Z', '2026-11-02T00-00-00Z'])
})

test('writes to the database do not keep a backup from being completed', async (t) => {
  const { options, dataDir } = await prepare(t)
  using db = new DatabaseSync(join(dataDir, 'menagerie.sqlite'), { timeout: 1000 })
  db.exec("PRAGMA synchronous = OFF; INSERT INTO markers VALUES ('large', hex(zeroblob(2000000)))")
  let isDone = false
  const backup = createBackup(options).finally(() => {
    isDone = true
  })
  for (let writes = 0; !isDone && writes < 20_000; writes++) {
    db.exec(`INSERT OR REPLACE INTO probe VALUES (1, ${writes})`)
    await setImmediate()
  }
  assert.ok(isDone)
  await backup
})

test('a backup that fails leaves the old ones and nothing unfinished', async (t) => {
  const { options, names, dir } = await prepare(t)
  await createBackup(options)
  const before = await names()
  const writeStore = async (target: string) => {
    await writeFile(target, 'half')
    throw new Error('the store is unavailable')
  }
  await assert.rejects(createBackup({ ...options, keep: 1, writeStore }), /the store is unavailable/)
  assert.deepEqual(await names(), before)
  assert.deepEqual(await readdir(dir), ['.lock', ...before])
})

test('what is published and removed during a backup is in it completely', async (t) => {
  const { options, dir, contentDir } = await prepare(t)
  const writeStore = async (target: string) => {
    await options.writeStore(target)
    // The files are listed already.
    await writeFile(join(contentDir, 'b.txt'), 'needs new.bin')
    await writeFile(join(contentDir, 'new.bin'), 'new')
    await rm(join(contentDir, 'a.txt'))
  }
  const { name } = await createBackup({ ...options, writeStore })
  assert.deepEqual((await readdir(join(dir, name, 'content'))).sort(), ['b.txt', 'new.bin'])
  assert.equal(await readFile(join(dir, name, 'content', 'b.txt'), 'utf8'), 'needs new.bin')
})

test('a second backup is refused while one runs, and does not damage it', async (t) => {
  const { options, names, dir } = await prepare(t)
  const writeStore = async (target: string) => {
    await options.writeStore(target)
    await assert.rejects(createBackup({ ...options, now: 0 }), OtherBackupRuns)
  }
  const { name } = await createBackup({ ...options, writeStore })
  assert.deepEqual(await names(), [name])
  assert.deepEqual((await readdir(join(dir, name))).sort(), ['content', 'manifest.json', 'store.sqlite'])
})

test('a backup in the second of another one is made, too', async (t) => {
  const { options, names } = await prepare(t)
  const now = Date.UTC(2026, 11, 31, 23, 59, 59)
  for (const _ of [1, 2, 3]) await createBackup({ ...options, now })
  assert.deepEqual(await names(), ['2027-01-01T00-00-00Z', '2027-01-01T00-00-01Z'])
})

test('what a killed process left is removed by the next backup', async (t) => {
  const { options, names, dir } = await prepare(t)
  await mkdir(join(dir, '.unfinished-2026-11-01T00-00-00Z'), { recursive: true })
  assert.deepEqual(await names(), [])
  await createBackup(options)
  assert.deepEqual(await readdir(dir), ['.lock', ...(await names())])
})

/** `checks` counts the checks of the database, which follow the first look for a backup. */
function start(t: TestContext, { options, log }: Awaited<ReturnType<typeof prepare>>, hours: number) {
  let checks = 0
  const checkStore = async () => {
    checks++
    return undefined
  }
  const readStoreBytes = async () => 0
  const schedule = scheduleBackups({ ...options, readStoreBytes, checkStore, hours, log, startDelayMs: 5 })
  t.after(schedule.close)
  return { ...schedule, checks: () => checks }
}

test('a backup with a damaged file does not prevent the next one, and is reported', async (t) => {
  const prepared = await prepare(t)
  const { options, names, dir } = prepared
  const { name } = await createBackup({ ...options, now: Date.now() - 9e7 })
  await writeFile(join(dir, name, 'content', 'a.txt'), '?')
  const schedule = start(t, prepared, 24)
  await until(async () => (await names()).length === 2)
  assert.equal(await readFile(join(dir, (await names())[1] ?? '', 'content', 'a.txt'), 'utf8'), 'a')
  await until(() => /^earlier backups are damaged/.test(schedule.problem() ?? ''))
})

test('an old backup that cannot be removed is reported, and the new one is made', async (t) => {
  const { options, names, dir } = await prepare(t)
  const { name } = await createBackup({ ...options, now: Date.now() - 9e7 })
  const content = join(dir, name, 'content')
  if (spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', content]).status !== 0) return t.skip('needs the permission to mount')
  const backup = await createBackup({ ...options, keep: 1 }).finally(() => spawnSync('umount', [content]))
  assert.ok((await names()).includes(backup.name))
  assert.equal(backup.problem, `the old backup ${name} cannot be removed: resource busy or locked`)
})

test('a scheduled backup is made once per interval, also over restarts', async (t) => {
  const prepared = await prepare(t)
  const schedule = start(t, prepared, 24)
  await until(() => schedule.checks() === 1)
  await schedule.close()
  assert.equal(schedule.problem(), undefined)
  const messages = () => prepared.log.lines.map(({ message }) => message)
  assert.deepEqual(messages(), ['a backup was made'])
  const again = start(t, prepared, 24)
  await until(() => again.checks() === 1)
  assert.deepEqual(messages(), ['a backup was made'])
})

test('after the clock was ahead, a backup is still made once per interval', async (t) => {
  const prepared = await prepare(t)
  await createBackup({ ...prepared.options, now: Date.now() + 9e11 })
  await createBackup(prepared.options)
  const schedule = start(t, prepared, 24)
  await until(() => schedule.checks() === 1)
  assert.deepEqual(prepared.log.lines, [])
})

test('0 hours disable backups', async (t) => {
  const prepared = await prepare(t)
  const schedule = start(t, prepared, 0)
  await until(() => schedule.checks() === 1)
  assert.deepEqual(await readdir(prepared.dir).catch(() => []), [])
})

test('a full disk is a problem', async (t) => {
  const disk = await mountSmallDisk(t, 1024 * 1024)
  if (!disk) return
  const prepared = await prepare(t, join(disk.folder, 'backups'))
  const schedule = start(t, prepared, 24)
  await until(() => schedule.problem() !== undefined)
  assert.match(schedule.problem() ?? '', /the last backup failed: the disk has no space/)
  assert.deepEqual(await prepared.names(), [])
})

test('a failed backup is no longer a problem after the operator has made one', async (t) => {
  const prepared = await prepare(t)
  const { options } = prepared
  const writeStore = () => Promise.reject(new Error('the store is unavailable'))
  // A sixteenth of the interval passes before the next attempt: two seconds.
  const schedule = start(t, { ...prepared, options: { ...options, writeStore } }, 32 / 3600)
  await until(() => schedule.problem() !== undefined)
  await createBackup(options)
  await until(() => schedule.problem() === undefined)
})

test('a read-only disk is a problem, and the old backups stay', async (t) => {
  const disk = await mountSmallDisk(t, 128 * 1024 * 1024)
  if (!disk) return
  const prepared = await prepare(t, join(disk.folder, 'backups'))
  await createBackup({ ...prepared.options, now: Date.now() - 48 * 3_600_000 })
  const before = await prepared.names()
  disk.makeReadOnly()
  const schedule = start(t, prepared, 24)
  await until(() => schedule.problem() !== undefined)
  assert.equal(schedule.problem(), 'the last backup failed: read-only file system')
  assert.deepEqual(await prepared.names(), before)
})

test('a disk of backups that is not mounted any more is reported, and no backup fills another disk', async (t) => {
  const prepared = await prepare(t)
  const { options, names, dir } = prepared
  await createBackup(options)
  await rm(dir, { recursive: true })
  const schedule = start(t, prepared, 24)
  await until(() => schedule.checks() === 1)
  assert.match(schedule.problem() ?? '', /BACKUP_DIR has no backups any more; mount its disk/)
  assert.deepEqual(await names(), [])
  await createBackup(options)
  assert.equal((await names()).length, 1)
})

test('a damaged database is found by the daily check', async (t) => {
  const { options, dataDir, log } = await prepare(t)
  const file = join(dataDir, 'damaged.sqlite')
  await options.writeStore(file)
  const bytes = Buffer.alloc((await stat(file)).size - 4096, 7)
  assert.equal(await checkIntegrity(file), undefined)
  const handle = await open(file, 'r+')
  await handle.write(bytes, 0, bytes.length, 4096)
  await handle.close()
  const check = () => checkIntegrity(file)
  const schedule = scheduleBackups({
    ...options,
    readStoreBytes: async () => 0,
    hours: 0,
    log,
    checkStore: check,
    startDelayMs: 5,
  })
  t.after(schedule.close)
  await until(() => schedule.storeProblem() !== undefined)
  assert.match(schedule.storeProblem() ?? '', /^the database is damaged: .+; restore a backup$/)
})

test('a check of the database ends also if the process is busy meanwhile', async (t) => {
  const { options, dataDir } = await prepare(t)
  const file = join(dataDir, 'copy.sqlite')
  await options.writeStore(file)
  // The events of the thread then arrive in one turn of the event loop.
  const block = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150)
  const busy = setInterval(block, 10)
  t.after(() => clearInterval(busy))
  for (let round = 0; round < 5; round++) assert.equal(await checkIntegrity(file), undefined)
})

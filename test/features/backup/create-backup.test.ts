import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createBackup, listBackups, OtherBackupRuns } from '../../../src/features/backup/index.ts'
import { identify } from '../../../src/platform/files/index.ts'
import { mountSmallDisk } from '../../kit/disk.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { until } from '../../kit/until.ts'
import { prepare } from './kit.ts'

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

test('writes to the database do not keep a backup from being completed', async (t) => {
  const { options, dataDir } = await prepare(t)
  using db = new DatabaseSync(join(dataDir, 'menagerie.sqlite'), { timeout: 1000 })
  db.exec("PRAGMA synchronous = OFF; INSERT INTO markers VALUES ('large', hex(zeroblob(2000000)))")
  let isDone = false
  const backup = createBackup(options).finally(() => {
    isDone = true
  })
  const end = performance.now() + 20_000
  for (let writes = 0; !isDone && performance.now() < end; writes++) {
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

test('a backup does not contain backups below the content folder, also if that is a link', async (t) => {
  const { options, contentDir } = await prepare(t)
  const link = `${contentDir}-link`
  await symlink(contentDir, link)
  for (const content of [contentDir, link]) {
    const backUp = () => createBackup({ ...options, contentDir: content, dir: join(contentDir, 'backups') })
    await backUp()
    assert.equal((await backUp()).files.length, 3)
  }
})

test('a backup is not made of a content folder that is also that of the state or of the backups', async (t) => {
  const { options, contentDir, names } = await prepare(t)
  for (const same of [{ dir: contentDir }, { dataDir: contentDir }])
    await assert.rejects(createBackup({ ...options, ...same }), /CONTENT_DIR is also DATA_DIR or BACKUP_DIR/)
  assert.deepEqual(await names(), [])
})

test('a file or folder whose name is not UTF-8 is not in a backup, which says so', async (t) => {
  const { options, contentDir } = await prepare(t)
  const invalidName = Buffer.concat([Buffer.from(`${contentDir}/caf`), Buffer.from([0xe9])])
  for (const create of [() => mkdir(invalidName), () => writeFile(invalidName, '')]) {
    await create()
    const { files, problem } = await createBackup(options)
    assert.deepEqual(files.map(({ path }) => path).sort(), ['content/a.txt', 'content/b.txt', 'store.sqlite'])
    assert.equal(problem, 'the backup lacks a file or folder whose name is not UTF-8: rename caf\ufffd')
    await rm(invalidName, { recursive: true })
  }
  assert.equal((await createBackup(options)).problem, undefined)
})

test('what a killed process left is removed by the next backup', async (t) => {
  const { options, names, dir } = await prepare(t)
  await mkdir(join(dir, '.unfinished-2026-11-01T00-00-00Z'), { recursive: true })
  assert.deepEqual(await names(), [])
  await createBackup(options)
  assert.deepEqual(await readdir(dir), ['.lock', ...(await names())])
})

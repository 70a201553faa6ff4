import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createBackup, listBackups } from '../../../src/features/backup/index.ts'
import { prepare } from './kit.ts'

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

/** Backups of one day after another, and downloads that are counted between them. */
async function prepareDays(t: TestContext) {
  const prepared = await prepare(t)
  const { options, store } = prepared
  let day = 0
  const backUp = () => createBackup({ ...options, now: Date.UTC(2026, 10, ++day) })
  const addDownloads = (number: number, count: number) =>
    store.downloads.add({
      writer: 'a',
      number,
      rows: [{ application: 'launcher', version: '1', day: '2026-11-01', count }],
    })
  return { ...prepared, backUp, addDownloads }
}

test('the newest backup with more downloads than the new one, or twice as many files, is not removed, but reported', async (t) => {
  const { backUp, addDownloads, names, dir, contentDir, store } = await prepareDays(t)
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
  const { backUp, addDownloads, dir, contentDir, store } = await prepareDays(t)
  const backUpTwice = async () => {
    for (const _ of [1, 2]) await backUp()
  }
  const listed = async () => (await listBackups(dir)).map(({ downloads, files }) => [downloads, files.length - 1])
  await addDownloads(1, 500)
  await backUpTwice()
  await store.clear()
  await addDownloads(1, 5)
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

test('backups from a time when the clock was ahead are removed before newer ones', async (t) => {
  const { options, names } = await prepare(t)
  const now = Date.UTC(2026, 10, 1)
  for (const at of [now + 9e11, now + 9.1e11, now, now + 86_400_000]) await createBackup({ ...options, now: at })
  assert.deepEqual(await names(), ['2026-11-01T00-00-00Z', '2026-11-02T00-00-00Z'])
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

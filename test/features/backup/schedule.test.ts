import assert from 'node:assert/strict'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createBackup, lockBackups, scheduleBackups } from '../../../src/features/backup/index.ts'
import { checkIntegrity } from '../../../src/platform/store/index.ts'
import { mountSmallDisk } from '../../kit/disk.ts'
import { until } from '../../kit/until.ts'
import { prepare } from './kit.ts'

/** `checks` counts the checks of the database, which follow the first look for a backup. */
function start(
  t: TestContext,
  { options, log }: Awaited<ReturnType<typeof prepare>>,
  hours: number,
  findDamage = async (): Promise<string | undefined> => undefined,
) {
  let checks = 0
  const checkStore = () => {
    checks++
    return findDamage()
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
  const { options, dir } = prepared
  // Made elsewhere, and moved there at one moment: the schedule waits for a minute if it meets a backup that is being made.
  const { name } = await createBackup({ ...options, dir: `${dir}-elsewhere` })
  const writeStore = () => Promise.reject(new Error('the store is unavailable'))
  // A sixteenth of the interval passes before the next attempt: two seconds.
  const schedule = start(t, { ...prepared, options: { ...options, writeStore } }, 32 / 3600)
  await until(() => schedule.problem() !== undefined)
  await mkdir(dir, { recursive: true })
  await rename(join(`${dir}-elsewhere`, name), join(dir, name))
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

test('a backup that is not made because another one hangs is reported', async (t) => {
  const prepared = await prepare(t)
  await mkdir(prepared.dir)
  using _lock = await lockBackups(prepared.dir)
  const schedule = start(t, prepared, 1 / 3600)
  await until(() => /^a backup has been due .*: another backup or restore is running/.test(schedule.problem() ?? ''))
  assert.deepEqual(await prepared.names(), [])
})

test('an old backup that is kept, because newer ones hold less, is still reported after a restart', async (t) => {
  const prepared = await prepare(t)
  const options = { ...prepared.options, keep: 1 }
  const now = Date.now()
  await createBackup({ ...options, now: now - 2000 })
  await rm(join(prepared.contentDir, 'a.txt'))
  await rm(join(prepared.contentDir, 'b.txt'))
  const { problem } = await createBackup({ ...options, now })
  const schedule = start(t, { ...prepared, options }, 24)
  await until(() => schedule.checks() === 1)
  assert.match(problem ?? '', /^the old backup .* is kept/)
  assert.equal(schedule.problem(), problem)
})

test('a damaged database is found by the daily check', async (t) => {
  const prepared = await prepare(t)
  const { options, dataDir } = prepared
  const file = join(dataDir, 'damaged.sqlite')
  await options.writeStore(file)
  const bytes = Buffer.alloc((await stat(file)).size - 4096, 7)
  assert.equal(await checkIntegrity(file), undefined)
  await using handle = await open(file, 'r+')
  await handle.write(bytes, 0, bytes.length, 4096)
  const schedule = start(t, prepared, 0, () => checkIntegrity(file))
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

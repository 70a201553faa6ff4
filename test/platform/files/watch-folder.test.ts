import assert from 'node:assert/strict'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { watchFolder } from '../../../src/platform/files/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { until } from '../../kit/until.ts'

async function startWatching(t: TestContext, name = '') {
  const root = await temporaryFolder(t)
  const folder = join(root, name)
  const checks = { changed: 0, routine: 0 }
  const watcher = watchFolder(folder, async (hasChanged) => {
    checks[hasChanged ? 'changed' : 'routine']++
  })
  t.after(() => watcher.close())
  return { folder, checks }
}

test('a change in a subfolder that is created later is noticed within two seconds', async (t) => {
  const { folder, checks } = await startWatching(t)
  await until(() => checks.changed > 0)
  await mkdir(join(folder, 'new', 'deep'), { recursive: true })
  await until(() => checks.changed > 1, 2000)
  const before = checks.changed
  await writeFile(join(folder, 'new', 'deep', 'file'), 'x')
  await until(() => checks.changed > before, 2000)
})

test('a check that fails is repeated with the same changes, but no sooner than a routine check', async (t) => {
  const times: number[] = []
  const watcher = watchFolder(await temporaryFolder(t), async (hasChanged) => {
    if (hasChanged) times.push(performance.now())
    throw new Error('no free file descriptors')
  })
  t.after(() => watcher.close())
  await until(() => times.length >= 3)
  assert.ok(times[2]! - times[1]! > 1000, `after ${times[2]! - times[1]!} ms`)
})

test('a folder that is created, moved and created again is watched', async (t) => {
  const { folder, checks } = await startWatching(t, 'later')
  await until(() => checks.routine > 0)
  await mkdir(folder)
  await until(() => checks.changed > 0)
  const before = checks.changed
  await rename(folder, `${folder}-moved`)
  await until(() => checks.changed > before)
  await mkdir(folder)
  const beforeFile = checks.changed
  await writeFile(join(folder, 'file'), 'x')
  await until(() => checks.changed > beforeFile)
  await rm(`${folder}-moved`, { recursive: true })
})

test('a subfolder that is created in the same clock tick as another change is watched', async (t) => {
  const { folder, checks } = await startWatching(t)
  await until(() => checks.changed > 0)
  // Many file systems give the same time to changes within a few milliseconds.
  const moment = new Date('2024-01-01')
  utimesSync(folder, moment, moment)
  await until(() => checks.changed > 1)
  mkdirSync(join(folder, 'new'))
  utimesSync(folder, moment, moment)
  await until(() => checks.changed > 2)
  const before = checks.changed
  await writeFile(join(folder, 'new', 'file'), 'x')
  await until(() => checks.changed > before)
})

test('a folder that changes all the time is still checked', async (t) => {
  const { folder, checks } = await startWatching(t)
  await until(() => checks.changed > 0)
  const start = checks.changed
  let count = 0
  const writing = setInterval(() => writeFileSync(join(folder, `file-${count++}`), 'x'), 50)
  // Not in `after`, which would run after the folder is removed.
  await until(() => checks.changed - start >= 2).finally(() => clearInterval(writing))
})

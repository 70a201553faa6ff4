import assert from 'node:assert/strict'
import { mkdirSync, utimesSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { watchFolder } from '../../../src/platform/files/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { until } from '../../kit/until.ts'

async function watched(t: TestContext, name = '') {
  const root = await temporaryFolder(t)
  const folder = join(root, name)
  const seen = { sure: 0, routine: 0 }
  const watching = watchFolder(folder, async (surely) => {
    seen[surely ? 'sure' : 'routine']++
  })
  t.after(() => watching.stop())
  return { folder, seen }
}

test('a change in a folder made later is noticed within two seconds', async (t) => {
  const { folder, seen } = await watched(t)
  await until(() => seen.sure > 0)
  await mkdir(join(folder, 'new', 'deep'), { recursive: true })
  await until(() => seen.sure > 1, 2000)
  const before = seen.sure
  await writeFile(join(folder, 'new', 'deep', 'file'), 'x')
  await until(() => seen.sure > before, 2000)
})

test('a folder that appears, goes and comes back is followed', async (t) => {
  const { folder, seen } = await watched(t, 'later')
  await until(() => seen.routine > 0, 3000)
  await mkdir(folder)
  await until(() => seen.sure > 0, 2000)
  const before = seen.sure
  await rename(folder, `${folder}-away`)
  await until(() => seen.sure > before, 2000)
  await mkdir(folder)
  const beforeFile = seen.sure
  await writeFile(join(folder, 'file'), 'x')
  await until(() => seen.sure > beforeFile, 2000)
  await rm(`${folder}-away`, { recursive: true })
})

test('a folder made in the same moment as another change is followed', async (t) => {
  const { folder, seen } = await watched(t)
  await until(() => seen.sure > 0)
  // As many file systems show it: what comes within a few milliseconds has the same time.
  const moment = new Date('2024-01-01')
  utimesSync(folder, moment, moment)
  await until(() => seen.sure > 1)
  mkdirSync(join(folder, 'new'))
  utimesSync(folder, moment, moment)
  await until(() => seen.sure > 2)
  const before = seen.sure
  await writeFile(join(folder, 'new', 'file'), 'x')
  await until(() => seen.sure > before, 2000)
})

test('a folder that never rests is still looked at', async (t) => {
  const { folder, seen } = await watched(t)
  await until(() => seen.sure > 0)
  const start = seen.sure
  for (let i = 0; i < 20; i++) {
    await writeFile(join(folder, `file-${i}`), 'x')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.ok(seen.sure - start >= 2, `${seen.sure - start} looks`)
})

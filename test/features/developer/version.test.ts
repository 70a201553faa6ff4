import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readVersion } from '../../../src/features/developer/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'

test('the commit is that of the build of an image, unless a git clone runs; a build without one has null', async (t) => {
  const folder = await temporaryFolder(t)
  const readCommit = async () => (await readVersion(folder)).commit
  await writeFile(join(folder, 'package.json'), '{ "version": "1.2.3" }')
  assert.equal(await readCommit(), null)
  await mkdir(join(folder, 'dist'))
  await writeFile(join(folder, 'dist', 'commit'), '\n')
  assert.equal(await readCommit(), null)
  await writeFile(join(folder, 'dist', 'commit'), `${'a'.repeat(40)}\n`)
  assert.equal(await readCommit(), 'a'.repeat(40))
  await mkdir(join(folder, '.git'))
  await writeFile(join(folder, '.git', 'HEAD'), `${'b'.repeat(40)}\n`)
  assert.equal(await readCommit(), 'b'.repeat(40))
})

import assert from 'node:assert/strict'
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeAtomically } from '../../../src/platform/files/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'

test('a file that is replaced can be read by whoever could read it before', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'releases.yaml')
  await writeFile(file, 'old')
  await chmod(file, 0o664)
  const before = process.umask(0o077)
  t.after(() => void process.umask(before))
  await writeAtomically(file, 'new')
  assert.equal(await readFile(file, 'utf8'), 'new')
  assert.equal((await stat(file)).mode & 0o777, 0o664)
  await writeAtomically(join(folder, 'fresh.yaml'), 'new')
  assert.equal((await stat(join(folder, 'fresh.yaml'))).mode & 0o777, 0o600, 'a new one follows the umask')
  assert.deepEqual((await readdir(folder)).sort(), ['fresh.yaml', 'releases.yaml'])
})

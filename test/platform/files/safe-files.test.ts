import assert from 'node:assert/strict'
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { isPlainName, resolveInside, writeAtomically } from '../../../src/platform/files/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'

test('a plain name resolves to a file inside the folder', async (t) => {
  const root = await temporaryFolder(t)
  await mkdir(join(root, 'a'))
  await writeFile(join(root, 'a', 'b.txt'), '')
  assert.equal(await resolveInside(root, 'a/b.txt'), join(root, 'a', 'b.txt'))
})

test('no name leads outside the folder', async (t) => {
  const outer = await temporaryFolder(t)
  const root = join(outer, 'root')
  await mkdir(join(root, 'sub'), { recursive: true })
  await writeFile(join(outer, 'secret'), '')
  await writeFile(join(root, '.hidden'), '')
  await symlink(join(outer, 'secret'), join(root, 'link'))
  await symlink(outer, join(root, 'folder-link'))
  const names = [
    '..',
    '../secret',
    'sub/../../secret',
    '/etc/passwd',
    '.hidden',
    'link',
    'folder-link/secret',
    'a\\..\\b',
  ]
  for (const name of [...names, '', '.', 'sub/', '/', 'sub//x', 'link\0', 'x'.repeat(5000)]) {
    assert.equal(await resolveInside(root, name), undefined, name)
  }
})

test('a link that stays inside is followed', async (t) => {
  const root = await temporaryFolder(t)
  await writeFile(join(root, 'real.txt'), '')
  await symlink('real.txt', join(root, 'alias.txt'))
  assert.equal(await resolveInside(root, 'alias.txt'), join(root, 'real.txt'))
})

test('names with spaces, quotes and emoji are plain', () => {
  for (const name of ['a b', `it's "x"`, '🐈.png', '100%.png']) assert.ok(isPlainName(name), name)
})

test('replacing a file keeps its permissions; a new file gets those of the umask', async (t) => {
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
  assert.equal((await stat(join(folder, 'fresh.yaml'))).mode & 0o777, 0o600)
  assert.deepEqual((await readdir(folder)).sort(), ['fresh.yaml', 'releases.yaml'])
})

import assert from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { inside, isPlainName } from '../../../src/platform/files/index.ts'
import { temporaryFolder } from '../../kit/folder.ts'

test('a plain name is found inside its folder', async (t) => {
  const root = await temporaryFolder(t)
  await mkdir(join(root, 'a'))
  await writeFile(join(root, 'a', 'b.txt'), '')
  assert.equal(await inside(root, 'a/b.txt'), join(root, 'a', 'b.txt'))
})

test('no name gets outside', async (t) => {
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
    assert.equal(await inside(root, name), undefined, name)
  }
})

test('a link that stays inside is followed', async (t) => {
  const root = await temporaryFolder(t)
  await writeFile(join(root, 'real.txt'), '')
  await symlink('real.txt', join(root, 'alias.txt'))
  assert.equal(await inside(root, 'alias.txt'), join(root, 'real.txt'))
})

test('names with spaces, quotes and emoji are plain', () => {
  for (const name of ['a b', `it's "x"`, '🐈.png', '100%.png']) assert.ok(isPlainName(name), name)
})

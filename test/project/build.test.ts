import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { removeOldFiles } from '../../scripts/remove-old-files.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { writeFiles } from '../kit/releases.ts'

test('a build keeps the files of the last builds, which a running service may still load, and removes older ones', async (t) => {
  const root = await temporaryFolder(t)
  const folder = join(root, 'dist')
  await mkdir(folder)
  const build = async (name: string) => {
    const files = ['main.js', `chunk-${name}.js`]
    await writeFiles(folder, Object.fromEntries(files.map((file) => [file, ''])))
    await removeOldFiles(folder, files, join(root, 'files.json'))
    return (await readdir(folder)).filter((file) => file.endsWith('.js')).sort()
  }
  // Of a version that wrote no list.
  await writeFiles(folder, { 'chunk-0.js': '' })
  assert.deepEqual(await build('1'), ['chunk-0.js', 'chunk-1.js', 'main.js'])
  for (const name of ['2', '2', '2', '2', '2', '2']) await build(name)
  assert.deepEqual(await build('3'), ['chunk-0.js', 'chunk-1.js', 'chunk-2.js', 'chunk-3.js', 'main.js'])
  for (const name of ['4', '5', '6']) await build(name)
  assert.deepEqual(await build('7'), ['chunk-3.js', 'chunk-4.js', 'chunk-5.js', 'chunk-6.js', 'chunk-7.js', 'main.js'])
})

test('files of the last build stay, also if the new one has a part of them, or their list is incomplete', async (t) => {
  const root = await temporaryFolder(t)
  const [folder, list] = [join(root, 'dist'), join(root, 'files.json')]
  await mkdir(folder)
  const files = ['main.js', 'chunk-1.js', 'chunk-2.js']
  await writeFiles(folder, Object.fromEntries(files.map((file) => [file, ''])))
  await removeOldFiles(folder, files, list)
  for (const text of [await readFile(list, 'utf8'), '[["main.js",']) {
    await writeFile(list, text)
    await removeOldFiles(folder, files.slice(0, 2), list)
    assert.deepEqual((await readdir(folder)).filter((file) => file.endsWith('.js')).sort(), files.toSorted())
    // They are not published.
    assert.equal(await readFile(join(folder, '.npmignore'), 'utf8'), 'chunk-2.js')
  }
})

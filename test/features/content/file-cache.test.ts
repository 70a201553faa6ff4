import assert from 'node:assert/strict'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFileCache } from '../../../src/features/content/file-cache.ts'
import { openTestContent, writeSettledFiles } from '../../kit/content.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { tinyPng } from '../../kit/pictures.ts'

const log = { info() {}, warn() {}, error() {} }
/** The first line of a cache file, as `file-cache.ts` writes it. */
const HEADER = 'menagerie content cache 3'
const stamp = { size: 1, mtimeMs: 2.5 }

test('the second start uses the cached results of files whose size and time did not change', async (t) => {
  const { root, dir, content, open } = await openTestContent(t, {
    'animals/cat/a.png': tinyPng(1),
    'animals/cat/b.png': 'no picture',
  })
  await content.close()
  const cacheFile = join(root, 'data', 'content-cache')
  const first = await open({ cacheFile })
  const picked = first.pick('animals', 'cat').file
  const problems = first.problems()
  assert.equal(problems.length, 1)
  await first.close()
  // Other bytes with the same size and time: only reading them would show it.
  await writeSettledFiles(dir, { 'animals/cat/a.png': tinyPng(2), 'animals/cat/b.png': 'no PICTURE' })
  const second = await open({ cacheFile })
  assert.equal(second.pick('animals', 'cat').file, picked)
  assert.deepEqual(second.problems(), problems)
  await second.close()
  await writeFile(join(dir, 'animals/cat/a.png'), tinyPng(2))
  const third = await open({ cacheFile })
  assert.notEqual(third.pick('animals', 'cat').file, picked)
})

test('a cache file that is damaged, of another version or not writable is ignored', async (t) => {
  const { root, dir, content, open } = await openTestContent(t, { 'animals/cat/a.png': tinyPng(1) })
  await content.close()
  const cacheFile = join(root, 'cache')
  const countWith = async (file: string) => {
    const opened = await open({ cacheFile: file })
    const { count } = opened.catalogue().animals[0] ?? {}
    await opened.close()
    return count
  }
  const path = JSON.stringify(join(dir, 'animals/cat/a.png'))
  const damaged = {
    'an empty file': '',
    'another version': `menagerie content cache 1\n[${path},1,2,{}]\n`,
    'bytes that are not text': '\0\xff\n[',
    'an incomplete header': HEADER.slice(0, 10),
    'a line that was cut off': `${HEADER}\n[${path},1,2`,
    'JSON that is not an entry': `${HEADER}\nnull\n7\n{}\n[]\n"text"\n`,
    'an entry with too few or too many fields': `${HEADER}\n[${path},1,2]\n[${path},1,2,{},3]\n`,
    'an entry of a removed file': `${HEADER}\n[${path},-1,0,null]\n`,
    'an entry for another size and time': `${HEADER}\n[${path},1,2,{}]\n`,
  }
  for (const [damage, bytes] of Object.entries(damaged)) {
    await writeFile(cacheFile, bytes)
    assert.equal(await countWith(cacheFile), 1, damage)
  }
  assert.equal(await countWith(join(cacheFile, 'below-a-file')), 1)
})

test('the last entry of a path is valid, and entries of removed files are dropped', async (t) => {
  const file = join(await temporaryFolder(t), 'cache')
  const opened = async () => openFileCache<{ n: number }>(file, log)
  const first = await opened()
  for (let n = 0; n < 3000; n++) first.put(`/gone/${n}`, stamp, { n })
  first.put('/here', stamp, { n: 1 })
  first.put('/here', stamp, { n: 2 })
  await first.close()
  const second = await opened()
  assert.deepEqual(second.take('/here', stamp), { result: { n: 2 }, isCurrent: true })
  assert.equal(second.take('/gone/1', { ...stamp, size: 3 })?.isCurrent, false)
  second.dropRest()
  await second.close()
  const third = await opened()
  assert.equal(third.take('/gone/2', stamp), undefined)
  assert.deepEqual(third.take('/here', stamp)?.result, { n: 2 })
  await third.close()
  const lines = (await readFile(file, 'utf8')).split('\n')
  assert.ok(lines.length < 100, `${lines.length} lines`)
})

test('a process that only reads the cache leaves the file unchanged', async (t) => {
  const file = join(await temporaryFolder(t), 'cache')
  const writer = await openFileCache<{ n: number }>(file, log)
  writer.put('/here', stamp, { n: 1 })
  await writer.close()
  const before = await readFile(file, 'utf8')
  const reader = await openFileCache<{ n: number }>(file, log, { isWritable: false })
  assert.deepEqual(reader.take('/here', stamp)?.result, { n: 1 })
  reader.put('/there', stamp, { n: 2 })
  reader.dropRest()
  await reader.close()
  assert.equal(await readFile(file, 'utf8'), before)
})

test('a read-only content folder is served', async (t) => {
  const { dir, open } = await openTestContent(t, { 'animals/cat/a.png': tinyPng(1), 'string/8ball.txt': 'yes' })
  const folders = ['animals/cat', 'animals', 'string', '.'].map((folder) => join(dir, folder))
  for (const folder of folders) await chmod(folder, 0o555)
  try {
    const content = await open()
    assert.equal(content.catalogue().animals[0]?.count, 1)
    assert.equal(content.pick('string', '8ball').text, 'yes')
  } finally {
    for (const folder of folders.toReversed()) await chmod(folder, 0o755)
  }
})

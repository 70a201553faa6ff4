import assert from 'node:assert/strict'
import { appendFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createAnimalsFolder } from '../../../src/features/content/animals-folder.ts'
import type { FileEntry } from '../../../src/features/content/content-file.ts'
import { openFileCache } from '../../../src/features/content/file-cache.ts'
import { acceptEntries } from '../../../src/platform/files/index.ts'
import { LONG_AGO, openTestContent, writeSettledFiles } from '../../kit/content.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { createNoisyImage, tinyPng } from '../../kit/pictures.ts'
import { silentLog } from '../../kit/releases.ts'
import { until } from '../../kit/until.ts'

const WITHIN_MS = 2000
type Content = Awaited<ReturnType<typeof openTestContent>>['content']

const files = (content: Content) => [...content.pictures()].map(({ file }) => file).sort()
const count = (content: Content, kind: string) =>
  content.catalogue().animals.find((summary) => summary.kind === kind)?.count

test('a picture that is added, replaced or removed changes the content within two seconds', async (t) => {
  const { dir, content } = await openTestContent(t, { 'animals/cat/a.png': tinyPng(1) })
  const file = join(dir, 'animals/cat/b.png')
  let changes = 0
  content.onChange(() => changes++)

  await writeFile(file, tinyPng(2))
  await until(() => count(content, 'cat') === 2, WITHIN_MS)
  const [old] = content.pickMany('animals', 'cat', 2).filter(({ file }) => file.startsWith('b-'))

  await writeFile(file, await createNoisyImage('png', 9, 9))
  await until(() => content.pickMany('animals', 'cat', 2).some(({ width }) => width === 9), WITHIN_MS)
  await assert.rejects(async () => content.media('cat', old!.file), { code: 'MEDIA_NOT_FOUND' })

  await rm(file)
  await until(() => count(content, 'cat') === 1, WITHIN_MS)
  assert.ok(changes >= 3)
})

test('a new folder with a picture is a new kind, until it is removed', async (t) => {
  const { dir, content } = await openTestContent(t, {})
  const folder = join(dir, 'animals', 'red-panda')
  await mkdir(folder, { recursive: true })
  await writeSettledFiles(dir, { 'animals/otter/a.png': tinyPng(1) })
  await until(() => content.kinds('animals').includes('otter'), WITHIN_MS)
  assert.ok(!content.kinds('animals').includes('red-panda'), 'an empty folder is not a kind')
  await writeFile(join(folder, 'first.webp'), await createNoisyImage('webp'))
  await until(() => content.kinds('animals').includes('red-panda'), WITHIN_MS)
  assert.equal(content.pick('animals', 'red-panda').credit().alt, 'red panda')
  await rm(folder, { recursive: true })
  await until(() => !content.kinds('animals').includes('red-panda'), WITHIN_MS)
})

test('pictures whose removal was confirmed before they were counted are not missed', async (t) => {
  const dir = await temporaryFolder(t)
  const pictures = Object.fromEntries([1, 2, 3].map((n) => [`animals/otter/${n}.png`, tinyPng(n)]))
  await writeSettledFiles(dir, pictures)
  const cache = await openFileCache<FileEntry>(undefined, silentLog)
  const animals = createAnimalsFolder({ path: join(dir, 'animals'), cache, onPublish() {}, onProblem() {} })
  t.after(() => animals.close())
  await animals.scan()
  await animals.whenIndexed()
  await acceptEntries(dir, { 'animals/otter': 0 })
  const acceptedAt = Date.now()
  await until(() => Date.now() > acceptedAt)
  await animals.scan()
  assert.equal(animals.entryCounts()[0]?.now, 3)
  for (const name of Object.keys(pictures)) await rm(join(dir, name))
  await until(async () => {
    await animals.scan()
    return animals.entryCounts()[0]?.now === 0
  })
  assert.deepEqual(animals.problems(), [])
})

test('a partly copied file is never served, however slow the copy is', async (t) => {
  const { dir, content } = await openTestContent(t, { 'animals/cat/a.png': tinyPng(1) })
  const whole = await createNoisyImage('jpeg', 300, 300)
  const file = join(dir, 'animals/cat/slow.jpg')
  const seen = new Set<number>()
  content.onChange(() => {
    for (const { size, file } of content.pickMany('animals', 'cat', 2)) {
      if (file.startsWith('slow')) seen.add(size!)
    }
  })
  const part = Math.ceil(whole.length / 6)
  for (let at = 0; at < whole.length; at += part) {
    await assert.rejects(async () => content.media('cat', 'slow.jpg'), { code: 'MEDIA_NOT_FOUND' })
    await appendFile(file, whole.subarray(at, at + part))
    // During a long pause the part is read, and is a broken picture.
    if (at === 2 * part) await until(() => content.problems().length === 1, WITHIN_MS)
    else await setTimeout(100)
  }
  await until(() => count(content, 'cat') === 2, WITHIN_MS)
  assert.deepEqual([...seen], [whole.length])
  assert.deepEqual(content.problems(), [])
})

test('a file that is being written is not read, even if its start is a complete picture', async (t) => {
  const { dir, content } = await openTestContent(t, { 'animals/cat/a.png': tinyPng(1) })
  const file = join(dir, 'animals/cat/growing.png')
  // Synchronous: a pause of this process must not make the file look settled.
  writeFileSync(file, tinyPng(2))
  for (let i = 0; i < 25; i++) {
    await setTimeout(20)
    assert.equal(count(content, 'cat'), 1)
    appendFileSync(file, 'more')
  }
  await until(() => count(content, 'cat') === 2, WITHIN_MS)
})

test('a picture that breaks is removed and reported, and comes back when it is complete', async (t) => {
  const { dir, content } = await openTestContent(t, {
    'animals/cat/a.png': tinyPng(1),
    'animals/cat/b.png': tinyPng(2),
  })
  const file = join(dir, 'animals/cat/b.png')
  writeFileSync(file, tinyPng(2).subarray(0, 40))
  await until(() => content.problems().length === 1, WITHIN_MS)
  assert.deepEqual(files(content), ['animals/cat/a.png'])
  writeFileSync(file, tinyPng(3))
  await until(() => count(content, 'cat') === 2, WITHIN_MS)
  assert.deepEqual(content.problems(), [])
})

test('the content folder may be removed and come back', async (t) => {
  const { dir, content } = await openTestContent(t, {
    'animals/cat/a.png': tinyPng(1),
    'string/8ball.txt': 'only this',
    'kaomoji/own.txt': '(own)',
  })
  await rename(dir, `${dir}-moved`)
  await until(() => count(content, 'cat') === 0 && content.problems()[0]?.rule === 'missing', WITHIN_MS)
  assert.match(content.pick('animals', 'cat').file, /^~/)
  assert.equal(content.pick('string', '8ball').text, 'only this')
  assert.equal(content.pick('kaomoji', 'own').text, '(own)')
  assert.equal(content.problems().length, 1)
  await rename(`${dir}-moved`, dir)
  await until(() => count(content, 'cat') === 1, WITHIN_MS)
  await until(() => content.problems().length === 0, WITHIN_MS)
})

test('an edit in place that keeps the size is noticed', async (t) => {
  const { dir, content } = await openTestContent(t, { 'animals/cat/a.png': tinyPng(1), 'kaomoji/cat.txt': '(a)' })
  const before = content.pick('animals', 'cat').file
  await writeFile(join(dir, 'animals/cat/a.png'), tinyPng(9))
  await writeFile(join(dir, 'kaomoji/cat.txt'), '(b)')
  await until(() => content.pick('animals', 'cat').file !== before && count(content, 'cat') === 1, WITHIN_MS)
  await until(() => content.pick('kaomoji', 'cat').text === '(b)', WITHIN_MS)
})

test('new pictures appear even while the folder changes continuously', async (t) => {
  const { dir, content } = await openTestContent(t, { 'animals/cat/0.png': tinyPng(0) })
  let last = 0
  const writing = setInterval(() => writeFileSync(join(dir, `animals/cat/${++last}.png`), tinyPng(last)), 100)
  t.after(() => clearInterval(writing))
  // A folder that changes all the time is still checked.
  await until(() => count(content, 'cat')! > 1, WITHIN_MS)
  clearInterval(writing)
  await until(() => count(content, 'cat') === last + 1, WITHIN_MS)
})

test('a file that is truncated before it is rewritten is not read in between', async (t) => {
  const { dir, content } = await openTestContent(t, {
    'animals/cat/a.png': tinyPng(1),
    'animals/cat/credits.yaml': 'a.png: { author: Ann }\n',
    'kaomoji/cat.txt': '(a)',
  })
  const seen = new Set<number>()
  const watching = setInterval(() => seen.add(content.problems().length), 5)
  t.after(() => clearInterval(watching))
  const files = ['animals/cat/credits.yaml', 'kaomoji/cat.txt'].map((name) => join(dir, name))
  // Causes a check soon after the files were truncated.
  for (const folder of ['animals/cat', 'kaomoji']) writeFileSync(join(dir, folder, 'note.md'), '')
  await setTimeout(100)
  // Some file systems briefly show a truncated file with its old time.
  for (const file of files) {
    writeFileSync(file, '')
    utimesSync(file, LONG_AGO, LONG_AGO)
  }
  await setTimeout(150)
  writeFileSync(files[0]!, 'a.png: { author: Bea }\n')
  writeFileSync(files[1]!, '(b)')
  const author = () => content.pick('animals', 'cat').credit().author
  await until(() => author() === 'Bea' && content.pick('kaomoji', 'cat').text === '(b)', WITHIN_MS)
  assert.deepEqual([...seen], [0])
})

test('a list that is moved away and rewritten does not disappear in between', async (t) => {
  const { dir, content } = await openTestContent(t, { 'kaomoji/own.txt': '(a)', 'kaomoji/other.txt': '(o)' })
  const file = join(dir, 'kaomoji/own.txt')
  const seen = new Set<boolean>()
  const watching = setInterval(() => seen.add(content.kinds('kaomoji').includes('own')), 5)
  t.after(() => clearInterval(watching))
  renameSync(file, `${file}~`)
  await setTimeout(150)
  writeFileSync(file, '(b)')
  await until(() => content.pick('kaomoji', 'own').text === '(b)', WITHIN_MS)
  assert.deepEqual([...seen], [true])
})

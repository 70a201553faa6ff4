import assert from 'node:assert/strict'
import { appendFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs'
import { appendFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { contentOf, LONG_AGO } from '../../kit/content.ts'
import { noisy, tinyPng } from '../../kit/pictures.ts'
import { until } from '../../kit/until.ts'

const WITHIN = 2000
type Content = Awaited<ReturnType<typeof contentOf>>['content']

const files = (content: Content) => [...content.pictures()].map(({ file }) => file).sort()
const count = (content: Content, kind: string) =>
  content.catalogue().animals.find((summary) => summary.kind === kind)?.count

test('a picture that is added, replaced or deleted shows within two seconds', async (t) => {
  const { dir, content } = await contentOf(t, { 'animals/cat/a.png': tinyPng(1) })
  const file = join(dir, 'animals/cat/b.png')
  let changes = 0
  content.onChange(() => changes++)

  await writeFile(file, tinyPng(2))
  await until(() => count(content, 'cat') === 2, WITHIN)
  const [old] = content.pickMany('animals', 'cat', 2).filter(({ file }) => file?.startsWith('b-'))

  await writeFile(file, await noisy('png', 9, 9))
  await until(
    () => content.pickMany('animals', 'cat', 2).some(({ itemJson }) => JSON.parse(itemJson!).width === 9),
    WITHIN,
  )
  await assert.rejects(async () => content.media('cat', old!.file!), { code: 'MEDIA_NOT_FOUND' })

  await rm(file)
  await until(() => count(content, 'cat') === 1, WITHIN)
  assert.ok(changes >= 3)
})

test('a new kind is a new folder, and goes with it', async (t) => {
  const { dir, content } = await contentOf(t, {})
  const folder = join(dir, 'animals', 'red-panda')
  await mkdir(folder, { recursive: true })
  await setTimeout(400)
  assert.ok(!content.kinds('animals').includes('red-panda'), 'an empty folder is no kind')
  await writeFile(join(folder, 'first.webp'), await noisy('webp'))
  await until(() => content.kinds('animals').includes('red-panda'), WITHIN)
  assert.match(content.pick('animals', 'red-panda').itemJson!, /"alt":"red panda"/)
  await rm(folder, { recursive: true })
  await until(() => !content.kinds('animals').includes('red-panda'), WITHIN)
})

test('a half-copied file is never served, however slowly it comes', async (t) => {
  const { dir, content } = await contentOf(t, { 'animals/cat/a.png': tinyPng(1) })
  const whole = await noisy('jpeg', 300, 300)
  const file = join(dir, 'animals/cat/slow.jpg')
  const seen = new Set<number>()
  content.onChange(() => {
    for (const { itemJson, file } of content.pickMany('animals', 'cat', 2)) {
      if (file?.startsWith('slow')) seen.add(JSON.parse(itemJson!).size)
    }
  })
  const part = Math.ceil(whole.length / 6)
  for (let at = 0; at < whole.length; at += part) {
    await assert.rejects(async () => content.media('cat', 'slow.jpg'), { code: 'MEDIA_NOT_FOUND' })
    await appendFile(file, whole.subarray(at, at + part))
    await setTimeout(at === 2 * part ? 900 : 150)
  }
  await until(() => count(content, 'cat') === 2, WITHIN)
  assert.deepEqual([...seen], [whole.length])
  assert.deepEqual(content.problems(), [])
})

test('a file that is still written to waits, though its beginning is a whole picture', async (t) => {
  const { dir, content } = await contentOf(t, { 'animals/cat/a.png': tinyPng(1) })
  const file = join(dir, 'animals/cat/growing.png')
  // At once and not by a thread: so no pause of this process lets it seem to be at rest.
  writeFileSync(file, tinyPng(2))
  for (let i = 0; i < 40; i++) {
    await setTimeout(20)
    assert.equal(count(content, 'cat'), 1)
    appendFileSync(file, 'more')
  }
  await until(() => count(content, 'cat') === 2, WITHIN)
})

test('a picture that becomes broken is taken out and named, and comes back when it is whole', async (t) => {
  const { dir, content } = await contentOf(t, { 'animals/cat/a.png': tinyPng(1), 'animals/cat/b.png': tinyPng(2) })
  const file = join(dir, 'animals/cat/b.png')
  writeFileSync(file, tinyPng(2).subarray(0, 40))
  await until(() => content.problems().length === 1, WITHIN)
  assert.deepEqual(files(content), ['animals/cat/a.png'])
  writeFileSync(file, tinyPng(3))
  await until(() => count(content, 'cat') === 2, WITHIN)
  assert.deepEqual(content.problems(), [])
})

test('the folder may go while it is served, and come back', async (t) => {
  const { dir, content } = await contentOf(t, {
    'animals/cat/a.png': tinyPng(1),
    'string/8ball.txt': 'only this',
    'kaomoji/own.txt': '(own)',
  })
  await rename(dir, `${dir}-away`)
  await until(() => count(content, 'cat') === 0 && content.problems()[0]?.rule === 'missing', WITHIN)
  assert.match(content.pick('animals', 'cat').message, /\/~/)
  assert.equal(content.pick('string', '8ball').message, 'only this')
  assert.equal(content.pick('kaomoji', 'own').message, '(own)')
  assert.equal(content.problems().length, 1)
  await rename(`${dir}-away`, dir)
  await until(() => count(content, 'cat') === 1, WITHIN)
  await until(() => content.problems().length === 0, WITHIN)
})

test('an edit that stays the same in size and comes in place is seen too', async (t) => {
  const { dir, content } = await contentOf(t, { 'animals/cat/a.png': tinyPng(1), 'kaomoji/cat.txt': '(a)' })
  const before = content.pick('animals', 'cat').message
  await writeFile(join(dir, 'animals/cat/a.png'), tinyPng(9))
  await writeFile(join(dir, 'kaomoji/cat.txt'), '(b)')
  await until(() => content.pick('animals', 'cat').message !== before && count(content, 'cat') === 1, WITHIN)
  await until(() => content.pick('kaomoji', 'cat').message === '(b)', WITHIN)
})

test('pictures arriving one after the other show as they come', async (t) => {
  const { dir, content } = await contentOf(t, { 'animals/cat/0.png': tinyPng(0) })
  let last = 0
  const writing = setInterval(() => writeFileSync(join(dir, `animals/cat/${++last}.png`), tinyPng(last)), 100)
  t.after(() => clearInterval(writing))
  // A folder that changes all the time is still looked at.
  await until(() => count(content, 'cat')! > 1, WITHIN)
  clearInterval(writing)
  await until(() => count(content, 'cat') === last + 1, WITHIN)
})

test('a file that is emptied before it is written anew is not read meanwhile', async (t) => {
  const { dir, content } = await contentOf(t, {
    'animals/cat/a.png': tinyPng(1),
    'animals/cat/credits.yaml': 'a.png: { author: Ann }\n',
    'kaomoji/cat.txt': '(a)',
  })
  const seen = new Set<number>()
  const watching = setInterval(() => seen.add(content.problems().length), 5)
  t.after(() => clearInterval(watching))
  const files = ['animals/cat/credits.yaml', 'kaomoji/cat.txt'].map((name) => join(dir, name))
  // So a look comes soon after the files were emptied.
  for (const folder of ['animals/cat', 'kaomoji']) writeFileSync(join(dir, folder, 'note.md'), '')
  await setTimeout(100)
  // As some file systems show it for a moment: empty, with the time of what was there before.
  for (const file of files) {
    writeFileSync(file, '')
    utimesSync(file, LONG_AGO, LONG_AGO)
  }
  await setTimeout(150)
  writeFileSync(files[0]!, 'a.png: { author: Bea }\n')
  writeFileSync(files[1]!, '(b)')
  const author = () => JSON.parse(content.pick('animals', 'cat').itemJson!).author
  await until(() => author() === 'Bea' && content.pick('kaomoji', 'cat').message === '(b)', WITHIN)
  assert.deepEqual([...seen], [0])
})

test('a list that is put away and written anew is not missed', async (t) => {
  const { dir, content } = await contentOf(t, { 'kaomoji/own.txt': '(a)', 'kaomoji/other.txt': '(o)' })
  const file = join(dir, 'kaomoji/own.txt')
  const seen = new Set<boolean>()
  const watching = setInterval(() => seen.add(content.kinds('kaomoji').includes('own')), 5)
  t.after(() => clearInterval(watching))
  renameSync(file, `${file}~`)
  await setTimeout(150)
  writeFileSync(file, '(b)')
  await until(() => content.pick('kaomoji', 'own').message === '(b)', WITHIN)
  assert.deepEqual([...seen], [true])
})

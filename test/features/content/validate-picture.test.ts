import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { validatePicture } from '../../../src/features/content/validate-picture.ts'
import { openTestContent } from '../../kit/content.ts'
import { createRandomGif, writeGif } from '../../kit/gif-animation.ts'
import { createAnimation, createNoisyImage, type FileType, tinyPng } from '../../kit/pictures.ts'

const types: FileType[] = ['jpeg', 'png', 'webp', 'gif', 'avif']

/** The rule that each file breaks, in a folder with one more, good picture. */
async function rulesOf(t: Parameters<typeof openTestContent>[0], files: Record<string, Uint8Array | string>) {
  const named = Object.entries(files).map(([name, bytes]) => [`animals/cat/${name}`, bytes])
  const { content, logged } = await openTestContent(t, {
    ...Object.fromEntries(named),
    'animals/cat/good.png': tinyPng(7),
  })
  const served = [...content.pictures()].map(({ file }) => file.slice('animals/cat/'.length))
  const problems = content.problems()
  await content.close()
  for (const { file } of problems) assert.ok(logged.some(({ fields }) => 'file' in fields && fields.file === file))
  const rules = Object.fromEntries(problems.map(({ file, rule }) => [file.slice('animals/cat/'.length), rule]))
  return { served, rules }
}

for (const type of types) {
  test(`a ${type} that is cut off anywhere is not served and is reported`, async (t) => {
    const whole = await createNoisyImage(type)
    const cuts = [1, 2, 3, 8, 12, 13, 100, whole.length >> 1, whole.length - 50]
    const files = Object.fromEntries(cuts.map((cut) => [`cut-${cut}.${type}`, whole.subarray(0, whole.length - cut)]))
    const { served, rules } = await rulesOf(t, { ...files, [`whole.${type}`]: whole })
    assert.deepEqual(served.sort(), ['good.png', `whole.${type}`])
    assert.deepEqual(Object.keys(rules).sort(), Object.keys(files).sort())
    assert.deepEqual(new Set(Object.values(rules)), new Set(['broken']))
  })
}

for (const type of ['gif', 'webp'] as const) {
  test(`an animated ${type} that is cut off between frames is not served`, async (t) => {
    const whole = await createAnimation(type)
    const cuts = [1, 2, 20, whole.length >> 1]
    const files = Object.fromEntries(cuts.map((cut) => [`cut-${cut}.${type}`, whole.subarray(0, whole.length - cut)]))
    const { served } = await rulesOf(t, { ...files, [`whole.${type}`]: whole })
    assert.deepEqual(served.sort(), ['good.png', `whole.${type}`])
  })
}

test('a picture with the extension of another type is not served', async (t) => {
  const files: Record<string, Buffer> = {}
  for (const type of types)
    for (const name of types) if (type !== name) files[`${type}-as.${name}`] = await createNoisyImage(type)
  const { served, rules } = await rulesOf(t, files)
  assert.deepEqual(served, ['good.png'])
  assert.deepEqual(rules, Object.fromEntries(Object.keys(files).map((name) => [name, 'disguised'])))
})

test('a file that is not a picture is not served and is reported', async (t) => {
  const png = await createNoisyImage('png')
  const damaged = Buffer.from(png)
  damaged[png.length >> 1]! ^= 1
  const { served, rules } = await rulesOf(t, {
    'empty.png': '',
    'page.jpg': '<html></html>',
    'drawing.png': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'head.jpg': Buffer.concat([(await createNoisyImage('jpeg')).subarray(0, 20), Buffer.alloc(3000, 7)]),
    'head.webp': Buffer.concat([Buffer.from('RIFF\xff\x0f\0\0WEBPVP8 ', 'latin1'), Buffer.alloc(4000, 9)]),
    'head.gif': Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(300, 5)]),
    'damaged.png': damaged,
    'huge.png': Buffer.alloc(32 * 2 ** 20 + 1),
    'program.exe': 'MZ',
    '~drawn.png': tinyPng(9),
    'notes.txt': 'notes are ignored',
    LICENSE: 'this too',
  })
  assert.deepEqual(served, ['good.png'])
  assert.deepEqual(rules, {
    ...{
      'empty.png': 'type',
      'page.jpg': 'type',
      'drawing.png': 'type',
      'huge.png': 'size',
      'program.exe': 'extension',
    },
    ...{
      'head.jpg': 'broken',
      'head.webp': 'broken',
      'head.gif': 'broken',
      'damaged.png': 'broken',
      '~drawn.png': 'name',
    },
  })
})

test('a GIF has the size of its canvas, even if its frame is smaller', async () => {
  const gif = createRandomGif(1)
  const frames = gif.frames.slice(0, 1)
  const result = await validatePicture('a.gif', writeGif({ ...gif, width: 640, height: 480, frames }))
  assert.ok('picture' in result)
  assert.deepEqual([result.picture.width, result.picture.height], [640, 480])
})

test('a picture with too many pixels is rejected without decoding it', async (t) => {
  const bomb = Buffer.from(tinyPng(1))
  const { rules } = await rulesOf(t, { 'bomb.png': await enlarged(bomb, 30_000, 30_000) })
  assert.deepEqual(rules, { 'bomb.png': 'pixels' })
})

/** Changes the size in the header of a PNG and corrects the checksum. */
async function enlarged(png: Buffer, width: number, height: number): Promise<Buffer> {
  const { crc32 } = await import('node:zlib')
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(height, 20)
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  return png
}

test('a folder, a pipe and a name that is not UTF-8 are reported and do not block anything', async (t) => {
  const { dir, open } = await openTestContent(t, { 'animals/cat/good.png': tinyPng(7) })
  const folder = join(dir, 'animals/cat')
  await mkdir(join(folder, 'folder.png'))
  execFileSync('mkfifo', [join(folder, 'pipe.png')])
  execFileSync('bash', ['-c', `cp "$0/good.png" "$0/"$'bad\\xff.png'`, folder])
  const content = await open()
  const rules = content.problems().map(({ rule }) => rule)
  assert.deepEqual(rules.sort(), ['file', 'file', 'name'])
  assert.equal(content.catalogue().animals[0]?.count, 1)
})

test('a folder whose name cannot be a kind is a problem', async (t) => {
  const names = ['Cat', 'two words', '__proto__', 'ünï', 'a.b', 'x'.repeat(65)]
  const { content } = await openTestContent(
    t,
    Object.fromEntries(names.map((name) => [`animals/${name}/a.png`, tinyPng(1)])),
  )
  const problems = content.problems()
  assert.deepEqual(problems.map(({ file }) => file).sort(), names.map((name) => `animals/${name}`).sort())
  assert.deepEqual(new Set(problems.map(({ rule }) => rule)), new Set(['kind-name']))
  assert.deepEqual(content.kinds('animals'), ['cat', 'dog', 'fox', 'fish', 'alpaca', 'bird'])
})

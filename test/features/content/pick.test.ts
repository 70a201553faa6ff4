import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { NothingMatches, UnknownKind } from '../../../src/errors/index.ts'
import { openTestContent } from '../../kit/content.ts'
import { createNoisyImage, type FileType, tinyPng } from '../../kit/pictures.ts'
import { until } from '../../kit/until.ts'

const textsOf = (items: { text: string }[]) => items.map(({ text }) => text)
const filesOf = (items: { file: string }[]) => items.map(({ file }) => file)

test('an unknown kind is an error that lists the kinds that exist', async (t) => {
  const { content } = await openTestContent(t, { 'kaomoji/red-panda.txt': '(o)' })
  for (const kind of ['__proto__', 'constructor', 'CAT', 'cat/', 'сat', '', 'toString']) {
    const details = { allowed: content.kinds('kaomoji') }
    assert.throws(() => content.pick('kaomoji', kind), { code: 'UNKNOWN_KIND', status: 404, details }, kind)
    assert.throws(() => content.pickMany('animals', kind, 2), UnknownKind, kind)
    await assert.rejects(async () => content.media(kind, '~seed.webp'), { code: 'MEDIA_NOT_FOUND' }, kind)
  }
  assert.deepEqual(content.kinds('kaomoji'), ['cat', 'dog', 'owo', 'uwu', 'love', 'red-panda'])
})

test('a picture has type, dimensions, size and credit, and its file can be read', async (t) => {
  const picture = await createNoisyImage('webp', 31, 17)
  const { content } = await openTestContent(t, { 'animals/cat/tom.webp': picture })
  const picked = content.pick('animals', 'cat')
  const { kind, id, type, width, height, size } = picked
  assert.deepEqual([kind, type, width, height, size], ['cat', 'webp', 31, 17, picture.length])
  assert.deepEqual(picked.credit(), { alt: 'cat', tags: [], author: null, license: null, source: null })
  assert.equal(picked.file, `tom-${id}.webp`)
  const media = await content.media('cat', picked.file)
  assert.deepEqual(media.open(), picture)
})

test('a rotated photo has the dimensions of the upright picture', async (t) => {
  const photo = await sharp(await createNoisyImage('jpeg', 60, 40))
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const { content } = await openTestContent(t, { 'animals/cat/a.jpg': photo })
  const { width, height } = content.pick('animals', 'cat')
  assert.deepEqual([width, height], [40, 60])
})

test('pictures can be picked by type; if none matches, the error lists the types that exist', async (t) => {
  const types: FileType[] = ['jpeg', 'png', 'webp', 'gif', 'avif']
  const named = await Promise.all(
    types.map(async (type) => [`animals/fox/a.${type}`, await createNoisyImage(type)] as const),
  )
  const { content } = await openTestContent(t, { ...Object.fromEntries(named), 'animals/fox/b.png': tinyPng(1) })
  const pickedTypes = (options: object) =>
    new Set(content.pickMany('animals', 'fox', 30, options).map(({ type }) => type))
  assert.deepEqual(pickedTypes({}), new Set(types))
  for (let subset = 1; subset < 2 ** types.length; subset++) {
    const chosen = types.filter((_, bit) => subset & (1 << bit))
    const others = types.filter((type) => !chosen.includes(type))
    assert.deepEqual(pickedTypes({ types: chosen }), new Set(chosen))
    assert.deepEqual(pickedTypes({ exclude: others }), new Set(chosen))
    assert.equal(content.pick('animals', 'fox', { types: [chosen[0]!] }).type, chosen[0])
  }
  for (const options of [{ exclude: types }, { types: ['svg'] }, { types: ['gif'], exclude: ['gif'] }, { types: [] }]) {
    const details = { available: types.toSorted() }
    assert.throws(() => content.pick('animals', 'fox', options), { code: 'NOTHING_MATCHES', status: 404, details })
  }
})

test('several items do not repeat before all were picked', async (t) => {
  const { content } = await openTestContent(t, {
    'kaomoji/cat.txt': Array.from({ length: 10 }, (_, i) => `(${i})`).join('\n'),
  })
  assert.equal(new Set(textsOf(content.pickMany('kaomoji', 'cat', 10))).size, 10)
  const many = textsOf(content.pickMany('kaomoji', 'cat', 25))
  assert.equal(many.length, 25)
  assert.equal(new Set(many.slice(10, 20)).size, 10)
})

test('a seed picks the same items again, also after a restart and for a single item', async (t) => {
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`animals/dog/${i}.png`, tinyPng(i)]))
  const { content, open } = await openTestContent(t, files)
  const restarted = await open()
  for (const seed of ['', 'today', 's'.repeat(10_240)]) {
    for (const kind of ['dog', 'cat']) {
      const chosen = filesOf(content.pickMany('animals', kind, 5, { seed }))
      assert.deepEqual(filesOf(restarted.pickMany('animals', kind, 5, { seed })), chosen)
      assert.equal(content.pick('animals', kind, { seed }).file, chosen[0])
      assert.equal(new Set(chosen).size, 5)
    }
  }
})

test('a kind without pictures has drawings: a new one each time, each with a permanent file', async (t) => {
  const { content } = await openTestContent(t, {})
  for (const kind of content.kinds('animals')) {
    const drawn = content.pickMany('animals', kind, 50)
    assert.equal(new Set(filesOf(drawn)).size, 50)
    const { type, width, height, file } = drawn[0]!
    const media = await content.media(kind, file)
    const found = await sharp(media.open() as Buffer).metadata()
    assert.deepEqual([found.format, found.width, found.height], [type, width, height])
    assert.equal(media.type, 'image/webp')
    assert.match(drawn[0]!.credit().alt, new RegExp(kind))
    assert.ok(media.immutable)
  }
})

test('a picked drawing is webp, png or svg; its file exists in every type', async (t) => {
  const { content } = await openTestContent(t, {})
  assert.match(content.pick('animals', 'cat', { types: ['svg', 'png'] }).file, /\.png$/)
  assert.match(content.pick('animals', 'cat', { exclude: ['webp', 'png'] }).file, /\.svg$/)
  assert.throws(() => content.pick('animals', 'cat', { types: ['gif'] }), NothingMatches)
  for (const [type, mime] of [
    ['webp', 'image/webp'],
    ['png', 'image/png'],
    ['svg', 'image/svg+xml'],
    ['jpeg', 'image/jpeg'],
    ['jpg', 'image/jpeg'],
    ['gif', 'image/gif'],
    ['avif', 'image/avif'],
  ] as const) {
    assert.equal((await content.media('cat', `~Any_Seed-64.${type}`)).type, mime)
  }
})

test('any text of 1 to 200 characters is the seed of a drawing', async (t) => {
  const { content } = await openTestContent(t, { 'animals/dog/a.png': tinyPng(1) })
  const seeds = [
    'a b',
    'a.b',
    'Zoë 🦊',
    '100%',
    '<svg onload="x">',
    '../../package',
    'a/b',
    '.',
    'x.png',
    '🦊'.repeat(200),
  ]
  for (const seed of seeds) {
    const { type, immutable } = await content.media('cat', `~${seed}.svg`)
    assert.deepEqual([type, immutable], ['image/svg+xml', true], seed)
  }
  const tooLong = `~${'x'.repeat(201)}.webp`
  const names = [
    '~.webp',
    '~',
    '~seed',
    '~seed.bmp',
    '~seed.exe',
    '~a\0.webp',
    '~a\n.webp',
    'seed.webp',
    '../~a.webp',
    tooLong,
  ]
  for (const file of names) {
    await assert.rejects(async () => content.media('cat', file), { code: 'MEDIA_NOT_FOUND' }, file)
  }
  // After the drawing of `a/b` was cached: a kind that contains a slash is not another name for it.
  await assert.rejects(async () => content.media('cat/~a', 'b.svg'), { code: 'MEDIA_NOT_FOUND' })
})

test('a drawing can still be read when its kind has pictures', async (t) => {
  const { content } = await openTestContent(t, { 'animals/cat/a.png': tinyPng(1) })
  assert.equal((await content.media('cat', '~seed.webp')).type, 'image/webp')
})

test('an entry "drawings" in the credits mixes pictures and drawings', async (t) => {
  const files = { 'animals/cat/a.png': tinyPng(1), 'animals/cat/b.png': tinyPng(2) }
  const { dir, content } = await openTestContent(t, { ...files, 'animals/cat/credits.yaml': 'drawings: {}\n' })
  const isDrawing = ({ file }: { file: string }) => file.startsWith('~')
  const many = content.pickMany('animals', 'cat', 40)
  const pictures = many.filter((item) => !isDrawing(item))
  assert.deepEqual([many.length, new Set(pictures.map(({ file }) => file)).size], [40, 2], 'no picture is repeated')
  assert.equal(pictures.length, 2)
  const single = Array.from({ length: 40 }, () => isDrawing(content.pick('animals', 'cat')))
  assert.deepEqual(new Set(single), new Set([true, false]))
  assert.ok(isDrawing(content.pick('animals', 'cat', { types: ['svg'] })), 'only drawings are SVG')
  assert.throws(() => content.pick('animals', 'cat', { types: ['gif'] }), { code: 'NOTHING_MATCHES' })
  assert.deepEqual(content.problems(), [])
  await rm(join(dir, 'animals/cat/credits.yaml'))
  await until(() => content.pickMany('animals', 'cat', 40).every((item) => !isDrawing(item)))
})

test('any picks each kind equally often, however many items it has, and repeats nothing before all were picked', async (t) => {
  const { content } = await openTestContent(t, {
    'kaomoji/cat.txt': Array.from({ length: 200 }, (_, i) => `cat ${i}`).join('\n'),
    ...Object.fromEntries(['dog', 'owo', 'uwu', 'love'].map((kind) => [`kaomoji/${kind}.txt`, kind])),
    'animals/otter/a.png': tinyPng(1),
  })
  const options = { acceptsAny: true }
  const counts = new Map<string, number>()
  for (let i = 0; i < 5000; i++) {
    const { kind } = content.pick('kaomoji', 'any', options)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  // 1000 each; six standard deviations are 170.
  assert.equal(counts.size, 5)
  for (const [kind, count] of counts) assert.ok(Math.abs(count - 1000) < 170, `${kind}: ${count}`)
  const many = content.pickMany('kaomoji', 'any', 50, options)
  assert.equal(new Set(textsOf(many)).size, 50)
  assert.equal(new Set(many.map(({ kind }) => kind)).size, 5)

  const gifs = () => content.pick('animals', 'any', { ...options, types: ['gif'] })
  assert.throws(gifs, { code: 'NOTHING_MATCHES', details: { available: ['webp', 'png', 'svg'] } })
  const animals = new Set(content.pickMany('animals', 'any', 200, options).map(({ kind }) => kind))
  assert.deepEqual(animals, new Set(content.kinds('animals')))
  assert.throws(() => content.pick('animals', 'any'), UnknownKind)
})

test('any cannot be the name of a kind', async (t) => {
  const { content } = await openTestContent(t, { 'kaomoji/any.txt': 'x', 'animals/any/a.png': tinyPng(1) })
  assert.deepEqual(
    content
      .problems()
      .map(({ file, rule }) => [file, rule])
      .sort(),
    [
      ['animals/any', 'kind-name'],
      ['kaomoji/any.txt', 'kind-name'],
    ],
  )
  assert.ok(!content.kinds('animals').includes('any'))
})

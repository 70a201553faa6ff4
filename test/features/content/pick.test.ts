import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { NothingMatches, UnknownKind } from '../../../src/errors/index.ts'
import { contentOf } from '../../kit/content.ts'
import { type FileType, noisy, tinyPng } from '../../kit/pictures.ts'

const textsOf = (items: { message: string }[]) => items.map(({ message }) => message)
const item = (picked: { itemJson?: string }) => JSON.parse(picked.itemJson!)

test('a kind that does not exist is refused with those that do', async (t) => {
  const { content } = await contentOf(t, { 'kaomoji/red-panda.txt': '(o)' })
  for (const kind of ['__proto__', 'constructor', 'CAT', 'cat/', 'сat', '', 'toString']) {
    const facts = { allowed: content.kinds('kaomoji') }
    assert.throws(() => content.pick('kaomoji', kind), { code: 'UNKNOWN_KIND', status: 404, facts }, kind)
    assert.throws(() => content.pickMany('animals', kind, 2), UnknownKind, kind)
    await assert.rejects(async () => content.media(kind, '~seed.webp'), { code: 'MEDIA_NOT_FOUND' }, kind)
  }
  assert.deepEqual(content.kinds('kaomoji'), ['cat', 'dog', 'owo', 'uwu', 'love', 'red-panda'])
})

test('a picture comes with its facts, and its path leads to it', async (t) => {
  const picture = await noisy('webp', 31, 17)
  const { content } = await contentOf(t, { 'animals/cat/tom.webp': picture })
  const picked = content.pick('animals', 'cat')
  const { id, ...facts } = item(picked)
  assert.deepEqual(facts, {
    ...{ type: 'webp', width: 31, height: 17, size: picture.length },
    ...{ alt: 'cat', author: null, license: null, source: null },
  })
  assert.equal(picked.message, `/media/animals/cat/tom-${id}.webp`)
  const media = await content.media('cat', picked.file!)
  assert.deepEqual(media.open(), picture)
})

test('a photo taken sideways has the size that people see', async (t) => {
  const photo = await sharp(await noisy('jpeg', 60, 40))
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const { content } = await contentOf(t, { 'animals/cat/a.jpg': photo })
  const { width, height } = item(content.pick('animals', 'cat'))
  assert.deepEqual([width, height], [40, 60])
})

test('pictures are chosen by type, and nothing left is said with what there is', async (t) => {
  const types: FileType[] = ['jpeg', 'png', 'webp', 'gif', 'avif']
  const named = await Promise.all(types.map(async (type) => [`animals/fox/a.${type}`, await noisy(type)] as const))
  const { content } = await contentOf(t, { ...Object.fromEntries(named), 'animals/fox/b.png': tinyPng(1) })
  const pickedTypes = (wish: object) =>
    new Set(content.pickMany('animals', 'fox', 30, wish).map((picked) => item(picked).type))
  assert.deepEqual(pickedTypes({}), new Set(types))
  for (let subset = 1; subset < 2 ** types.length; subset++) {
    const chosen = types.filter((_, bit) => subset & (1 << bit))
    const others = types.filter((type) => !chosen.includes(type))
    assert.deepEqual(pickedTypes({ types: chosen }), new Set(chosen))
    assert.deepEqual(pickedTypes({ exclude: others }), new Set(chosen))
    assert.equal(item(content.pick('animals', 'fox', { types: [chosen[0]!] })).type, chosen[0])
  }
  for (const wish of [{ exclude: types }, { types: ['svg'] }, { types: ['gif'], exclude: ['gif'] }, { types: [] }]) {
    const facts = { available: types.toSorted() }
    assert.throws(() => content.pick('animals', 'fox', wish), { code: 'NOTHING_MATCHES', status: 404, facts })
  }
})

test('several have no repeats while there are enough, and then start again', async (t) => {
  const { content } = await contentOf(t, {
    'kaomoji/cat.txt': Array.from({ length: 10 }, (_, i) => `(${i})`).join('\n'),
  })
  assert.equal(new Set(textsOf(content.pickMany('kaomoji', 'cat', 10))).size, 10)
  const many = textsOf(content.pickMany('kaomoji', 'cat', 25))
  assert.equal(many.length, 25)
  assert.equal(new Set(many.slice(10, 20)).size, 10)
})

test('a seed chooses the same again, also after a restart and for a single item', async (t) => {
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`animals/dog/${i}.png`, tinyPng(i)]))
  const { content, open } = await contentOf(t, files)
  const restarted = await open()
  for (const seed of ['', 'today', 's'.repeat(10_240)]) {
    for (const kind of ['dog', 'cat']) {
      const chosen = textsOf(content.pickMany('animals', kind, 5, { seed }))
      assert.deepEqual(textsOf(restarted.pickMany('animals', kind, 5, { seed })), chosen)
      assert.equal(content.pick('animals', kind, { seed }).message, chosen[0])
      assert.equal(new Set(chosen).size, 5)
    }
  }
})

test('a kind without pictures is drawn: another picture each time, each of them there for ever', async (t) => {
  const { content } = await contentOf(t, {})
  for (const kind of content.kinds('animals')) {
    const drawn = content.pickMany('animals', kind, 50)
    assert.equal(new Set(textsOf(drawn)).size, 50)
    const { type, width, height, alt } = item(drawn[0]!)
    const media = await content.media(kind, drawn[0]!.file!)
    const found = await sharp(media.open() as Buffer).metadata()
    assert.deepEqual([found.format, found.width, found.height], [type, width, height])
    assert.equal(media.type, 'image/webp')
    assert.match(alt, new RegExp(kind))
    assert.ok(media.immutable)
  }
})

test('a drawing comes as webp, png or svg by wish, and as nothing else', async (t) => {
  const { content } = await contentOf(t, {})
  assert.match(content.pick('animals', 'cat', { types: ['svg', 'png'] }).message, /\.png$/)
  assert.match(content.pick('animals', 'cat', { exclude: ['webp', 'png'] }).message, /\.svg$/)
  assert.throws(() => content.pick('animals', 'cat', { types: ['gif'] }), NothingMatches)
  for (const [type, mime] of [
    ['webp', 'image/webp'],
    ['png', 'image/png'],
    ['svg', 'image/svg+xml'],
  ] as const) {
    assert.equal((await content.media('cat', `~Any_Seed-64.${type}`)).type, mime)
  }
  for (const file of ['~.webp', '~a b.webp', '~seed.gif', `~${'x'.repeat(65)}.webp`, '~../x.webp', 'seed.webp']) {
    await assert.rejects(async () => content.media('cat', file), { code: 'MEDIA_NOT_FOUND' }, file)
  }
})

test('a drawing stays reachable when its kind has got pictures', async (t) => {
  const { content } = await contentOf(t, { 'animals/cat/a.png': tinyPng(1) })
  assert.equal((await content.media('cat', '~seed.webp')).type, 'image/webp')
})

test('texts and videos are ready to be put into JSON', async (t) => {
  const { content } = await contentOf(t, {
    'string/8ball.txt': 'Say "no" \\ or 🐈',
    'yt-video/own.yaml': '- { id: 0Bmhjf0rKe8, title: "A \\"cat\\"" }',
  })
  const text = content.pick('string', '8ball')
  const bytes = Buffer.from(`"${text.messageJson}"`, 'latin1')
  assert.equal(JSON.parse(bytes.toString()), 'Say "no" \\ or 🐈')
  assert.equal(text.itemJson, undefined)
  const video = content.pick('yt-video', 'own')
  assert.equal(video.message, 'https://www.youtube.com/watch?v=0Bmhjf0rKe8')
  assert.deepEqual(item(video), { id: '0Bmhjf0rKe8', title: 'A "cat"' })
})

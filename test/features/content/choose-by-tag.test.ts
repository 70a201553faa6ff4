import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createArtist } from '../../../src/features/content/index.ts'
import { Picture, PictureIndex } from '../../../src/features/content/picture-index.ts'
import { createSecureRandom } from '../../../src/features/content/random.ts'
import { openTestContent } from '../../kit/content.ts'
import { createNoisyImage, tinyPng } from '../../kit/pictures.ts'
import { until } from '../../kit/until.ts'

const want = (...wanted: string[]) => ({ tags: { wanted, unwanted: [] } })
const stemsOf = (items: { file: string }[]) => new Set(items.map(({ file }) => file[0]))
const NOTHING = { code: 'NOTHING_MATCHES', status: 404 }

const CREDITS = `default: { tags: [small] }
a.png: { tags: [sleeping, hat] }
b.png: { tags: [sleeping] }
c.png: { tags: [hat, hat] }
`

test('pictures are found by wanted and unwanted tags, also after the credits changed', async (t) => {
  const files = Object.fromEntries([...'abcde'].map((name, i) => [`animals/cat/${name}.png`, tinyPng(i)]))
  const { dir, content } = await openTestContent(t, { ...files, 'animals/cat/credits.yaml': CREDITS })
  const find = (wanted: string[], unwanted: string[] = []) =>
    stemsOf(content.pickMany('animals', 'cat', 20, { tags: { wanted, unwanted } }))
  assert.deepEqual(find(['sleeping']), new Set('ab'))
  assert.deepEqual(find(['sleeping', 'hat']), new Set('a'))
  assert.deepEqual(find(['sleeping'], ['hat']), new Set('b'))
  assert.deepEqual(find([], ['sleeping']), new Set('cde'))
  assert.deepEqual(find(['small'], ['unknown']), new Set('de'))
  const details = { available: ['png'], availableTags: ['sleeping', 'hat', 'small'] }
  for (const tags of [['unicorn'], ['hat', 'small'], ['constructor']])
    assert.throws(() => content.pick('animals', 'cat', want(...tags)), { ...NOTHING, details })
  assert.throws(() => content.pick('animals', 'cat', { ...want('hat'), types: ['gif'] }), NOTHING)

  await writeFile(join(dir, 'animals/cat/credits.yaml'), 'd.png: { tags: [unicorn] }\n')
  const ofAll = () => content.pickMany('animals', 'cat', 5).flatMap((item) => item.credit().tags)
  await until(() => ofAll().includes('unicorn'))
  assert.deepEqual(find(['unicorn']), new Set('d'))
  assert.throws(() => find(['sleeping']), NOTHING)
  await writeFile(join(dir, 'animals/cat/e.png.yaml'), 'tags: [unicorn]\n')
  await until(() => find(['unicorn']).size === 2)
  await rm(join(dir, 'animals/cat/d.png'))
  await until(() => !find(['unicorn']).has('d'))
})

test('pictures are found by orientation', async (t) => {
  const { content } = await openTestContent(t, {
    'animals/cat/l.png': await createNoisyImage('png', 9, 5),
    'animals/cat/p.png': await createNoisyImage('png', 5, 9),
  })
  for (const [orientation, name] of [
    ['landscape', 'l'],
    ['portrait', 'p'],
  ] as const)
    assert.deepEqual(stemsOf(content.pickMany('animals', 'cat', 9, { orientation })), new Set(name))
  const details = { available: ['png'], availableOrientations: ['landscape', 'portrait'] }
  assert.throws(() => content.pick('animals', 'cat', { orientation: 'square' }), { ...NOTHING, details })
  assert.equal(content.pick('animals', 'dog', { orientation: 'square' }).width, 512, 'drawings are square')
  assert.throws(() => content.pick('animals', 'dog', { orientation: 'portrait' }), NOTHING)
  const options = { acceptsAny: true, orientation: 'portrait' } as const
  assert.equal(content.pick('animals', 'any', options).file[0], 'p')
})

test('avoided items are not picked', async (t) => {
  const { content } = await openTestContent(t, {
    'kaomoji/cat.txt': 'a\nb\nc',
    'animals/cat/a.png': tinyPng(1),
    'animals/cat/b.png': tinyPng(2),
    'animals/cat/same.png': tinyPng(2),
  })
  const [first] = content.pickMany('animals', 'cat', 3).filter(({ file }) => file.startsWith('a'))
  const others = content.pickMany('animals', 'cat', 6, { avoid: new Set([first!.id, 'unknown']) })
  assert.deepEqual(stemsOf(others), new Set('bs'))
  const all = new Set(content.pickMany('animals', 'cat', 3).map(({ id }) => id))
  assert.throws(() => content.pick('animals', 'cat', { avoid: all }), { ...NOTHING, details: { available: ['png'] } })

  const drawing = content.pick('animals', 'dog', { seed: 'x' })
  const next = content.pick('animals', 'dog', { seed: 'x', avoid: new Set([drawing.id]) })
  assert.equal(next.id, content.pickMany('animals', 'dog', 2, { seed: 'x' })[1]!.id, 'the next one of the seed')
})

test('of many pictures, each that matches is picked equally often, whether many match or few', async (t) => {
  const COUNT = 600
  const files = Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`animals/cat/${i}.png`, tinyPng(i)]))
  // Two pictures have no tag.
  const credits = Array.from({ length: COUNT - 2 }, (_, i) => `${i}.png: { tags: [${i % 2 === 0 ? 'even' : 'odd'}] }`)
  const { content } = await openTestContent(t, { ...files, 'animals/cat/credits.yaml': credits.join('\n') })
  const even = content.pickMany('animals', 'cat', 299, { tags: { wanted: ['even'], unwanted: ['odd'] } })
  assert.equal(new Set(even.map(({ file }) => file)).size, 299)
  const counts = new Map<string, number>()
  for (let i = 0; i < 400; i++) {
    const { file } = content.pick('animals', 'cat', { tags: { wanted: [], unwanted: ['odd', 'even'] } })
    counts.set(file, (counts.get(file) ?? 0) + 1)
  }
  // 200 each; six standard deviations are 60.
  assert.equal(counts.size, 2)
  for (const [file, count] of counts) assert.ok(Math.abs(count - 200) < 60, `${file}: ${count}`)
})

test('a search among many pictures reads the tags of few of them', () => {
  let reads = 0
  const credit = {
    ...{ alt: '', author: null, license: null, source: null },
    get tags() {
      reads++
      return ['common', 'frequent']
    },
  }
  const info = { id: '', type: 'png', width: 1, height: 1 } as const
  const pictures = Array.from(
    { length: 5000 },
    (_, i) => new Picture('cat', `${i}.png`, { size: 1, mtimeMs: 0 }, info, credit),
  )
  const index = new PictureIndex(pictures)
  const pick = (wanted: string[], unwanted: string[]) =>
    index.pick({ tags: { wanted, unwanted } }, createSecureRandom())
  assert.notEqual(pick(['common'], []), undefined)
  reads = 0
  assert.equal(pick([], ['a', 'b', 'common']), undefined)
  assert.equal(pick(['frequent'], ['common']), undefined)
  assert.ok(reads < 1000, `${reads}`)
})

test('drawings are found by the tags that they have', async (t) => {
  const { content } = await openTestContent(t, {}, { artist: createArtist() })
  const { tags } = content.pick('animals', 'cat', { seed: 'a' }).credit()
  const wanted = tags.slice(0, 3)
  const found = content.pickMany('animals', 'cat', 5, { ...want(...wanted) })
  assert.equal(new Set(found.map(({ id }) => id)).size, 5)
  for (const item of found)
    assert.deepEqual(
      wanted.filter((tag) => !item.credit().tags.includes(tag)),
      [],
    )
  const seeded = () => content.pickMany('animals', 'fox', 3, { seed: 's', ...want('shiny') }).map(({ id }) => id)
  assert.deepEqual(seeded(), seeded())
  const unwanted = content.pickMany('animals', 'any', 40, { acceptsAny: true, tags: { wanted: [], unwanted: ['cat'] } })
  assert.deepEqual(new Set(unwanted.map(({ kind }) => kind)), new Set(['dog', 'fox', 'fish', 'alpaca', 'bird']))
  const allFish = content.pickMany('animals', 'any', 5, { acceptsAny: true, ...want('fish') })
  assert.deepEqual(new Set(allFish.map(({ kind }) => kind)), new Set(['fish']))
  assert.throws(
    () => content.pick('animals', 'cat', want('unicorn')),
    (error: { details: { availableTags: string[] } }) => error.details.availableTags.includes('shiny'),
  )
})

test('an error lists all tags of a drawn kind; if there are more tags than it lists, it says so', async (t) => {
  const artist = createArtist()
  const { content } = await openTestContent(t, {}, { artist })
  const fail = (kind: string): { message: string; details: { availableTags: string[] } } => {
    try {
      content.pick('animals', kind, { ...want('unicorn'), acceptsAny: true })
    } catch (error) {
      return error as ReturnType<typeof fail>
    }
    assert.fail('a unicorn was found')
  }
  for (const kind of artist.kinds) assert.deepEqual(fail(kind).details.availableTags, artist.listTags(kind), kind)
  assert.match(fail('dog').message, /and the tags in `availableTags`\.$/)
  const { message, details } = fail('any')
  assert.equal(details.availableTags.length, 200)
  assert.match(message, /and many tags, such as those in `availableTags`\.$/)
})

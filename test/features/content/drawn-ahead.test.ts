import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainArtist } from '../../kit/artist.ts'
import { contentOf } from '../../kit/content.ts'
import { tinyPng } from '../../kit/pictures.ts'
import { until } from '../../kit/until.ts'

/** Keeps the kinds of the drawings that were begun, and the seeds of those that are done. */
function countingArtist() {
  const [drawn, done]: [string[], string[]] = [[], []]
  const picture: typeof plainArtist.picture = async (kind, seed, ...rest) => {
    drawn.push(kind)
    const bytes = await plainArtist.picture(kind, seed, ...rest)
    done.push(seed)
    return bytes
  }
  return { drawn, done, artist: { ...plainArtist, picture } }
}

test('soon after the start a drawing of every kind is ready: its size is told, and its bytes are there', async (t) => {
  const { done, artist } = countingArtist()
  const { content } = await contentOf(t, {}, { artist, drawAhead: 1 })
  const kinds = content.kinds('animals')
  await until(() => done.length === kinds.length)
  for (const [kind, picked] of kinds.map((kind) => [kind, content.pick('animals', kind)] as const)) {
    const media = await content.media(kind, picked.file!)
    const { id, size } = JSON.parse(picked.itemJson!)
    assert.equal(size, media.size)
    assert.equal(done.filter((seed) => `~${seed}` === id).length, 1)
  }
})

test('each is given out once; when none is left the size is null, and more are drawn', async (t) => {
  const { content } = await contentOf(t, {}, { drawAhead: 3 })
  const size = () => JSON.parse(content.pick('animals', 'cat').itemJson!).size
  const many = content.pickMany('animals', 'cat', 50)
  assert.equal(new Set(many.map(({ message }) => message)).size, 50)
  assert.equal(JSON.parse(many.at(-1)!.itemJson!).size, null)
  await until(() => size() !== null)
})

test('a seed draws the same whatever waits, and other types are drawn when they are asked for', async (t) => {
  const { content } = await contentOf(t, {}, { drawAhead: 2 })
  const seeded = () => content.pick('animals', 'cat', { seed: 'x' }).message
  assert.equal(seeded(), seeded())
  assert.match(content.pick('animals', 'cat', { types: ['svg'] }).itemJson!, /"size":null/)
})

test('who wants to know the size of a drawing waits for it, unless many ask or it cannot be drawn', async (t) => {
  const { drawn, artist } = countingArtist()
  const { content } = await contentOf(t, {}, { artist })
  const sizes = async (count: number) => {
    const picked = content.pickMany('animals', 'cat', count, { types: ['png'] })
    await Promise.all(picked.map((item) => item.measure?.()))
    return picked.map(({ itemJson }) => JSON.parse(itemJson!).size)
  }
  const many = await sizes(50)
  assert.equal(many.filter((size) => size !== null).length, drawn.length)
  assert.ok(drawn.length > 0 && drawn.length < 50)
  await until(async () => (await sizes(1))[0] > 0)

  const broken = { ...plainArtist, picture: () => Promise.reject(new Error('no paper')) }
  const item = (await contentOf(t, {}, { artist: broken })).content.pick('animals', 'cat')
  await item.measure?.()
  assert.match(item.itemJson!, /"size":null/)
})

test('nothing is drawn ahead of a kind that has pictures, and drawing stops at its number', async (t) => {
  const { drawn, artist } = countingArtist()
  const { content } = await contentOf(t, { 'animals/cat/a.png': tinyPng(1) }, { artist, drawAhead: 2 })
  await until(() => drawn.length === 10)
  content.pick('animals', 'dog')
  await until(() => drawn.length === 11)
  assert.deepEqual(new Set(drawn), new Set(['dog', 'fox', 'fish', 'alpaca', 'bird']))
})

test('drawings are described while few ask, and named by their kind while many do', async (t) => {
  const { content } = await contentOf(t, {})
  const alts = (wish: object) =>
    content.pickMany('animals', 'fox', 500, wish).map(({ itemJson }) => JSON.parse(itemJson!).alt)
  const unseeded = alts({})
  assert.match(unseeded[0], /^A fox like a circle/)
  assert.equal(unseeded.at(-1), 'fox')
  assert.ok(
    alts({ seed: 'x' }).every((alt) => alt.startsWith('A fox like')),
    'a seed repeats the whole reply',
  )
  await until(() => alts({})[0] !== 'fox')
})

test('an artist that fails holds up nothing', async (t) => {
  const picture = () => Promise.reject(new Error('no paper'))
  const { content } = await contentOf(t, {}, { artist: { ...plainArtist, picture }, drawAhead: 2 })
  const picked = content.pick('animals', 'cat')
  assert.match(picked.itemJson!, /"size":null/)
  await assert.rejects(async () => content.media('cat', picked.file!), /no paper/)
})

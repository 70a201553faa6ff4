import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainArtist } from '../../kit/artist.ts'
import { openTestContent } from '../../kit/content.ts'
import { tinyPng } from '../../kit/pictures.ts'
import { until } from '../../kit/until.ts'

/** Records the kinds of renderings that were started, and the seeds of those that are done. */
function countingArtist() {
  const [started, done]: [string[], string[]] = [[], []]
  const render: typeof plainArtist.render = async (kind, seed, ...rest) => {
    started.push(kind)
    const bytes = await plainArtist.render(kind, seed, ...rest)
    done.push(seed)
    return bytes
  }
  return { started, done, artist: { ...plainArtist, render } }
}

test('soon after the first request one drawing of each kind is rendered, so its size is known', async (t) => {
  const { done, artist } = countingArtist()
  const { content } = await openTestContent(t, {}, { artist, pooledDrawings: 1 })
  const kinds = content.kinds('animals')
  content.pick('animals', 'cat')
  await until(() => done.length === kinds.length)
  for (const [kind, picked] of kinds.map((kind) => [kind, content.pick('animals', kind)] as const)) {
    const media = await content.media(kind, picked.file)
    const { id, size } = picked
    assert.equal(size, media.size)
    assert.equal(done.filter((seed) => `~${seed}` === id).length, 1)
  }
})

test('each pooled drawing is picked once; when the pool is empty the size is null until it is refilled', async (t) => {
  const { content } = await openTestContent(t, {}, { pooledDrawings: 3 })
  const size = () => content.pick('animals', 'cat').size
  const many = content.pickMany('animals', 'cat', 50)
  assert.equal(new Set(many.map(({ file }) => file)).size, 50)
  assert.equal(many.at(-1)!.size, null)
  await until(() => size() !== null)
})

test('the pool is not used for seeds and other types', async (t) => {
  const { content } = await openTestContent(t, {}, { pooledDrawings: 2 })
  const seeded = () => content.pick('animals', 'cat', { seed: 'x' }).file
  assert.equal(seeded(), seeded())
  assert.equal(content.pick('animals', 'cat', { types: ['svg'] }).size, null)
})

test('measuring renders a drawing, except under load or if rendering fails', async (t) => {
  const { started, artist } = countingArtist()
  const { content } = await openTestContent(t, {}, { artist })
  const sizes = async (count: number) => {
    const picked = content.pickMany('animals', 'cat', count, { types: ['png'] })
    await Promise.all(picked.map((item) => item.measure?.()))
    return picked.map(({ size }) => size)
  }
  const many = await sizes(50)
  assert.equal(many.filter((size) => size !== null).length, started.length)
  assert.ok(started.length > 0 && started.length < 50)
  await until(async () => (await sizes(1))[0]! > 0)

  const broken = { ...plainArtist, render: () => Promise.reject(new Error('no paper')) }
  const item = (await openTestContent(t, {}, { artist: broken })).content.pick('animals', 'cat')
  await item.measure?.()
  assert.equal(item.size, null)
})

test('the pool has no drawings of kinds with pictures, and is not filled beyond its size', async (t) => {
  const { started, artist } = countingArtist()
  const { content } = await openTestContent(t, { 'animals/cat/a.png': tinyPng(1) }, { artist, pooledDrawings: 1 })
  content.pick('animals', 'dog')
  await until(() => started.length === 5)
  content.pick('animals', 'dog')
  await until(() => started.length === 6)
  assert.deepEqual(new Set(started), new Set(['dog', 'fox', 'fish', 'alpaca', 'bird']))
})

test('under load the alt text of drawings is the name of the kind', async (t) => {
  const { content } = await openTestContent(t, {})
  const alts = (options: object) => content.pickMany('animals', 'fox', 500, options).map((item) => item.credit().alt)
  const unseeded = alts({})
  assert.match(unseeded[0]!, /^A fox like a circle/)
  assert.equal(unseeded.at(-1), 'fox')
  assert.ok(
    alts({ seed: 'x' }).every((alt) => alt.startsWith('A fox like')),
    'a seed repeats the whole reply',
  )
  await until(() => alts({})[0] !== 'fox')
})

test('an artist that fails does not prevent the start', async (t) => {
  const render = () => Promise.reject(new Error('no paper'))
  const { content } = await openTestContent(t, {}, { artist: { ...plainArtist, render }, pooledDrawings: 2 })
  const picked = content.pick('animals', 'cat')
  assert.equal(picked.size, null)
  await assert.rejects(async () => content.media('cat', picked.file), /no paper/)
})

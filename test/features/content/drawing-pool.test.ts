import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PictureItem } from '../../../src/features/content/index.ts'
import { plainArtist } from '../../kit/artist.ts'
import { openTestContent } from '../../kit/content.ts'
import { until } from '../../kit/until.ts'

type Render = typeof plainArtist.render

/** Records the renderings that were started. */
function recordingArtist(render: Render = plainArtist.render) {
  const started: { kind: string; seed: string; type: string; client: string | undefined }[] = []
  const record: Render = (kind, seed, type, client, options) => {
    started.push({ kind, seed, type, client })
    return render(kind, seed, type, client, options)
  }
  return { started, artist: { ...plainArtist, render: record } }
}

const complete = (items: readonly PictureItem[], client?: string) =>
  Promise.all(items.map(async (item) => (await item.complete?.(client)) ?? item))

test('the first requests share one drawing, and its size is that of the file', async (t) => {
  const { started, artist } = recordingArtist()
  const { content } = await openTestContent(t, {}, { artist, pooledDrawings: 3 })
  assert.deepEqual(started, [], 'the start renders nothing')
  const picked = await complete(Array.from({ length: 100 }, () => content.pick('animals', 'cat')))
  assert.equal(new Set(picked.map(({ file }) => file)).size, 1)
  const media = content.media('cat', picked[0]!.file)
  assert.ok(!(media instanceof Promise), 'it is in memory')
  assert.equal(picked[0]!.size, media.size)
})

test('the pool fills after the first request, and later requests need not wait', async (t) => {
  const { started, artist } = recordingArtist()
  const { content } = await openTestContent(t, {}, { artist, pooledDrawings: 5 })
  content.pick('animals', 'cat')
  const seen = new Set<string>()
  await until(() => {
    seen.add(content.pick('animals', 'cat').file)
    return seen.size >= 5
  })
  assert.ok(Array.from({ length: 100 }, () => content.pick('animals', 'cat')).every(({ size }) => size !== null))
  assert.deepEqual(new Set(started.map(({ kind }) => kind)), new Set(['cat']), 'only kinds that are requested')
})

test('a kind that is requested again is filled further, and others are not', async (t) => {
  const { started, artist } = recordingArtist()
  const { content } = await openTestContent(t, {}, { artist, pooledDrawings: 40 })
  for (const kind of ['cat', 'dog']) await complete(content.pickMany('animals', kind, 16))
  content.pick('animals', 'cat')
  // On a busy machine, a drawing that takes too long is replaced by an SVG.
  const count = (kind: string) => started.filter((other) => other.kind === kind && other.type !== 'svg').length
  await until(() => count('cat') === 32, 60_000)
  assert.equal(count('dog'), 16)
})

test('several drawings are different, and their sizes are known', async (t) => {
  const { content } = await openTestContent(t, {}, { pooledDrawings: 8 })
  for (const count of [8, 12]) {
    const picked = await complete(content.pickMany('animals', 'fox', count))
    assert.equal(new Set(picked.map(({ id }) => id)).size, count)
    for (const { file, size } of picked) assert.equal(size, (await content.media('fox', file)).size)
  }
})

test('while there are requests, old drawings are replaced; their links stay valid', async (t) => {
  const { started, artist } = recordingArtist()
  const { content } = await openTestContent(t, {}, { artist, pooledDrawings: 2 })
  const first = await complete(content.pickMany('animals', 'cat', 2))
  const isOld = ({ file }: PictureItem) => first.some((old) => old.file === file)
  await until(() => !content.pickMany('animals', 'cat', 2).some(isOld))
  const count = started.length
  for (const { file } of first) assert.ok(!(content.media('cat', file) instanceof Promise), 'still in the cache')
  assert.equal(started.length, count)
})

test('other types of random drawings use the seeds of the pool, each is rendered once', async (t) => {
  const { started, artist } = recordingArtist()
  const { content } = await openTestContent(t, {}, { artist, pooledDrawings: 4 })
  for (const type of ['png', 'svg']) {
    const picked = Array.from({ length: 100 }, () => content.pick('animals', 'dog', { types: [type] }))
    for (const item of picked) {
      await item.complete?.('10.0.0.1')
      assert.deepEqual([item.type, item.size], [type, (await content.media('dog', item.file)).size])
    }
    assert.equal(new Set(picked.map(({ id }) => id)).size, 4)
  }
  assert.equal(started.filter(({ client }) => client === '10.0.0.1').length, 8)
})

test('a seed picks the same drawings with their sizes, rendered for the client that requested them', async (t) => {
  const { started, artist } = recordingArtist()
  const { content } = await openTestContent(t, {}, { artist, pooledDrawings: 4 })
  const pick = () => complete(content.pickMany('animals', 'cat', 3, { seed: 'x' }), '10.0.0.1')
  const [first, second] = [await pick(), await pick()]
  assert.deepEqual(
    second.map(({ file, size }) => [file, size]),
    first.map(({ file, size }) => [file, size]),
  )
  assert.ok(first.every(({ size }) => size !== null))
  assert.deepEqual(
    started.map(({ client }) => client),
    ['10.0.0.1', '10.0.0.1', '10.0.0.1'],
  )
})

test('if drawings cannot be rendered, they are SVG; an explicit type reports the error', async (t) => {
  const failing = recordingArtist((kind, seed, type) =>
    type === 'svg' ? plainArtist.render(kind, seed, type) : Promise.reject(new Error('no paper')),
  )
  const { content } = await openTestContent(t, {}, { artist: failing.artist, pooledDrawings: 2 })
  const [picked] = await complete([content.pick('animals', 'cat')])
  assert.equal(picked!.type, 'svg')
  assert.equal(picked!.size, (await content.media('cat', picked!.file)).size)
  await assert.rejects(complete([content.pick('animals', 'cat', { types: ['png'] })]), /no paper/)
})

test('every drawing has its own alt text, tags and colour', async (t) => {
  const { content } = await openTestContent(t, {}, { pooledDrawings: 4 })
  for (const item of content.pickMany('animals', 'fox', 500)) {
    assert.ok(item.credit().alt.startsWith('A fox like a circle'))
    assert.match(item.color!, /^#[0-9a-f]{6}$/)
    assert.equal(item.credit(), item.credit(), 'described once')
  }
})

test('drawings are described when they are rendered, not in the request that shows one first', async (t) => {
  const described: string[] = []
  const describe: typeof plainArtist.describe = (kind, seed, options) => {
    described.push(seed)
    return plainArtist.describe(kind, seed, options)
  }
  const { content } = await openTestContent(t, {}, { artist: { ...plainArtist, describe }, pooledDrawings: 4 })
  content.pick('animals', 'cat')
  await until(() => content.pickMany('animals', 'cat', 4).every(({ size }) => size !== null))
  const known = described.length
  assert.ok(known >= 4)
  const picked = content
    .pickMany('animals', 'cat', 4)
    .filter(({ id }) => described.slice(0, known).includes(id.slice(1)))
  for (const item of picked) item.credit()
  assert.ok(picked.length > 0)
  assert.equal(described.length, known)
})

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { draw } from '../../../packages/artist/src/index.ts'
import { Busy } from '../../../src/errors/index.ts'
import { createArtist, type Media } from '../../../src/features/content/index.ts'
import type { ByteRange } from '../../../src/platform/files/index.ts'
import { plainArtist } from '../../kit/artist.ts'
import { openTestContent, writeSettledFiles } from '../../kit/content.ts'
import { createNoisyImage, oddNames, tinyPng } from '../../kit/pictures.ts'
import { until } from '../../kit/until.ts'

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

async function bytesOf(media: Media, range?: ByteRange): Promise<Buffer> {
  const opened = media.open(range && [range])
  return Buffer.isBuffer(opened) ? opened : buffer(opened)
}

/** Pixels that do not compress: a picture that is too large for the cache. */
const large = () =>
  sharp(randomBytes(900 * 900 * 3), { raw: { width: 900, height: 900, channels: 3 } })
    .png()
    .toBuffer()

test('the name with the digest is immutable, the original name is not, and both give the bytes', async (t) => {
  const picture = await createNoisyImage('jpeg')
  const { content } = await openTestContent(t, { 'animals/cat/tom.JPG': picture })
  const file = `tom-${sha256(picture).slice(0, 12)}.JPG`
  assert.equal(content.pick('animals', 'cat').file, file)
  for (const [name, immutable] of [
    [file, true],
    ['tom.JPG', false],
  ] as const) {
    const media = await content.media('cat', name)
    assert.deepEqual([media.type, media.size, media.immutable], ['image/jpeg', picture.length, immutable])
    assert.deepEqual(media.modifiedAt, new Date('2024-01-01'))
    assert.match(media.etag, /^"[0-9a-f]{12}"$/)
    assert.deepEqual(await bytesOf(media), picture)
  }
})

test('only pictures are served: no other digests, other kinds, paths out of the folder, lists or credits', async (t) => {
  const { content } = await openTestContent(t, {
    ...{
      'animals/cat/a.png': tinyPng(1),
      'animals/cat/credits.yaml': 'default: { author: A }',
      'animals/b.png': tinyPng(2),
    },
    ...{ 'animals/cat/cut.png': tinyPng(3).subarray(0, 30), 'animals/cat/.hidden.png': tinyPng(4) },
  })
  const names = [
    'a-000000000000.png',
    'a.gif',
    '',
    '.',
    '..',
    '../b.png',
    'credits.yaml',
    'cut.png',
    '.hidden.png',
    'a.png\0',
    'x/../a.png',
  ]
  for (const name of names)
    await assert.rejects(async () => content.media('cat', name), { code: 'MEDIA_NOT_FOUND' }, name)
  await assert.rejects(async () => content.media('dog', 'a.png'), { code: 'MEDIA_NOT_FOUND' })
})

test('ranges of small files, large files and drawings can be read', async (t) => {
  const [small, big] = [await createNoisyImage('png'), await large()]
  assert.ok(big.length > 2 ** 20)
  const { content } = await openTestContent(t, { 'animals/cat/small.png': small, 'animals/cat/big.png': big })
  const drawn = await bytesOf(await content.media('cat', '~x.webp'))
  for (const [name, whole] of [
    ['small.png', small],
    ['big.png', big],
    ['~x.webp', drawn],
  ] as const) {
    const media = await content.media('cat', name)
    assert.ok((await bytesOf(media)).equals(whole), name)
    for (const [start, end] of [
      [0, 0],
      [1, 99],
      [whole.length - 1, whole.length - 1],
      [5, whole.length - 1],
    ] as const) {
      assert.ok(
        (await bytesOf(media, { start, end })).equals(whole.subarray(start, end + 1)),
        `${name} ${start}-${end}`,
      )
    }
  }
})

test('bytes that changed on the disk are never served under the old digest', async (t) => {
  const files = { 'animals/cat/small.png': tinyPng(1), 'animals/cat/big.png': await large() }
  const { dir, content } = await openTestContent(t, files)
  const named = content.pickMany('animals', 'cat', 2).map(({ file }) => file)
  // The small one has the same size and time: only its digest differs.
  await writeSettledFiles(dir, { 'animals/cat/small.png': tinyPng(2) })
  await writeFile(join(dir, 'animals/cat/big.png'), await large())
  for (const file of named)
    await assert.rejects(async () => content.media('cat', file), { code: 'MEDIA_NOT_FOUND' }, file)
})

test('a picture that is damaged without another size or time is not offered after the first request, and reported', async (t) => {
  const picture = tinyPng(1)
  const { dir, content } = await openTestContent(t, {
    'animals/zebra/a.png': picture,
    'animals/zebra/b.png': tinyPng(2),
  })
  await writeSettledFiles(dir, { 'animals/zebra/a.png': picture.map((byte, at) => (at < 8 ? 0 : byte)) })
  await content.reload()
  await assert.rejects(async () => content.media('zebra', 'a.png'), { code: 'MEDIA_NOT_FOUND' })
  await until(() => content.problems().some(({ file }) => file === 'animals/zebra/a.png'))
  assert.match(content.pick('animals', 'zebra').file, /^b-/)
})

test('a large file that changes while it is sent ends in an error, not in other bytes', async (t) => {
  const { dir, content } = await openTestContent(t, { 'animals/cat/big.png': await large() })
  const stream = (await content.media('cat', 'big.png')).open()
  assert.ok(!Buffer.isBuffer(stream))
  await assert.rejects(async () => {
    for await (const _ of stream) await utimes(join(dir, 'animals/cat/big.png'), new Date(), new Date())
  }, /changed/)
})

test('a cached picture is served from memory; a removed one is gone at the first request', async (t) => {
  const { dir, content } = await openTestContent(t, {
    'animals/cat/hot.png': tinyPng(1),
    'animals/cat/cold.png': tinyPng(2),
  })
  const hot = (await content.media('cat', 'hot.png')).open()
  await rename(join(dir, 'animals'), join(dir, 'moved'))
  assert.equal((await content.media('cat', 'hot.png')).open(), hot)
  await assert.rejects(async () => content.media('cat', 'cold.png'), { code: 'MEDIA_NOT_FOUND' })
  await rm(join(dir, 'moved'), { recursive: true })
})

test('few pictures are read at a time: a client that requests hundreds gets BUSY, and another client gets its picture', async (t) => {
  const files = Array.from({ length: 520 }, (_, i) => [`animals/cat/${i}.png`, tinyPng(i)])
  const { content } = await openTestContent(t, Object.fromEntries(files))
  const request = async (number: number, client: string) => content.media('cat', `${number}.png`, client)
  const flood = Promise.allSettled(Array.from({ length: 519 }, (_, i) => request(i, '192.0.2.1')))
  assert.equal((await request(519, '198.51.100.1')).size, tinyPng(519).length)
  const refused = (await flood).filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
  assert.ok(refused.length > 0)
  assert.ok(refused.every(({ reason }) => reason instanceof Busy))
})

/** Content whose drawings have as many bytes, and the number of drawings that were rendered. */
async function openWithCache(t: TestContext, drawingBytes: number, cacheBytes: number) {
  const rendered = { count: 0 }
  const render = async () => {
    rendered.count++
    return Buffer.alloc(drawingBytes)
  }
  const { content } = await openTestContent(t, {}, { artist: { ...plainArtist, render }, cacheBytes })
  return { content, rendered }
}

test('the cache is bounded, and concurrent requests for a drawing share one rendering', async (t) => {
  const { content, rendered } = await openWithCache(t, 100_000, 250_000)
  await Promise.all(Array.from({ length: 20 }, () => content.media('cat', '~a.svg')))
  assert.equal(rendered.count, 1)
  for (const seed of ['b', 'c']) await content.media('cat', `~${seed}.svg`)
  await content.media('cat', '~c.svg')
  assert.equal(rendered.count, 3)
  await content.media('cat', '~a.svg')
  assert.equal(rendered.count, 4, 'the oldest was evicted')
})

test('tiny drawings with long names cannot fill the memory: the cache counts more than their bytes', async (t) => {
  const { content, rendered } = await openWithCache(t, 1, 250_000)
  const files = Array.from({ length: 200 }, (_, i) => `~${i}${'x'.repeat(190)}.webp`)
  for (const file of files) await content.media('cat', file)
  await content.media('cat', files.at(-1)!)
  assert.equal(rendered.count, 200)
  await content.media('cat', files[0]!)
  assert.equal(rendered.count, 201, 'the oldest was evicted')
})

test('a drawing as SVG keeps no more memory than its bytes', async (t) => {
  const { content } = await openTestContent(t, {}, { artist: createArtist() })
  const { open, size } = await content.media('cat', '~a.svg')
  const bytes = open()
  assert.ok(bytes instanceof Buffer)
  assert.equal(bytes.toString(), draw('cat', 'a'))
  assert.equal(bytes.buffer.byteLength, size)
})

test('the cache counts the compressed forms of an SVG', async (t) => {
  for (const [type, count] of [
    ['webp', 5],
    ['svg', 6],
  ] as const) {
    const { content, rendered } = await openWithCache(t, 10_000, 100_000)
    for (const seed of ['a', 'b', 'c', 'd', 'e', 'a']) await content.media('cat', `~${seed}.${type}`)
    assert.equal(rendered.count, count, type)
  }
})

test('a client that joined the rendering of another does not fail with BUSY because of that client', async (t) => {
  const render: typeof plainArtist.render = (kind, seed, format, client) =>
    client === 'busy' ? Promise.reject(new Busy(1)) : plainArtist.render(kind, seed, format)
  const { content } = await openTestContent(t, {}, { artist: { ...plainArtist, render } })
  const clients = ['busy', 'busy', 'other']
  const replies = await Promise.allSettled(clients.map(async (client) => content.media('cat', '~a.svg', client)))
  assert.deepEqual(
    replies.map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled'],
  )
})

test('a client that joined a drawing in the queue of a busy client gets its own', async (t) => {
  const queue = Promise.withResolvers<void>()
  const render: typeof plainArtist.render = async (kind, seed, format, client) => {
    if (client === 'busy') await queue.promise
    return plainArtist.render(kind, seed, format)
  }
  const { content } = await openTestContent(t, {}, { artist: { ...plainArtist, render } })
  const queued = content.media('cat', '~a.png', 'busy')
  const { size } = await content.media('cat', '~a.png', 'other')
  queue.resolve()
  assert.equal((await queued).size, size)
})

test('no drawing is rendered for a request that is refused because of its cost', async (t) => {
  const { content, rendered } = await openWithCache(t, 1, 250_000)
  const refuse = () => {
    throw new Busy(1)
  }
  const read = (onRender?: () => void) => content.media('cat', '~a.png', 'client', {}, onRender)
  await assert.rejects(async () => read(refuse), { code: 'BUSY' })
  assert.equal(rendered.count, 0)
  await read()
  assert.ok(!(read(refuse) instanceof Promise), 'one in memory costs nothing')
})

test('a picture with any file name can be read by its public name', async (t) => {
  const { content } = await openTestContent(
    t,
    Object.fromEntries(oddNames.map((name, i) => [`animals/cat/${name}.png`, tinyPng(i)])),
  )
  const items = content.pickMany('animals', 'cat', oddNames.length)
  assert.equal(new Set(items.map(({ file }) => file)).size, oddNames.length)
  for (const { file } of items) {
    const media = await content.media('cat', file)
    assert.ok(media.immutable)
    assert.ok(file.includes(sha256(await bytesOf(media)).slice(0, 12)))
  }
})

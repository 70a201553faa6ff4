import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { draw } from '../../../packages/artist/src/index.ts'
import { Busy } from '../../../src/errors/index.ts'
import { createStudio } from '../../../src/features/content/drawing-cache.ts'
import { render } from '../../../src/features/content/render-drawing.ts'

const roomy = { maxBytes: 10_000_000, concurrency: 2 }

test('a picture comes in the format and size that is asked for, 512 if none is', async () => {
  const studio = createStudio(roomy)
  assert.equal((await studio.picture('cat', 'a', 'svg')).toString(), draw('cat', 'a'))
  assert.deepEqual(await studio.picture('cat', 'a', 'png', 64), await render(draw('cat', 'a'), 'png', 64))
  const { format, width } = await sharp(await studio.picture('cat', 'a', 'webp')).metadata()
  assert.deepEqual({ format, width }, { format: 'webp', width: 512 })
})

test('a picture is rendered once and kept', async () => {
  const studio = createStudio(roomy)
  const first = await studio.picture('dog', 'kept', 'png', 32)
  assert.equal(await studio.picture('dog', 'kept', 'png', 32), first)
  assert.notEqual(await studio.picture('dog', 'other', 'png', 32), first)
})

test('the same request under way is rendered once for all who ask', async () => {
  const studio = createStudio({ ...roomy, concurrency: 1, queue: 0 })
  const pictures = await Promise.all(Array.from({ length: 20 }, () => studio.picture('fox', 'shared', 'png', 64)))
  assert.equal(new Set(pictures).size, 1)
})

test('finished pictures take no more than the bytes they may', async () => {
  const one = await createStudio(roomy).picture('fish', '0', 'png', 64)
  const studio = createStudio({ maxBytes: one.length * 3, concurrency: 2 })
  const first = await studio.picture('fish', '0', 'png', 64)
  for (let seed = 1; seed < 12; seed++) await studio.picture('fish', String(seed), 'png', 64)
  const again = await studio.picture('fish', '0', 'png', 64)
  assert.notEqual(again, first, 'the first must have made room')
  assert.deepEqual(again, first)
})

test('a picture larger than the whole memory is still answered', async () => {
  const studio = createStudio({ maxBytes: 10, concurrency: 1 })
  assert.ok((await studio.picture('bird', 'large', 'png', 64)).length > 10)
})

test('requests beyond the queue are refused as busy, and the studio works on afterwards', async () => {
  const studio = createStudio({ ...roomy, concurrency: 1, queue: 2 })
  const asked = Array.from({ length: 8 }, (_, i) => studio.picture('alpaca', String(i), 'png', 32))
  const results = await Promise.allSettled(asked)
  const refused = results.filter((result) => result.status === 'rejected')
  assert.equal(refused.length, 5)
  assert.ok(refused.every(({ reason }) => reason instanceof Busy))
  assert.ok((await studio.picture('alpaca', '7', 'png', 32)).length > 0, 'a refusal is not kept')
})

test('a size that is no whole number from 16 to 1024 is refused before any work', async () => {
  const studio = createStudio(roomy)
  for (const size of [0, 15, 1025, 1e9, -64, 64.5, Number.NaN]) {
    await assert.rejects(studio.picture('cat', 'a', 'png', size), RangeError)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { computeNarrowReciprocal, computeReciprocal } from '../../../src/features/filters/blur.ts'
import type { Frame } from '../../../src/features/filters/index.ts'
import { copyFrame, createFlatFrame, createPhotograph, sizes } from '../../kit/frames.ts'
import { byJimp, filtered, greatestDifference } from './oracle.ts'

/** Jimp rounds down in both passes, and its division is only almost exact. */
const MAX_DIFFERENCE_FROM_JIMP = 4

for (const [width, height] of sizes) {
  test(`blur is within four levels of Jimp's at radii from 1 to 144 on ${width}x${height}`, () => {
    const image = createPhotograph(width, height)
    for (let radius = 1; radius <= 144; radius += radius < 24 ? 1 : 8) {
      const difference = greatestDifference(filtered(image, 'blur', radius), byJimp(image, 'blur', radius))
      assert.ok(difference <= MAX_DIFFERENCE_FROM_JIMP, `radius ${radius}: ${difference} levels`)
    }
  })
}

/** The definition of a box mean, without optimisations. */
function meanOverSquare({ data, width, height, channels }: Frame, radius: number): Frame {
  const result = new Uint8Array(data.length)
  const near = (at: number, size: number) => Math.min(Math.max(at, 0), size - 1)
  for (let at = 0; at < data.length; at++) {
    const x = Math.floor(at / channels) % width
    const y = Math.floor(at / channels / width)
    let sum = 0
    for (let dy = -radius; dy <= radius; dy++) {
      const row = near(y + dy, height) * width
      for (let dx = -radius; dx <= radius; dx++) sum += data[(row + near(x + dx, width)) * channels + (at % channels)]!
    }
    result[at] = Math.round(sum / (2 * radius + 1) ** 2)
  }
  return { data: result, width, height, channels }
}

const applyTwice = (frame: Frame, radius: number) => meanOverSquare(meanOverSquare(frame, radius), radius)

for (const [width, height] of [
  [1, 1],
  [1, 9],
  [13, 1],
  [11, 7],
  [40, 30],
] as const) {
  test(`blur is exactly two rounded box means on ${width}x${height}`, () => {
    const image = createPhotograph(width, height)
    for (const radius of width === 40 ? [1, 2, 5, 19] : [1, 2, 3, 7, 8, 127, 128, 145, 256]) {
      assert.deepEqual(filtered(image, 'blur', radius).data, applyTwice(image, radius).data, `radius ${radius}`)
    }
  })
}

test('an area of one colour keeps it at every radius, with any alpha', () => {
  const colours = [
    [0x33, 0x66, 0x99],
    [0, 128, 255],
    [51, 102, 153, 255],
    [51, 102, 153, 128],
    [1, 254, 77, 4],
  ]
  for (let radius = 1; radius <= 256; radius++) {
    for (const colour of colours) {
      const field = createFlatFrame(6, 5, colour)
      assert.deepEqual(filtered(field, 'blur', radius).data, field.data, `radius ${radius}, ${colour}`)
    }
  }
})

test('the reciprocals divide exactly at both ends of every level', () => {
  for (let radius = 1; radius <= 256; radius++) {
    const n = (2 * radius + 1) ** 2
    const { reciprocal, pick } = computeReciprocal(n)
    const divide = (sum: number) => Number((BigInt(sum) * BigInt(reciprocal)) >> BigInt(32 + 8 * pick))
    assert.ok(reciprocal < 2 ** 32)
    for (let level = 0; level < 256; level++) {
      assert.equal(divide(level * n), level)
      assert.equal(divide(level * n + n - 1), level)
    }
  }
})

test('the narrow reciprocals divide every sum of 16 bits exactly', () => {
  for (let radius = 1; radius <= 7; radius++) {
    const n = (2 * radius + 1) ** 2
    const { whole, fraction } = computeNarrowReciprocal(n)
    assert.ok(fraction < 2 ** 15)
    for (let sum = -128 * n; sum <= 127 * n + (n - 1) / 2; sum++) {
      assert.ok(Math.abs(sum) < 2 ** 15)
      const product = sum * whole + Math.floor((sum * fraction + 2 ** 14) / 2 ** 15)
      assert.ok(Math.floor(product / 256) === Math.floor(sum / n) && product >= -(2 ** 15) && product < 2 ** 15)
    }
  }
})

test('transparent colours do not bleed into opaque ones', () => {
  const image = createFlatFrame(40, 40, [255, 0, 0, 0])
  for (let y = 10; y < 30; y++) for (let x = 10; x < 30; x++) image.data.set([0, 200, 100, 255], (y * 40 + x) * 4)
  const { data } = filtered(image, 'blur', 4)
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue, alpha] = data.subarray(at, at + 4) as unknown as [number, number, number, number]
    if (alpha === 0) continue
    assert.equal(red, 0)
    assert.ok(Math.abs(green - 200) <= 4 && Math.abs(blue - 100) <= 4, `${green}, ${blue} under alpha ${alpha}`)
  }
  assert.ok(data[(20 * 40 + 20) * 4 + 3] === 255 && data[(20 * 40 + 8) * 4 + 3]! > 0 && data[3] === 0)
})

test('an opaque image with an alpha channel is blurred like one without', () => {
  const image = createPhotograph(61, 47, 4)
  const opaque = copyFrame(image)
  for (let at = 3; at < opaque.data.length; at += 4) opaque.data[at] = 255
  for (const radius of [1, 3, 5, 19, 40, 144]) {
    const result = filtered(opaque, 'blur', radius)
    assert.ok(result.data.every((value, at) => at % 4 !== 3 || value === 255))
    const reference = byJimp(opaque, 'blur', radius)
    for (let at = 3; at < reference.data.length; at += 4) reference.data[at] = 255
    assert.ok(greatestDifference(result, reference) <= MAX_DIFFERENCE_FROM_JIMP, `radius ${radius}`)
  }
})

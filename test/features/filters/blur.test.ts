import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseDivision, computeReciprocal } from '../../../src/features/filters/blur.ts'
import type { Frame } from '../../../src/features/filters/index.ts'
import { copyFrame, createFlatFrame, createPhotograph, sizes } from '../../kit/frames.ts'
import { byJimp, filtered, greatestDifference, psnr } from './oracle.ts'

const MIN_PSNR_DB = 45

for (const [width, height] of sizes) {
  test(`blur equals Jimp's at every radius from 1 to 144 on ${width}x${height}`, () => {
    const picture = createPhotograph(width, height)
    for (let radius = 1; radius <= 144; radius++) {
      const decibels = psnr(filtered(picture, 'blur', radius), byJimp(picture, 'blur', radius))
      assert.ok(decibels >= MIN_PSNR_DB, `radius ${radius}: ${decibels} dB`)
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
    result[at] = Math.floor(sum / (2 * radius + 1) ** 2)
  }
  return { data: result, width, height, channels }
}

const applyTwice = (frame: Frame, radius: number) => meanOverSquare(meanOverSquare(frame, radius), radius)

for (const [width, height] of [
  [1, 1],
  [1, 9],
  [13, 1],
  [11, 7],
] as const) {
  test(`above radius 144 blur is exactly two box means, rounded down, on ${width}x${height}`, () => {
    const picture = createPhotograph(width, height)
    for (const radius of [145, 200, 256]) {
      assert.deepEqual(filtered(picture, 'blur', radius).data, applyTwice(picture, radius).data, `radius ${radius}`)
    }
  })
}

test('at small radii blur is within two levels of two box means, uniform areas within one', () => {
  const picture = createPhotograph(40, 30)
  for (const radius of [1, 2, 3, 5, 8, 19]) {
    assert.ok(
      greatestDifference(filtered(picture, 'blur', radius), applyTwice(picture, radius)) <= 2,
      `radius ${radius}`,
    )
    for (const value of [0, 1, 100, 200, 255]) {
      const field = createFlatFrame(9, 9, [value, value, value])
      assert.ok(greatestDifference(filtered(field, 'blur', radius), field) <= 1, `radius ${radius}, ${value}`)
    }
  }
})

test('white stays white and black stays black at every radius', () => {
  for (let radius = 1; radius <= 256; radius++) {
    for (const value of [0, 255]) {
      const field = createFlatFrame(6, 5, [value, value, value])
      assert.deepEqual(filtered(field, 'blur', radius).data, field.data, `radius ${radius}`)
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
    assert.ok(chooseDivision(radius).loweredUnder <= 255, `white is lowered at radius ${radius}`)
  }
})

test('transparent colours do not bleed into opaque ones', () => {
  const picture = createFlatFrame(40, 40, [255, 0, 0, 0])
  for (let y = 10; y < 30; y++) for (let x = 10; x < 30; x++) picture.data.set([0, 200, 100, 255], (y * 40 + x) * 4)
  const { data } = filtered(picture, 'blur', 4)
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue, alpha] = data.subarray(at, at + 4) as unknown as [number, number, number, number]
    if (alpha === 0) continue
    assert.equal(red, 0)
    assert.ok(Math.abs(green - 200) <= 4 && Math.abs(blue - 100) <= 4, `${green}, ${blue} under alpha ${alpha}`)
  }
  assert.ok(data[(20 * 40 + 20) * 4 + 3] === 255 && data[(20 * 40 + 8) * 4 + 3]! > 0 && data[3] === 0)
})

test('an opaque image with an alpha channel is blurred like one without', () => {
  const picture = createPhotograph(61, 47, 4)
  const opaque = copyFrame(picture)
  for (let at = 3; at < opaque.data.length; at += 4) opaque.data[at] = 255
  for (const radius of [1, 3, 5, 19, 40, 144]) {
    const result = filtered(opaque, 'blur', radius)
    assert.ok(result.data.every((value, at) => at % 4 !== 3 || value === 255))
    const reference = byJimp(opaque, 'blur', radius)
    for (let at = 3; at < reference.data.length; at += 4) reference.data[at] = 255
    assert.ok(psnr(result, reference) >= MIN_PSNR_DB, `radius ${radius}`)
  }
})

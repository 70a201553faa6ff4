import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Frame } from '../../../src/features/filters/index.ts'
import { createFlatFrame, createPhotograph, sizes } from '../../kit/frames.ts'
import { filtered } from './oracle.ts'

const bits = [5, 6, 5]

/** Whether a value can be represented by this many bits, repeated to eight. */
const onGrid = (value: number, count: number) => {
  const high = value >> (8 - count)
  return value === ((high << (8 - count)) | (high >> (2 * count - 8)))
}

function assertOnGrid({ data, channels }: Frame) {
  const off = data.findIndex((value, at) => at % channels < 3 && !onGrid(value, bits[at % channels]!))
  assert.equal(off, -1, `sample ${off} is ${data[off]}`)
}

function mean({ data, channels }: Frame, channel: number): number {
  let sum = 0
  for (let at = channel; at < data.length; at += channels) sum += data[at]!
  return sum / (data.length / channels)
}

function assertMeansKept(before: Frame, after: Frame) {
  for (const channel of [0, 1, 2]) {
    const change = mean(after, channel) - mean(before, channel)
    assert.ok(Math.abs(change) <= 1, `channel ${channel} changed by ${change}`)
  }
}

test('every pixel of any size is on the 5-6-5 grid', () => {
  for (const [width, height] of sizes) {
    for (const channels of [3, 4] as const)
      assertOnGrid(filtered(createPhotograph(width, height, channels), 'dither565'))
  }
})

test('uniform areas keep the mean of each channel within one level', () => {
  for (let value = 0; value < 256; value++) {
    const field = createFlatFrame(16, 16, [value, value, value])
    const result = filtered(field, 'dither565')
    assertOnGrid(result)
    assertMeansKept(field, result)
  }
})

test('gradients and photos keep the mean of each channel within one level', () => {
  const ramp = createFlatFrame(256, 64, [0, 0, 0])
  ramp.data.forEach((_, at) => {
    ramp.data[at] = Math.floor(at / 3) % 256
  })
  const tall = { ...ramp, data: ramp.data.map((_, at) => Math.floor(at / 3 / 64)), width: 64, height: 256 }
  for (const picture of [ramp, tall, createPhotograph(320, 240), createPhotograph(320, 240, 4, 7)]) {
    assertMeansKept(picture, filtered(picture, 'dither565'))
  }
})

test('the pattern repeats every four pixels and brightens one pixel at a time', () => {
  let before = 0
  for (let value = 33; value <= 41; value++) {
    const { data } = filtered(createFlatFrame(16, 12, [value, value, value]), 'dither565')
    const at = (x: number, y: number) => data[(y * 16 + x) * 3]!
    for (let y = 0; y < 12; y++) for (let x = 0; x < 16; x++) assert.equal(at(x, y), at(x % 4, y % 4))
    const bright = data.filter((sample, nth) => nth % 3 === 0 && sample > 33).length / 12
    assert.ok(bright >= before && bright - before <= 3)
    before = bright
  }
  assert.equal(before, 16)
})

test('halfway between two levels the pattern is a checkerboard', () => {
  const { data } = filtered(createFlatFrame(4, 4, [37, 37, 37]), 'dither565')
  const reds = Array.from({ length: 16 }, (_, pixel) => data[pixel * 3])
  assert.deepEqual(
    reds,
    Array.from({ length: 16 }, (_, pixel) => ((pixel + (pixel >> 2)) % 2 === 0 ? 41 : 33)),
  )
})

const BAYER = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]

const listLevels = (count: number) =>
  Array.from({ length: 256 }, (_, level) => level).filter((level) => onGrid(level, count))
const levels: Record<number, number[]> = { 5: listLevels(5), 6: listLevels(6) }

/** The nearest level below, or the next one if the pixel is among those to brighten. */
function computeExpected(value: number, count: number, order: number): number {
  const nth = levels[count]!.findLastIndex((level) => level <= value)
  const [lower, upper] = [levels[count]![nth]!, levels[count]![nth + 1] ?? 255]
  return (value - lower) / (upper - lower) > (order + 0.5) / 16 ? upper : lower
}

test('every level at every place of the pattern is exactly its definition', () => {
  const width = 17
  for (const channels of [3, 4] as const) {
    for (let value = 0; value < 256; value++) {
      const { data } = filtered(createFlatFrame(width, 5, [value, value, value, 9].slice(0, channels)), 'dither565')
      const expected = data.map((_, at) => {
        const [x, y] = [Math.floor(at / channels) % width, Math.floor(at / channels / width)]
        const count = bits[at % channels]
        return count ? computeExpected(value, count, BAYER[(y % 4) * 4 + (x % 4)]!) : 9
      })
      assert.deepEqual(data, expected, `value ${value}`)
    }
  }
})

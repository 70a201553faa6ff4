import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createFlatFrame, createPhotograph, sizes } from '../../kit/frames.ts'
import { byJimp, filtered, greatestDifference } from './oracle.ts'

const cases = sizes.flatMap(([width, height]) => ([3, 4] as const).map((channels) => ({ width, height, channels })))

for (const { width, height, channels } of cases) {
  test(`point filters agree with Jimp on ${width}x${height} with ${channels} channels`, () => {
    const picture = createPhotograph(width, height, channels)
    const apart = (name: string, strength?: number) =>
      greatestDifference(filtered(picture, name, strength), byJimp(picture, name, strength))
    assert.equal(apart('invert'), 0)
    assert.ok(apart('greyscale') <= 1)
    assert.ok(apart('normalize') <= 1)
    for (const strength of [-1, -0.9, -0.1, 0, 0.1, 0.5, 0.999, 1]) {
      assert.ok(apart('contrast', strength) <= 1, `contrast ${strength}`)
    }
  })
}

test('an image larger than the kernel window is filtered completely', () => {
  const picture = createPhotograph(1201, 801)
  for (const name of ['invert', 'greyscale', 'normalize']) {
    assert.ok(greatestDifference(filtered(picture, name), byJimp(picture, name)) <= 1, name)
  }
})

test('point filters do not change alpha', () => {
  const picture = createPhotograph(63, 41, 4)
  const alpha = (data: Uint8Array) => data.filter((_, at) => at % 4 === 3)
  for (const name of ['invert', 'greyscale', 'normalize', 'contrast', 'dither565']) {
    assert.deepEqual(alpha(filtered(picture, name).data), alpha(picture.data), name)
  }
})

test('contrast 1 makes each channel 0 or 255, and contrast -1 makes the image grey', () => {
  const picture = createPhotograph(50, 40)
  const threshold = filtered(picture, 'contrast', 1)
  assert.deepEqual(
    threshold.data,
    picture.data.map((value) => (value > 127 ? 255 : 0)),
  )
  assert.deepEqual(new Set(filtered(picture, 'contrast', -1).data), new Set([127]))
  assert.deepEqual(filtered(picture, 'contrast', 0).data, picture.data)
})

/** Every level in each channel, in an odd width. */
const createRamp = (channels: 3 | 4) => ({
  data: Uint8Array.from({ length: 257 * channels }, (_, at) => Math.floor(at / channels) % 256),
  width: 257,
  height: 1,
  channels,
})

test('contrast of any strength is exactly its formula', () =>
  fc.assert(
    fc.property(fc.double({ min: -1, max: 1, maxExcluded: true, noNaN: true }), (strength) => {
      const factor = (strength + 1) / (1 - strength)
      const compute = (value: number) => Math.min(255, Math.max(0, Math.floor(factor * (value - 127) + 127)))
      for (const channels of [3, 4] as const) {
        const ramp = createRamp(channels)
        const expected = ramp.data.map((value, at) => (at % channels === 3 ? value : compute(value)))
        assert.deepEqual(filtered(ramp, 'contrast', strength).data, expected)
      }
    }),
  ))

test('normalize of any range is exactly its formula', () => {
  for (let range = 1; range < 256; range++) {
    const min = (range * 7) % (256 - range)
    const levels = Array.from({ length: range + 1 }, (_, level) => min + level)
    const data = Uint8Array.from(levels.flatMap((level) => [level, level, level]))
    const { data: result } = filtered({ data, width: range + 1, height: 1, channels: 3 }, 'normalize')
    const expected = levels.map((level) => Math.floor(((level - min) * 255) / range))
    assert.deepEqual(
      result,
      Uint8Array.from(expected.flatMap((level) => [level, level, level])),
      `from ${min} to ${min + range}`,
    )
  }
})

test('greyscale does not change grey pixels', () => {
  for (let grey = 0; grey < 256; grey++) {
    assert.deepEqual(new Set(filtered(createFlatFrame(5, 1, [grey, grey, grey]), 'greyscale').data), new Set([grey]))
  }
})

test('normalize stretches each channel separately and sets a uniform channel to 0', () => {
  const data = Uint8Array.from([10, 100, 7, 60, 200, 7, 110, 150, 7])
  const result = filtered({ data, width: 3, height: 1, channels: 3 }, 'normalize')
  assert.deepEqual([...result.data], [0, 0, 0, 127, 255, 0, 255, 127, 0])
})

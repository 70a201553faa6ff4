import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import sharp from 'sharp'
import { animatedPng } from '../../kit/broken-pictures.ts'
import { createFlatFrame } from '../../kit/frames.ts'
import { filtered, greatestDifference } from '../filters/oracle.ts'
import { job, pixelsOf, startEngine } from './engine-kit.ts'

const WIDTH = 24
const HEIGHT = 18
const colours = [
  [200, 40, 10],
  [0, 90, 250],
  [30, 30, 30],
]
const timing = { delay: [50, 120, 700], loop: 4 }

/** Three frames, each of one colour but for a white line across it. */
function animation() {
  const frames = colours.map((colour) => createFlatFrame(WIDTH, HEIGHT, colour).data.fill(255, 0, WIDTH * 3))
  const raw = { width: WIDTH, height: HEIGHT * frames.length, channels: 3 as const, pageHeight: HEIGHT }
  return sharp(Buffer.concat(frames), { raw })
}

suite('animations', () => {
  const engine = startEngine({ after })

  for (const format of ['gif', 'webp'] as const) {
    const make = () => (format === 'gif' ? animation().gif(timing) : animation().webp({ ...timing, lossless: true }))

    test(`every frame of a ${format} is filtered and keeps its timing`, async () => {
      const { bytes, pages, width, height } = await engine.process(job(await make().toBuffer()))
      assert.deepEqual([pages, width, height], [3, WIDTH, HEIGHT])
      const { delay, loop, pageHeight } = await sharp(bytes, { animated: true }).metadata()
      assert.deepEqual({ delay, loop, pageHeight }, { ...timing, pageHeight: HEIGHT })
      const { data, channels } = await pixelsOf(bytes, -1)
      colours.forEach((colour, page) => {
        const middle = (page * HEIGHT + HEIGHT / 2) * WIDTH * channels
        colour.forEach((value, channel) => {
          assert.ok(Math.abs(data[middle + channel]! - (255 - value)) <= (format === 'gif' ? 1 : 4))
        })
      })
    })

    test(`frames of a ${format} do not blur into each other`, async () => {
      const { bytes } = await engine.process(job(await make().toBuffer(), 'blur', { strength: 3, output: 'webp' }))
      const { data, channels } = await pixelsOf(bytes, -1)
      const lastRow = (HEIGHT - 1) * WIDTH * channels
      colours[0]!.forEach((value, channel) => {
        assert.ok(Math.abs(data[lastRow + channel]! - value) <= 6)
      })
    })

    test(`the first frame of a ${format} is taken is used if the output has only one`, async () => {
      const result = await engine.process(job(await make().toBuffer(), 'invert', { output: 'png' }))
      assert.deepEqual([result.pages, result.height], [1, HEIGHT])
      const first = createFlatFrame(WIDTH, HEIGHT, colours[0]!)
      first.data.fill(255, 0, WIDTH * 3)
      const shown = await pixelsOf(await sharp(result.bytes).removeAlpha().png().toBuffer())
      assert.ok(greatestDifference(shown, filtered(first, 'invert')) <= 1)
    })
  }

  test('GIF frames that become equal are kept with their timing', async () => {
    const source = await animation().gif(timing).toBuffer()
    const { bytes } = await engine.process(job(source, 'contrast', { strength: -1 }))
    const { delay, loop, pages } = await sharp(bytes, { animated: true }).metadata()
    assert.deepEqual({ delay, loop, pages }, { ...timing, pages: 3 })
  })

  test('the page count of a WebP is correct if its encoder merges equal frames', async () => {
    const source = await animation().webp(timing).toBuffer()
    const { bytes, pages } = await engine.process(job(source, 'contrast', { strength: -1 }))
    assert.equal(pages, 1)
    assert.equal((await sharp(bytes).metadata()).pages, undefined)
  })

  test('an animation can be written in the other animated format', async () => {
    const { bytes } = await engine.process(job(await animation().gif(timing).toBuffer(), 'invert', { output: 'webp' }))
    const { format, delay, loop } = await sharp(bytes, { animated: true }).metadata()
    assert.deepEqual({ format, delay, loop }, { format: 'webp', ...timing })
  })

  test('only the first frame of an animated PNG is filtered', async () => {
    const { bytes, pages } = await engine.process(job(animatedPng(8)))
    assert.equal(pages, 1)
    assert.deepEqual([...(await pixelsOf(bytes)).data.subarray(0, 3)], [0, 255, 255])
  })
})

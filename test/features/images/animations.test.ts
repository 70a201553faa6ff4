import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import sharp from 'sharp'
import { type Frame, filters } from '../../../src/features/filters/index.ts'
import { decodeGif } from '../../../src/platform/image-formats/index.ts'
import { animatedPng } from '../../kit/broken-pictures.ts'
import { createFlatFrame } from '../../kit/frames.ts'
import { composeAsBrowsers, createRandomGif, writeGif } from '../../kit/gif-animation.ts'
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

/** Compares alpha, which a GIF has as all or nothing, and the colours of opaque pixels. */
function assertShown(
  shown: Pick<Frame, 'data' | 'channels'>,
  frame: Frame,
  { firstPixel, tolerance, message }: { firstPixel: number; tolerance: number; message: string },
) {
  for (let pixel = 0; pixel < frame.width * frame.height; pixel++) {
    const at = (firstPixel + pixel) * shown.channels
    const alpha = shown.channels === 4 ? shown.data[at + 3]! : 255
    const expected = frame.data[4 * pixel + 3]!
    assert.equal(alpha >= 128, expected >= 128, `${message}: alpha ${alpha}, not ${expected}`)
    for (let channel = 0; channel < 3 && alpha === expected && alpha === 255; channel++) {
      const difference = Math.abs(shown.data[at + channel]! - frame.data[4 * pixel + channel]!)
      assert.ok(difference <= tolerance, `${message}: a colour differs by ${difference}`)
    }
  }
}

suite('animations', () => {
  const engine = startEngine({ after })

  test('a frame of a GIF that is shown for minutes is shown for the longest time that can be written', async () => {
    const source = await animation().gif(timing).toBuffer()
    const control = source.indexOf(Buffer.from([0x21, 0xf9, 4]))
    source.writeUInt16LE(60_000, control + 4)
    assert.equal((await sharp(source).metadata()).delay?.[0], 600_000)
    const { bytes } = await engine.process(job(source))
    assert.deepEqual((await sharp(bytes).metadata()).delay, [65_540, ...timing.delay.slice(1)])
  })

  for (const format of ['gif', 'webp'] as const) {
    const make = () => (format === 'gif' ? animation().gif(timing) : animation().webp({ ...timing, lossless: true }))

    test(`every frame of a ${format} is filtered and keeps its timing`, async () => {
      const { bytes, frameCount, width, height } = await engine.process(job(await make().toBuffer()))
      assert.deepEqual([frameCount, width, height], [3, WIDTH, HEIGHT])
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

    test(`the first frame of a ${format} is used if the output has only one`, async () => {
      const result = await engine.process(job(await make().toBuffer(), 'invert', { output: 'png' }))
      assert.deepEqual([result.frameCount, result.height], [1, HEIGHT])
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
    const { bytes, frameCount } = await engine.process(job(source, 'contrast', { strength: -1 }))
    assert.equal(frameCount, 1)
    assert.equal((await sharp(bytes).metadata()).pages, undefined)
  })

  test('an animation can be written in the other animated format', async () => {
    const { bytes } = await engine.process(job(await animation().gif(timing).toBuffer(), 'invert', { output: 'webp' }))
    const { format, delay, loop } = await sharp(bytes, { animated: true }).metadata()
    assert.deepEqual({ format, delay, loop }, { format: 'webp', ...timing })
  })

  for (const { name } of filters) {
    test(`${name} keeps the transparency of every frame of a GIF, and frames do not accumulate`, async () => {
      for (let seed = 1; seed <= 12; seed++) {
        const animation = createRandomGif(seed, 5)
        const { width, height, frames } = animation
        const composed = composeAsBrowsers(animation)
        const frameBytes = 4 * width * height
        const expected = frames.map((_, page) => {
          const data = composed.slice(page * frameBytes, (page + 1) * frameBytes)
          return filtered({ data, width, height, channels: 4 }, name)
        })
        for (const output of ['gif', 'webp'] as const) {
          const { bytes } = await engine.process(job(writeGif(animation), name, { output }))
          const shown = output === 'gif' ? decodeGif(bytes, frames.length) : await pixelsOf(bytes, -1)
          // The WebP encoder merges equal frames. They are shown longer.
          const { delay = [] } = await sharp(bytes, { pages: -1 }).metadata()
          const pages = delay.flatMap((ms, page) => Array<number>(ms / 50).fill(page))
          for (const [nth, frame] of expected.entries()) {
            assertShown(shown, frame, {
              firstPixel: (pages[nth] ?? 0) * width * height,
              // A WebP is lossy, and blur gives more than 256 colours.
              tolerance: output === 'webp' || name === 'blur' ? 255 : 1,
              message: `frame ${nth} of ${output} ${seed}`,
            })
          }
        }
      }
    })
  }

  test('only the first frame of an animated PNG is filtered', async () => {
    const { bytes, frameCount } = await engine.process(job(animatedPng(8)))
    assert.equal(frameCount, 1)
    assert.deepEqual([...(await pixelsOf(bytes)).data.subarray(0, 3)], [0, 255, 255])
  })
})

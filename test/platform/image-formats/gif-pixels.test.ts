import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import sharp from 'sharp'
import { decodeGif, readGif, stripMetadata, UnsafeImage } from '../../../src/platform/image-formats/index.ts'
import { gif } from '../../kit/broken-pictures.ts'
import { createPhotograph } from '../../kit/frames.ts'
import { composeAsBrowsers, createRandomGif, type Gif, type GifFrame, writeGif } from '../../kit/gif-animation.ts'

/** RGBA of all frames. */
function decodeAll(bytes: Buffer): Buffer {
  const { data, channels } = decodeGif(bytes, readGif(bytes).frames.length)
  if (channels === 4) return data
  return Buffer.from(
    Array.from({ length: data.length / 3 }, (_, at) => [...data.subarray(3 * at, 3 * at + 3), 255]).flat(),
  )
}

test('frames are composed as in browsers', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const animation = createRandomGif(seed)
      const bytes = stripMetadata('gif', writeGif(animation), 500)
      const { width, height, frames } = readGif(bytes)
      assert.deepEqual([width, height, frames.length], [animation.width, animation.height, animation.frames.length])
      assert.ok(decodeAll(bytes).equals(composeAsBrowsers(animation)))
    }),
    { numRuns: 300 },
  )
})

test('compressed frames equal those of libvips', async () => {
  for (const [width, height] of [
    [1, 1],
    [300, 200],
  ] as const) {
    const { data } = createPhotograph(width, height * 2)
    const raw = { width, height: height * 2, channels: 3 as const, pageHeight: height }
    const bytes = await sharp(data, { raw })
      .gif({ delay: [50, 700], loop: 4 })
      .toBuffer()
    const { frames, loop } = readGif(bytes)
    assert.deepEqual([frames.map(({ delayMs }) => delayMs), loop], [[50, 700], 4])
    assert.ok(decodeAll(bytes).equals(await sharp(bytes, { pages: -1 }).ensureAlpha().raw().toBuffer()))
  }
})

const frame: GifFrame = {
  ...{ left: 0, top: 0, width: 1, height: 1, indices: [1], disposal: 0 },
  ...{ transparentIndex: undefined, isInterlaced: false, colours: undefined },
}
const small: Gif = {
  width: 3,
  height: 2,
  backgroundIndex: 0,
  colours: [
    [9, 9, 9],
    [1, 2, 3],
  ],
  frames: [frame],
}

test('a canvas has the size that the file says, or that of a larger first frame', () => {
  const sizeOf = (animation: Partial<Gif>) => {
    const { width, height } = readGif(writeGif({ ...small, ...animation }))
    return [width, height]
  }
  assert.deepEqual(sizeOf({ width: 640, height: 480 }), [640, 480])
  assert.deepEqual(sizeOf({ width: 3000, height: 1 }), [3000, 1])
  assert.deepEqual(sizeOf({ width: 0, height: 0 }), [1, 1])
  assert.deepEqual(sizeOf({ frames: [{ ...frame, left: 4, width: 2, indices: [0, 1] }] }), [6, 2])
})

test('pixels that the data lacks are transparent; an incomplete last frame is left out', () => {
  const { data, channels } = decodeGif(gif(3, 2, 2), 2)
  assert.equal(channels, 4)
  assert.deepEqual([...data.subarray(-4)], [0, 0, 0, 0])
  assert.equal(readGif(gif(3, 2, 2).subarray(0, -4)).frames.length, 1)
  assert.throws(() => readGif(gif(3, 2, 1).subarray(0, -4)), UnsafeImage)
})

test('invalid codes and frames much larger than the canvas are refused', () => {
  // The last bytes: the size of codes, the length of the block, codes of three bits (clear, 1, end), terminator, trailer.
  for (const [fromEnd, value] of [
    [6, 13],
    [4, 4 | (7 << 3)],
  ] as const) {
    const broken = writeGif(small)
    broken[broken.length - fromEnd] = value
    assert.throws(() => decodeGif(broken, 1), UnsafeImage)
  }
  const large = { ...frame, width: 2000, height: 2000, indices: [1] }
  assert.throws(() => decodeGif(writeGif({ ...small, frames: [frame, large] }), 2), UnsafeImage)
})

test('random damage is decoded or refused, never a crash', () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }),
      (seed, changes) => {
        const bytes = writeGif(createRandomGif(seed))
        for (const [at, value] of changes) bytes[13 + (at % (bytes.length - 13))] = value
        try {
          const { width, height, frames } = readGif(bytes)
          if (width * height * frames.length < 1e6) decodeGif(bytes, frames.length)
        } catch (error) {
          assert.ok(error instanceof UnsafeImage, String(error))
        }
      },
    ),
    { numRuns: 500 },
  )
})

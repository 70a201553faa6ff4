import sharp from 'sharp'
import { webpBomb } from '../../../kit/broken-pictures.ts'
import { riff, webpChunk } from '../../../kit/decoder-bombs.ts'
import type { Attack } from './attack.ts'

const ANIMATED = 0x02
const ALPHA = 0x10
const [BLEND_AND_KEEP, REPLACE_AND_CLEAR] = [0, 3]
const repeat = (part: Buffer, count: number) => Buffer.alloc(part.length * count, part)

const u24 = (value: number) => [value & 0xff, (value >> 8) & 0xff, value >> 16]
const features = (flags: number, width: number, height: number) =>
  webpChunk('VP8X', Buffer.from([flags, 0, 0, 0, ...u24(width - 1), ...u24(height - 1)]))
const control = webpChunk('ANIM', Buffer.alloc(6))

interface Area {
  readonly left?: number
  readonly width: number
  readonly height: number
  readonly flags?: number
}

const frame = ({ left = 0, width, height, flags = BLEND_AND_KEEP }: Area, ...chunks: Buffer[]) =>
  webpChunk(
    'ANMF',
    Buffer.concat([
      Buffer.from([...u24(left / 2), ...u24(0), ...u24(width - 1), ...u24(height - 1), ...u24(0xff_ff_ff), flags]),
      ...chunks,
    ]),
  )

/** The chunk of an image of one colour. */
async function image(width: number, height: number, lossless = true): Promise<Buffer> {
  const picture = sharp({ create: { width, height, channels: 3, background: '#369' } })
  return (await picture.webp({ lossless, effort: 0 }).toBuffer()).subarray(12)
}

const FRAMES = 40
/** The sides of frames, so that all of them together have as many pixels as one image. */
const sideOf = (side: number) => Math.floor(side / Math.sqrt(FRAMES))

const EIGHT = { width: 8, height: 8 }

function bitWriter() {
  const bits: number[] = []
  return {
    put(value: number, count: number) {
      for (let bit = 0; bit < count; bit++) bits.push((value >> bit) & 1)
    },
    finish() {
      const bytes = Buffer.alloc(Math.ceil(bits.length / 8) + 8)
      bits.forEach((bit, nth) => {
        bytes[nth >> 3]! |= bit << (nth & 7)
      })
      return bytes
    },
  }
}

/** A lossless image that has other Huffman tables for each square of 4x4 pixels, up to 65,536 sets of five. */
function manyHuffmanTables(side: number): Buffer {
  const { put, finish } = bitWriter()
  const squares = Math.ceil(side / 4) ** 2
  const sets = Math.min(65_536, squares)
  put(0x2f, 8)
  put(side - 1, 14)
  put(side - 1, 14)
  put(0, 4)
  // No transformation, no colour cache, but sets of tables by square. Their image has no colour cache either.
  put(0b0100, 2)
  put(1, 1)
  put(0, 3)
  put(0, 1)
  // Green and red have 256 codes of 8 bits; a code of one bit says so for each of them.
  for (const unused of [24, 0]) {
    put(0, 1)
    put(12 - 4, 4)
    // The lengths of codes 17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8: only 18 (repeats zeros) and 8 are used.
    for (const length of [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]) put(length, 3)
    put(0, 1)
    for (let symbol = 0; symbol < 256; symbol++) put(0, 1)
    if (unused > 0) {
      put(1, 1)
      put(unused - 11, 7)
    }
  }
  const oneSymbol = () => put(0b0001, 4)
  for (let code = 0; code < 3; code++) oneSymbol()
  const reverse = (byte: number) =>
    [...Array(8).keys()].reduce((sum, bit) => sum | (((byte >> bit) & 1) << (7 - bit)), 0)
  for (let square = 0; square < squares; square++) {
    put(reverse(square & 0xff), 8)
    put(reverse((square >> 8) & 0xff), 8)
  }
  for (let code = 0; code < 5 * sets; code++) oneSymbol()
  return riff(webpChunk('VP8L', finish()))
}

export const attacks: Attack[] = [
  {
    name: 'a set of Huffman tables for each square of 4x4 pixels',
    status: 422,
    problem: 'takes too much memory to decode',
    build: (side) => manyHuffmanTables(side),
  },
  {
    name: 'a canvas of 16,384x16,384 around a small image',
    status: 422,
    build: async () => riff(features(0, 16_384, 16_384), await image(8, 8)),
  },
  {
    name: 'a canvas of 8x8 around a large image',
    status: 422,
    build: async (side) => riff(features(0, 8, 8), await image(side, side)),
  },
  {
    name: 'an animation of 16,384x16,384 with frames of one pixel',
    status: 422,
    build: async () =>
      riff(features(ANIMATED, 16_384, 16_384), control, repeat(frame({ width: 1, height: 1 }, await image(1, 1)), 400)),
  },
  {
    name: 'a frame outside the canvas',
    status: 422,
    build: async () =>
      riff(features(ANIMATED, 8, 8), control, frame({ left: 16_000_000, ...EIGHT }, await image(8, 8))),
  },
  {
    name: 'a frame larger than the canvas',
    status: 422,
    build: async (side) =>
      riff(features(ANIMATED, 8, 8), control, frame({ width: side, height: side }, await image(side, side))),
  },
  {
    name: 'frames that claim 8x8 pixels and have many more',
    status: 422,
    build: async (side) => riff(features(ANIMATED, 8, 8), control, repeat(frame(EIGHT, await image(side, side)), 20)),
  },
  {
    name: 'frames that clear the whole canvas',
    status: 200,
    build: async (side) => {
      const area = { width: sideOf(side), height: sideOf(side), flags: REPLACE_AND_CLEAR }
      const part = frame(area, await image(area.width, area.height, false))
      return riff(features(ANIMATED, area.width, area.height), control, repeat(part, FRAMES))
    },
  },
  {
    name: 'frames of one pixel on a large canvas',
    status: 200,
    build: async (side) =>
      riff(
        features(ANIMATED | ALPHA, sideOf(side), sideOf(side)),
        control,
        repeat(frame({ width: 1, height: 1 }, await image(1, 1)), FRAMES),
      ),
  },
  {
    name: 'a frame with 200,000 unknown chunks',
    status: 200,
    build: async () =>
      riff(
        features(ANIMATED, 8, 8),
        control,
        frame(EIGHT, await image(8, 8), repeat(webpChunk('abcd', Buffer.alloc(0)), 200_000)),
      ),
  },
  {
    name: 'a frame within a frame',
    status: 200,
    build: async () => riff(features(ANIMATED, 8, 8), control, frame(EIGHT, frame(EIGHT, await image(8, 8)))),
  },
  {
    name: '100,000 chunks of transparency',
    status: 422,
    build: async () => {
      const alpha = repeat(webpChunk('ALPH', Buffer.alloc(2)), 100_000)
      return riff(features(ALPHA, 8, 8), alpha, await image(8, 8, false))
    },
  },
  {
    name: 'transparency that is a bomb',
    status: 200,
    build: async (side) =>
      riff(
        features(ALPHA, side, side),
        webpChunk('ALPH', Buffer.from([1, ...Buffer.alloc(20, 0x88)])),
        await image(side, side, false),
      ),
  },
  { name: 'a file within a file', status: 200, build: async () => riff(riff(await image(8, 8)), await image(8, 8)) },
  {
    name: 'a length of 4 GB',
    status: 422,
    build: async () => {
      const bytes = riff(await image(8, 8))
      bytes.writeUInt32LE(0xff_ff_ff_f6, 4)
      return bytes
    },
  },
  {
    name: 'a lossy image that depends on another one',
    status: 422,
    build: async (side) => {
      const bytes = riff(await image(side, side, false))
      bytes[20]! |= 1
      return bytes
    },
  },
  {
    name: '500,000 unknown chunks',
    status: 200,
    build: async () => riff(features(0, 8, 8), repeat(webpChunk('abcd', Buffer.alloc(0)), 500_000), await image(8, 8)),
  },
  { name: 'a header that claims 16,383x16,383 pixels', status: 413, build: () => webpBomb(16_383, 16_383) },
]

import { gif } from '../../../kit/broken-pictures.ts'
import type { Attack } from './attack.ts'

const TRAILER = Buffer.from([0x3b])
const [KEEP, BACKGROUND, PREVIOUS] = [1, 2, 3]
const repeat = (part: Buffer, count: number) => Buffer.alloc(part.length * count, part)

/** The header with a global colour table of two colours. */
function header(width: number, height: number, flags = 0x80): Buffer {
  const bytes = Buffer.alloc(19)
  bytes.write('GIF89a')
  bytes.writeUInt16LE(width, 6)
  bytes.writeUInt16LE(height, 8)
  bytes[10] = flags
  return bytes
}

const control = (disposal: number) => Buffer.from([0x21, 0xf9, 4, (disposal << 2) | 1, 5, 0, 0, 0])

interface Area {
  readonly left?: number
  readonly top?: number
  readonly width: number
  readonly height: number
  readonly flags?: number
}

/** The codes are "clear", 0 and "end" of 3 bits each, unless given. */
function image(
  { left = 0, top = 0, width, height, flags = 0 }: Area,
  data = blocks(Buffer.from([0x44, 0x01])),
): Buffer {
  const bytes = Buffer.alloc(10)
  bytes[0] = 0x2c
  for (const [nth, value] of [left, top, width, height].entries()) bytes.writeUInt16LE(value, 1 + 2 * nth)
  bytes[9] = flags
  const table = Buffer.alloc(flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0, 0x55)
  return Buffer.concat([bytes, table, Buffer.from([2]), data])
}

/** Sub-blocks of at most `size` bytes, and their end. */
function blocks(data: Buffer, size = 255): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < data.length; at += size) {
    const part = data.subarray(at, at + size)
    parts.push(Buffer.from([part.length]), part)
  }
  return Buffer.concat([...parts, Buffer.alloc(1)])
}

/** Codes of growing length that each repeat the sequence before and one pixel more: the densest data. */
function denseCodes(pixels: number): Buffer {
  const bits: number[] = []
  const put = (code: number, length: number) => {
    for (let bit = 0; bit < length; bit++) bits.push((code >> bit) & 1)
  }
  let left = pixels
  while (left > 0) {
    put(4, 3)
    put(0, 3)
    left--
    for (let code = 6; code < 4095 && left > 0; code++) {
      put(code, Math.floor(Math.log2(code)) + 1)
      left -= code - 4
    }
  }
  put(5, 12)
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8))
  bits.forEach((bit, nth) => {
    bytes[nth >> 3]! |= bit << (nth & 7)
  })
  return bytes
}

const file = (...parts: Buffer[]) => Buffer.concat([...parts, TRAILER])
const frames = (count: number, disposal: number, part: Buffer) =>
  repeat(Buffer.concat([control(disposal), part]), count)
/** As many frames of the whole area as the limit of pixels allows. */
const MOST = 40

/** The sides of frames, so that all of them together have as many pixels as one image. */
const sideOf = (side: number) => Math.floor(side / Math.sqrt(MOST))

export const attacks: Attack[] = [
  {
    name: 'a canvas of 65,535x65,535 with frames of one pixel',
    status: 413,
    build: () => file(header(65_535, 65_535), frames(400, KEEP, image({ width: 1, height: 1 }))),
  },
  {
    name: 'frames outside the canvas enlarge it',
    status: 413,
    build: () => file(header(8, 8), image({ left: 65_000, top: 65_000, width: 500, height: 500 })),
  },
  {
    name: 'frames that are larger than the canvas',
    status: 422,
    problem: 'has frames that are larger than the image',
    build: (side) => {
      const large = image({ width: side, height: side }, blocks(denseCodes(side * side)))
      return file(header(8, 8), image({ width: 8, height: 8 }), frames(MOST, KEEP, large))
    },
  },
  {
    name: '100,000 frames',
    status: 413,
    build: () => file(header(8, 8), frames(100_000, KEEP, image({ width: 8, height: 8 }))),
  },
  {
    name: 'frames that restore the previous canvas',
    status: 200,
    build: (side) => file(header(sideOf(side), sideOf(side)), frames(MOST, PREVIOUS, image({ width: 1, height: 1 }))),
  },
  {
    name: 'frames that clear the whole canvas',
    status: 200,
    build: (side) => {
      const area = { width: sideOf(side), height: sideOf(side) }
      const pixels = blocks(denseCodes(area.width * area.height))
      return file(header(area.width, area.height), frames(MOST, BACKGROUND, image(area, pixels)))
    },
  },
  {
    name: 'dense codes for a large area',
    status: 200,
    build: (side) => file(header(side, side), image({ width: side, height: side }, blocks(denseCodes(side * side)))),
  },
  {
    name: '5 million pixels of data for one pixel',
    status: 200,
    build: () => file(header(1, 1), image({ width: 1, height: 1 }, blocks(denseCodes(5_000_000)))),
  },
  {
    name: '10 million "clear" codes',
    status: 200,
    build: () =>
      file(
        header(8, 8),
        image({ width: 8, height: 8 }, blocks(Buffer.alloc(4_000_000, Buffer.from([0x24, 0x49, 0x92])))),
      ),
  },
  {
    name: 'sub-blocks of one byte',
    status: 200,
    build: () =>
      file(
        header(8, 8),
        image({ width: 8, height: 8 }, Buffer.concat([repeat(Buffer.from([1, 0x24]), 2_000_000), Buffer.alloc(1)])),
      ),
  },
  {
    name: 'sub-blocks without end',
    status: 422,
    build: () =>
      Buffer.concat([
        header(8, 8),
        image({ width: 8, height: 8 }, repeat(Buffer.from([255, ...Buffer.alloc(255, 0x24)]), 15_000)),
      ]),
  },
  {
    name: 'the longest delays and the most repetitions',
    status: 200,
    build: () => {
      const loop = Buffer.from('\x21\xff\x0bNETSCAPE2.0\x03\x01\xff\xff\0', 'latin1')
      const longest = Buffer.from([0x21, 0xf9, 4, 4, 0xff, 0xff, 0, 0])
      return file(header(8, 8), loop, repeat(Buffer.concat([longest, image({ width: 8, height: 8 })]), 3))
    },
  },
  {
    name: 'no trailer',
    status: 200,
    build: () => Buffer.concat([header(8, 8), frames(3, KEEP, image({ width: 8, height: 8 }))]),
  },
  {
    name: '400 frames with local colour tables',
    status: 200,
    build: () => file(header(8, 8), frames(400, KEEP, image({ width: 8, height: 8, flags: 0x87 }))),
  },
  {
    name: 'interlaced frames without data',
    status: 200,
    build: (side) => file(header(side, side), image({ width: side, height: side, flags: 0x40 }, Buffer.alloc(1))),
  },
  {
    name: 'frames of 0x0 pixels',
    status: 200,
    build: (side) => file(header(sideOf(side), sideOf(side)), frames(MOST, PREVIOUS, image({ width: 0, height: 0 }))),
  },
  {
    name: 'a code size of 255',
    status: 422,
    build: () => {
      const bytes = gif(8, 8, 1)
      bytes[bytes.length - 6] = 255
      return bytes
    },
  },
  {
    name: '500,000 control and comment blocks',
    status: 200,
    build: () =>
      file(
        header(8, 8),
        repeat(Buffer.concat([control(KEEP), Buffer.from('\x21\xfe\x01x\0', 'latin1')]), 500_000),
        image({ width: 8, height: 8 }),
      ),
  },
]

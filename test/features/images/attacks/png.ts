import { deflateRawSync, deflateSync } from 'node:zlib'
import { pngChunk, png as pngOfRows } from '../../../kit/broken-pictures.ts'
import { pngWith, profileOf } from '../../../kit/decoder-bombs.ts'
import type { Attack } from './attack.ts'

const [GREY, RGB, PALETTE, RGBA] = [0, 2, 3, 6]
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const END = pngChunk('IEND', Buffer.alloc(0))

interface Header {
  readonly width: number
  readonly height: number
  readonly bits?: number
  readonly colour?: number
  readonly isInterlaced?: boolean
}

function header({ width, height, bits = 8, colour = RGB, isInterlaced = false }: Header): Buffer {
  const data = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, bits, colour, 0, 0, isInterlaced ? 1 : 0])
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  return pngChunk('IHDR', data)
}

const file = (head: Header, ...chunks: Buffer[]) => Buffer.concat([SIGNATURE, header(head), ...chunks, END])
const pixels = (data: Uint8Array) => pngChunk('IDAT', data)
/** Compressed zeros. */
const zeros = (bytes: number) => deflateSync(Buffer.alloc(bytes), { level: 9 })
const repeat = (part: Buffer, count: number) => Buffer.alloc(part.length * count, part)

/** A valid stream of zeros with these blocks in front. */
const streamWith = (blocks: Buffer) =>
  Buffer.concat([Buffer.from([0x78, 0x9c]), blocks, deflateRawSync(Buffer.alloc(8 * 25)), Buffer.from([0, 200, 0, 1])])

const EIGHT = { width: 8, height: 8 }

/** Zeros that expand a thousand times, without the end of the stream. */
const zeroBlocks = (megabytes: number) => {
  const megabyte = deflateRawSync(Buffer.alloc(2 ** 20), { level: 9, finishFlush: 2 })
  return Buffer.concat([Buffer.from([0x78, 0x9c]), repeat(megabyte, megabytes)])
}

export const attacks: Attack[] = [
  {
    name: '4 GB of pixels after the last row',
    status: 422,
    problem: 'has more data than its pixels need',
    build: () => file(EIGHT, pixels(zeroBlocks(4096))),
  },
  {
    name: '250,000 empty blocks with Huffman tables of their own',
    status: 422,
    problem: 'has more data than its pixels need',
    build: () => file(EIGHT, pixels(streamWith(repeat(emptyDynamicBlock(), 250_000)))),
  },
  {
    name: '800,000 empty stored blocks',
    status: 422,
    problem: 'has more data than its pixels need',
    build: () => file(EIGHT, pixels(streamWith(repeat(Buffer.from([0, 0, 0, 0xff, 0xff]), 800_000)))),
  },
  {
    name: 'pixels in chunks of one byte',
    status: 200,
    build: (side) =>
      file(
        { width: side, height: side, bits: 1, colour: GREY },
        ...[...zeros(Math.ceil(side / 8 + 1) * side)].map((byte) => pixels(Buffer.from([byte]))),
      ),
  },
  {
    name: '300,000 empty chunks of pixels',
    status: 200,
    build: () => file(EIGHT, repeat(pixels(Buffer.alloc(0)), 300_000), pixels(zeros(8 * 25))),
  },
  {
    name: 'interlaced, with 16 bits per sample',
    status: 200,
    build: (side) =>
      file(
        { width: side, height: side, bits: 16, colour: RGBA, isInterlaced: true },
        pixels(zeros((8 * side + 2) * side * 1.1)),
      ),
  },
  {
    name: 'interlaced, without its last pass',
    status: 422,
    build: (side) => file({ width: side, height: side, isInterlaced: true }, pixels(zeros(side * side))),
  },
  {
    name: 'one pixel wide and 40 million high',
    status: 413,
    build: () => file({ width: 1, height: 40_000_000 }, pixels(zeros(1000))),
  },
  { name: 'a size of 0', status: 422, build: () => file({ width: 0, height: 8 }, pixels(zeros(1000))) },
  {
    name: 'a palette without colours',
    status: 422,
    build: (side) =>
      file(
        { width: side, height: side, colour: PALETTE },
        pngChunk('PLTE', Buffer.alloc(0)),
        pixels(zeros((side + 1) * side)),
      ),
  },
  {
    name: 'pixels outside the palette',
    status: 200,
    build: (side) =>
      file(
        { width: side, height: side, colour: PALETTE },
        pngChunk('PLTE', Buffer.alloc(3)),
        pngChunk('tRNS', Buffer.alloc(256)),
        pixels(
          deflateSync(Buffer.alloc((side + 1) * side, Buffer.concat([Buffer.alloc(1), Buffer.alloc(side, 0xff)]))),
        ),
      ),
  },
  {
    name: 'a colour profile of 1 GB',
    status: 200,
    build: () => pngWith(pngChunk('iCCP', Buffer.concat([Buffer.from('p\0\0'), zeroBlocks(1024)]))),
  },
  {
    name: 'a colour profile with 100 tags of 1 MB in the same place',
    status: 200,
    build: () => pngWith(pngChunk('iCCP', Buffer.concat([Buffer.from('p\0\0'), deflateSync(profileOfOverlaps())]))),
  },
  {
    name: '100,000 different critical chunks',
    status: 422,
    build: () =>
      pngWith(Buffer.concat(Array.from({ length: 100_000 }, (_, nth) => pngChunk(criticalName(nth), Buffer.alloc(0))))),
  },
  {
    name: 'an animation of 50,000 frames',
    status: 200,
    build: () => pngWith(pngChunk('acTL', Buffer.from([0, 0, 0xc3, 0x50, 0, 0, 0, 0])), animation(50_000)),
  },
  {
    name: 'wrong checksums',
    status: 422,
    build: (side) => {
      const bytes = pngOfRows(side, side, Buffer.alloc((3 * side + 1) * side))
      bytes.fill(0, bytes.length - 16, bytes.length - 12)
      return bytes
    },
  },
  {
    name: 'a chunk of pixels that claims 4 GB',
    status: 422,
    build: () => {
      const bytes = pngWith()
      bytes.writeUInt32BE(0xff_ff_ff_f0, 33)
      return bytes
    },
  },
  {
    name: 'a second header with a larger size',
    status: 200,
    build: (side) => pngWith(header({ width: side, height: side })),
  },
]

const criticalName = (nth: number) =>
  [nth / 26 ** 3, nth / 26 ** 2, nth / 26, nth]
    .map((part) => String.fromCharCode(65 + (Math.floor(part) % 26)))
    .join('')

function animation(frames: number): Buffer {
  const control = pngChunk('fcTL', Buffer.alloc(26, 1))
  const data = pngChunk('fdAT', Buffer.concat([Buffer.alloc(4), zeros(8 * 25)]))
  return repeat(Buffer.concat([control, data]), frames)
}

/** Every tag is a text that covers the whole profile. */
function profileOfOverlaps(): Buffer {
  const tags = Object.fromEntries(
    Array.from({ length: 100 }, (_, nth) => [`t${nth}`.padEnd(4), Buffer.from('mluc\0\0\0\0')]),
  )
  const profile = Buffer.concat([profileOf({ ...tags }), Buffer.alloc(1_000_000)])
  for (let nth = 0; nth < 100; nth++) profile.writeUInt32BE(1_000_000, 140 + 12 * nth)
  return profile
}

/** A block of deflate that defines its Huffman tables and contains nothing: 12 bytes with the empty block behind it. */
function emptyDynamicBlock(): Buffer {
  const bits: number[] = []
  const put = (value: number, count: number) => {
    for (let bit = 0; bit < count; bit++) bits.push((value >> bit) & 1)
  }
  // Not the last block; dynamic tables; 257 literals, 1 distance, 18 lengths of code lengths.
  put(0, 1)
  put(2, 2)
  put(0, 5)
  put(0, 5)
  put(14, 4)
  // In the order 16, 17, 18, 0, 8, …, 1: the codes 18 (repeats zeros) and 1 have one bit each.
  for (const symbol of [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1])
    put(symbol === 18 || symbol === 1 ? 1 : 0, 3)
  // 138 and 118 zeros, then a length of 1 for "end of block" and for the only distance. Code 1 is 0, code 18 is 1.
  put(1, 1)
  put(138 - 11, 7)
  put(1, 1)
  put(118 - 11, 7)
  put(0, 1)
  put(0, 1)
  // The end of the block.
  put(0, 1)
  // An empty stored block, which starts with the next byte, makes the length a whole number of bytes.
  put(0, 3)
  while (bits.length % 8 !== 0) bits.push(0)
  const bytes = Buffer.alloc(bits.length / 8)
  bits.forEach((bit, nth) => {
    bytes[nth >> 3]! |= bit << (nth & 7)
  })
  return Buffer.concat([bytes, Buffer.from([0, 0, 0xff, 0xff])])
}

import sharp from 'sharp'
import type { Attack } from './attack.ts'

const [BASELINE, PROGRESSIVE, LOSSLESS, ARITHMETIC, PROGRESSIVE_ARITHMETIC] = [0xc0, 0xc2, 0xc3, 0xc9, 0xca]
const START = Buffer.from([0xff, 0xd8])
const END = Buffer.from([0xff, 0xd9])

const u16 = (value: number) => [value >> 8, value & 0xff]

function segment(marker: number, content: Uint8Array | readonly number[]): Buffer {
  return Buffer.from([0xff, marker, ...u16(content.length + 2), ...content])
}

/** One byte per component: its sampling factors. */
function frame(type: number, width: number, height: number, factors = [0x11, 0x11, 0x11], bits = 8): Buffer {
  const components = factors.flatMap((factor, nth) => [nth + 1, factor, 0])
  return segment(type, [bits, ...u16(height), ...u16(width), factors.length, ...components])
}

/** A scan with `data`. If these are zeros, each block takes one or two bits. Without data, decoders assume grey blocks. */
function scan(components: readonly number[], [start, end, approximation] = [0, 63, 0], data = Buffer.alloc(0)): Buffer {
  const header = [components.length, ...components.flatMap((id) => [id, 0]), start!, end!, approximation!]
  return Buffer.concat([segment(0xda, header), data])
}

const quantisation = segment(0xdb, [0, ...Buffer.alloc(64, 1)])
/** A table with one code, the bit 0. */
const huffman = (type: number, symbol: number) => segment(0xc4, [type, 1, ...Buffer.alloc(15), symbol])
/** Differences of 0, and "end of band" for 32,767 blocks. */
const tables = Buffer.concat([quantisation, huffman(0x00, 0), huffman(0x10, 0xe0)])
const restartInterval = (blocks: number) => segment(0xdd, u16(blocks))

const repeat = (part: Buffer, count: number) => Buffer.alloc(part.length * count, part)
const file = (...parts: Buffer[]) => Buffer.concat([START, ...parts, END])

const countBlocks = (side: number) => Math.ceil(side / 8) ** 2
/** One byte per block is enough for all components. */
const grey = (side: number) => Buffer.alloc(countBlocks(side))

/** A scan of 15 bits per 32,767 blocks, in which the decoder visits all coefficients of a component. */
function band(side: number, component: number, approximation: number): Buffer {
  const runs = Math.ceil(countBlocks(side) / 32_767)
  const bits = `0${'1'.repeat(14)}`.repeat(runs)
  const bytes = bits.match(/.{1,8}/g)!.map((byte) => Number.parseInt(byte.padEnd(8, '1'), 2))
  const data = Buffer.from(bytes.flatMap((byte) => (byte === 0xff ? [0xff, 0] : [byte])))
  return scan([component], [1, 63, approximation], data)
}

/** A legal sequence of 43 scans: each of them adds one bit of precision. */
function refinements(side: number): Buffer {
  const precisions = Array.from({ length: 14 }, (_, nth) => (nth === 0 ? 0x0d : ((14 - nth) << 4) | (13 - nth)))
  const bands = [1, 2, 3].flatMap((component) => precisions.map((precision) => band(side, component, precision)))
  return Buffer.concat([scan([1, 2, 3], [0, 0, 0], grey(side)), ...bands])
}

const small = () => sharp({ create: { width: 40, height: 30, channels: 3, background: '#369' } }).jpeg()

export const attacks: Attack[] = [
  {
    name: '1,075 progressive scans',
    status: 422,
    problem: 'has more than 32 scans',
    build: (side) => file(tables, frame(PROGRESSIVE, side, side), repeat(refinements(side), 25)),
  },
  {
    name: '43 progressive scans in a legal order',
    status: 422,
    problem: 'has more than 32 scans',
    build: (side) => file(tables, frame(PROGRESSIVE, side, side), refinements(side)),
  },
  {
    name: '99 baseline scans',
    status: 422,
    problem: 'has more than 32 scans',
    build: (side) => file(tables, frame(BASELINE, side, side), repeat(scan([1], [0, 63, 0], Buffer.alloc(2000)), 99)),
  },
  {
    name: 'arithmetic coding',
    status: 422,
    build: (side) =>
      file(tables, frame(ARITHMETIC, side, side), scan([1, 2, 3], [0, 63, 0], Buffer.from([0x5a, 0xa5]))),
  },
  {
    name: '99 progressive scans with arithmetic coding',
    status: 422,
    problem: 'has more than 32 scans',
    build: (side) =>
      file(
        tables,
        frame(PROGRESSIVE_ARITHMETIC, side, side),
        scan([1, 2, 3], [0, 0, 1], grey(side)),
        repeat(scan([1], [1, 63, 0], Buffer.from([0x5a, 0xa5])), 98),
      ),
  },
  {
    name: 'lossless frame',
    status: 422,
    build: (side) => file(tables, frame(LOSSLESS, side, side), scan([1, 2, 3], [1, 0, 0])),
  },
  {
    name: 'a restart interval of one block, without restarts',
    status: 422,
    build: (side) => file(tables, restartInterval(1), frame(BASELINE, side, side), scan([1, 2, 3])),
  },
  {
    name: 'random restart markers',
    status: 422,
    build: (side) =>
      file(
        tables,
        restartInterval(1),
        frame(BASELINE, side, side),
        scan([1, 2, 3]),
        Buffer.from(Array.from({ length: side * 50 }, (_, nth) => [0xff, 0xd0 + ((nth * 5) & 7)]).flat()),
      ),
  },
  {
    name: 'a height of 0, defined after the scan',
    status: 422,
    build: (side) => file(tables, frame(BASELINE, side, 0), scan([1, 2, 3]), segment(0xdc, u16(side))),
  },
  {
    name: '12 bits per sample',
    status: 422,
    build: (side) => file(tables, frame(0xc1, side, side, [0x11, 0x11, 0x11], 12), scan([1, 2, 3])),
  },
  {
    name: 'sampling factors of 4x4 beside 1x1',
    status: 200,
    build: (side) => file(tables, frame(PROGRESSIVE, side, side, [0x44, 0x11, 0x14, 0x41]), scan([1], [0, 0, 0])),
  },
  {
    name: 'sampling factors of 3x1 beside 2x4',
    status: 422,
    build: (side) => file(tables, frame(BASELINE, side, side, [0x31, 0x24, 0x11]), scan([1])),
  },
  {
    name: '255 components',
    status: 422,
    build: (side) => file(tables, frame(BASELINE, side, side, Array(255).fill(0x11))),
  },
  {
    name: '100,000 Huffman tables',
    status: 200,
    build: async () => insert(await small().toBuffer(), repeat(huffman(0x13, 0), 100_000)),
  },
  {
    name: '50,000 quantisation tables between scans',
    status: 200,
    build: (side) =>
      file(tables, frame(BASELINE, side, side), scan([1]), repeat(quantisation, 50_000), scan([2]), scan([3])),
  },
  {
    name: '1,000,000 reserved segments',
    status: 200,
    build: async () => insert(await small().toBuffer(), repeat(segment(0xf5, []), 1_000_000)),
  },
  {
    name: 'a second, larger frame',
    status: 422,
    build: (side) => file(tables, frame(BASELINE, 8, 8), frame(BASELINE, side, side), scan([1, 2, 3])),
  },
  {
    name: 'a large second picture after the end',
    status: 200,
    build: async (side) =>
      Buffer.concat([
        insert(await small().toBuffer(), segment(0xe2, Buffer.from('MPF\0II*\0\x08\0\0\0\0\0'))),
        file(tables, frame(PROGRESSIVE, side, side), refinements(side)),
      ]),
  },
  {
    name: '4 MB of fill bytes, and no end',
    status: 422,
    build: async () => insert(await small().toBuffer(), Buffer.alloc(4_000_000, 0xff)).subarray(0, -2),
  },
  {
    name: 'no scan data and no end',
    status: 422,
    build: (side) => Buffer.concat([START, tables, frame(BASELINE, side, side), scan([1, 2, 3])]),
  },
]

/** Inserts segments before the scan. */
function insert(jpeg: Buffer, segments: Buffer): Buffer {
  const at = jpeg.indexOf(Buffer.from([0xff, 0xda]))
  return Buffer.concat([jpeg.subarray(0, at), segments, jpeg.subarray(at)])
}

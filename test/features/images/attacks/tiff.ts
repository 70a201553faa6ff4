import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import type { Attack } from './attack.ts'
import { file, HEADER_BYTES, LONG, SHORT, type Tag } from './tiff-file.ts'

const [WIDTH, HEIGHT, BITS, COMPRESSION, PHOTOMETRIC, OFFSETS, SAMPLES, ROWS_PER_STRIP, COUNTS] = [
  256, 257, 258, 259, 262, 273, 277, 278, 279,
]
const [PLANAR, SUB_DIRECTORIES, TILE_WIDTH, TILE_HEIGHT, TILE_OFFSETS, TILE_COUNTS, FORMAT] = [
  284, 330, 322, 323, 324, 325, 339,
]
const [NONE, FAX, LZW, OLD_JPEG, JPEG, DEFLATE, PACKED_BITS, LOG, ZSTD] = [1, 3, 5, 6, 7, 8, 32_773, 34_676, 50_000]
interface Samples {
  readonly samples?: number
  readonly bits?: number
}

const same = (count: number, value: number) => Array.from({ length: count }, () => value)

const base = (width: number, height: number, compression: number, { samples = 1, bits = 8 }: Samples = {}): Tag[] => [
  [WIDTH, LONG, [width]],
  [HEIGHT, LONG, [height]],
  [BITS, SHORT, same(samples, bits)],
  [COMPRESSION, SHORT, [compression]],
  [PHOTOMETRIC, SHORT, [1]],
  [SAMPLES, SHORT, [samples]],
]

interface Strips extends Samples {
  /** All strips are the same bytes. */
  readonly strips?: number
  readonly more?: readonly Tag[]
}

const striped = (width: number, height: number, compression: number, data: Buffer, options: Strips = {}) => {
  const { strips = 1, more = [] } = options
  const places: Tag[] = [
    [ROWS_PER_STRIP, LONG, [Math.ceil(height / strips)]],
    [OFFSETS, LONG, same(strips, HEADER_BYTES)],
    [COUNTS, LONG, same(strips, data.length)],
  ]
  return file([...base(width, height, compression, options), ...places, ...more], data)
}

/** All tiles are the same bytes. */
const tiled = (side: number, tileSide: number, data: Buffer) => {
  const tiles = Math.ceil(side / tileSide) ** 2
  const places: Tag[] = [
    [TILE_WIDTH, LONG, [tileSide]],
    [TILE_HEIGHT, LONG, [tileSide]],
    [TILE_OFFSETS, LONG, same(tiles, HEADER_BYTES)],
    [TILE_COUNTS, LONG, same(tiles, data.length)],
  ]
  return file([...base(side, side, DEFLATE), ...places], data)
}

const jpeg = (width: number, height = width) =>
  sharp({ create: { width, height, channels: 3, background: '#369' } })
    .toColourspace('b-w')
    .jpeg({ progressive: true })
    .toBuffer()

export const attacks: Attack[] = [
  {
    name: '65,000 strips that are the same megabyte',
    status: 422,
    problem: 'has strips that share their bytes',
    build: () => striped(1, 65_000, PACKED_BITS, Buffer.alloc(1_000_000, 1), { strips: 65_000 }),
  },
  {
    name: '65,000 strips of the same compressed megabyte',
    status: 422,
    problem: 'has strips that share their bytes',
    build: () => {
      const data = Buffer.concat([deflateSync(Buffer.alloc(1000)), Buffer.alloc(1_000_000)])
      return striped(8, 65_000, DEFLATE, data, { strips: 65_000 })
    },
  },
  {
    name: '65,000 strips without numbers of bytes',
    status: 422,
    problem: 'has strips that share their bytes',
    build: () => {
      const places: Tag[] = [
        [ROWS_PER_STRIP, LONG, [1]],
        [OFFSETS, LONG, same(65_000, HEADER_BYTES)],
      ]
      return file([...base(1, 65_000, PACKED_BITS), ...places], Buffer.alloc(1_000_000, 1))
    },
  },
  {
    name: 'a tile of 32,768x32,768 for one pixel',
    status: 422,
    build: () => tiled(1, 32_768, deflateSync(Buffer.alloc(2 ** 24))),
  },
  {
    name: 'tiles of 16x16 at one place',
    status: 200,
    build: (side) => tiled(side, 16, deflateSync(Buffer.alloc(256))),
  },
  {
    name: '1,000 samples per pixel',
    status: 422,
    build: (side) =>
      striped(side, side, DEFLATE, deflateSync(Buffer.alloc(1000 * side)), { samples: 1000, strips: side }),
  },
  {
    name: '16 samples per pixel in planes of their own',
    status: 422,
    build: (side) => {
      const more: Tag[] = [[PLANAR, SHORT, [2]]]
      return striped(side, side, DEFLATE, deflateSync(Buffer.alloc(side)), { samples: 16, strips: 16 * side, more })
    },
  },
  {
    name: '64 bits per sample',
    status: 422,
    build: (side) => {
      const more: Tag[] = [[FORMAT, SHORT, [3]]]
      return striped(side, side, DEFLATE, deflateSync(Buffer.alloc(8 * side)), { bits: 64, strips: side, more })
    },
  },
  {
    name: 'four billion values of one tag',
    status: 422,
    problem: 'has values within its directory',
    build: () => file([...base(8, 8, NONE), ...wholeFile(0xff_ff_ff_ff, OFFSETS, COUNTS)], Buffer.alloc(1_000_000, 8)),
  },
  {
    name: 'tags whose values are the whole file',
    status: 422,
    problem: 'has strips that share their bytes',
    build: () => {
      const tags = [OFFSETS, COUNTS, 280, 281, 320, 332, 338, 340, 341, 347, 519, 520, 521, 529, 530, 532]
      return file([...base(8, 8, NONE), ...wholeFile(1_000_000, ...tags)], Buffer.alloc(4_000_000, 8))
    },
  },
  {
    name: 'a directory that is its own successor',
    status: 200,
    build: () => {
      const bytes = striped(8, 8, NONE, Buffer.alloc(64))
      bytes.writeUInt32LE(bytes.readUInt32LE(4), bytes.length - 4)
      return bytes
    },
  },
  {
    name: '60,000 sub-directories that are the directory',
    status: 200,
    build: () => {
      const more: Tag[] = [[SUB_DIRECTORIES, LONG, same(60_000, HEADER_BYTES + 64)]]
      return striped(8, 8, NONE, Buffer.alloc(64), { more })
    },
  },
  {
    name: 'runs that expand 64 times',
    status: 200,
    build: (side) => striped(side, side, PACKED_BITS, Buffer.alloc(1_000_000, 0x81)),
  },
  {
    name: 'LZW codes that are only "clear"',
    status: 422,
    build: (side) => {
      const codes = Buffer.from([0x80, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01, 0])
      return striped(side, side, LZW, Buffer.alloc(4_000_000, codes))
    },
  },
  {
    name: 'a fax of invalid codes',
    status: 422,
    build: () => striped(64, 60_000, FAX, Buffer.alloc(1_000_000, Buffer.from([0x00, 0x1f, 0xab, 0x33])), { bits: 1 }),
  },
  {
    name: 'a JPEG of the first kind',
    status: 422,
    build: async (side) => striped(side, side, OLD_JPEG, await jpeg(side)),
  },
  {
    name: 'a JPEG that is larger than its strip',
    status: 422,
    build: async (side) => striped(8, 8, JPEG, await jpeg(side)),
  },
  {
    name: 'strips that are the same progressive JPEG',
    status: 200,
    build: async (side) => striped(side, 16 * 60, JPEG, await jpeg(side, 16), { strips: 60 }),
  },
  {
    name: 'logarithmic colours',
    status: 422,
    build: (side) => striped(side, side, LOG, Buffer.alloc(100_000, 0x81)),
  },
  {
    name: 'a window of 2 GB (Zstandard)',
    status: 422,
    build: (side) => striped(side, side, ZSTD, Buffer.from(`28b52ffd00a8${'02000061'.repeat(20)}`, 'hex')),
  },
  {
    name: 'BigTIFF with a directory beyond 2^63',
    status: 422,
    build: async () => {
      const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: '#369' } })
      const bytes = await picture.tiff({ bigtiff: true }).toBuffer()
      return bytes.fill(0xff, 8, 16)
    },
  },
]

const wholeFile = (count: number, ...tags: number[]): Tag[] =>
  tags.map((tag) => [tag, LONG, { offset: HEADER_BYTES, count }])

import { crc32, inflateSync } from 'node:zlib'
import type { ImageFormat, Size } from './format.ts'
import { consistsOf, createCompactor, createFirstTimeCheck, readName, typeCode, UnsafeImage } from './format.ts'
import {
  hasOrientation,
  isSafeProfile,
  isSideways,
  MAX_PROFILE_BYTES,
  readOrientation,
  reduceExif,
} from './metadata.ts'

const FIRST_CHUNK = 8
/** Length and type, before the data of a chunk. */
const HEADER_BYTES = 8
/** Header and checksum of a chunk. */
const OVERHEAD_BYTES = 12

const [IHDR, EXIF, PROFILE, IDAT, IEND] = ['IHDR', 'eXIf', 'iCCP', 'IDAT', 'IEND'].map(typeCode)
const IHDR_BYTES = 13
/** Ancillary chunks that affect colours or orientation. */
const relevant = new Set([EXIF, PROFILE, ...['tRNS', 'gAMA', 'cHRM', 'sRGB', 'cICP', 'sBIT'].map(typeCode)])
/** This bit of a chunk type means that decoders may ignore the chunk. */
const ANCILLARY = 0x20_00_00_00

const CHANNELS_BY_COLOUR_TYPE = [1, 0, 3, 1, 2, 0, 4]
/** For the overhead of compression, and of the passes of an interlaced image. */
const [EXTRA_BYTES, EXTRA_ROW_BYTES] = [65_536, 16]

/** Compressed pixels hardly need more bytes than the pixels. More data is an attack: a decoder decompresses all of it. */
function computeMaxPixelBytes(header: Buffer): number {
  if (header.length < IHDR_BYTES) return 0
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const rowBytes = (width * (CHANNELS_BY_COLOUR_TYPE[header[9]!] ?? 0) * header[8]!) / 8
  return EXTRA_BYTES + 2 * height * (rowBytes + EXTRA_ROW_BYTES)
}

/** An iCCP chunk holds a name, a zero byte, the compression method, and the compressed profile. */
function isSafeProfileChunk(data: Buffer): boolean {
  try {
    return isSafeProfile(inflateSync(data.subarray(data.indexOf(0) + 2), { maxOutputLength: MAX_PROFILE_BYTES }))
  } catch {
    return false
  }
}

/** Keeps the first chunk of each type that is critical or affects colours or orientation, and all chunks of pixels. */
function stripMetadata(bytes: Buffer): Buffer {
  const { keep, finish } = createCompactor(bytes)
  const isFirst = createFirstTimeCheck<number>()
  let maxPixelBytes = 0
  keep(0, FIRST_CHUNK)
  for (let at = FIRST_CHUNK; at < bytes.length; ) {
    if (at + HEADER_BYTES > bytes.length) {
      keep(at, bytes.length)
      break
    }
    const [start, type] = [at, bytes.readUInt32BE(at + 4)]
    at += OVERHEAD_BYTES + bytes.readUInt32BE(at)
    const data = bytes.subarray(start + HEADER_BYTES, at - 4)
    const isNeeded = type === IDAT || (((type & ANCILLARY) === 0 || relevant.has(type)) && isFirst(type))
    if (type === IHDR && isNeeded) maxPixelBytes = computeMaxPixelBytes(data)
    if (type === IDAT) maxPixelBytes -= data.length
    if (maxPixelBytes < 0) throw new UnsafeImage('has more data than its pixels need')
    if (!isNeeded || (type === PROFILE && !isSafeProfileChunk(data))) continue
    if (type === EXIF && !(at <= bytes.length && hasOrientation(data))) continue
    const chunk = keep(start, at)
    if (type === EXIF) {
      reduceExif(chunk.subarray(HEADER_BYTES, -4))
      chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4)
    }
    if (type === IEND) break
  }
  return finish()
}

/** Reads the displayed size, and checks the checksum of every chunk. */
function readSizeIfComplete(bytes: Buffer): Size | undefined {
  let hasPixels = false
  let swapsSides = false
  for (let at = FIRST_CHUNK; at + OVERHEAD_BYTES <= bytes.length; ) {
    const end = at + OVERHEAD_BYTES + bytes.readUInt32BE(at)
    if (end > bytes.length) return undefined
    const name = readName(bytes, at + 4)
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return undefined
    if ((at === FIRST_CHUNK) !== (name === 'IHDR')) return undefined
    if (name === 'IDAT') hasPixels = true
    if (name === 'eXIf') swapsSides = isSideways(readOrientation(bytes.subarray(at + HEADER_BYTES, end - 4)) ?? 1)
    if (name === 'IEND') {
      const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
      if (!hasPixels || width === 0 || height === 0) return undefined
      return swapsSides ? { width: height, height: width } : { width, height }
    }
    at = end
  }
  return undefined
}

const imageChunks = 'IHDR IDAT IEND pHYs acTL fcTL fdAT PLTE tRNS gAMA cHRM sRGB sBIT bKGD'.split(' ')

const containsOnlyImage = (bytes: Buffer) =>
  consistsOf(FIRST_CHUNK, bytes.length, (at) => {
    const [name, next] = [readName(bytes, at + 4), at + OVERHEAD_BYTES + bytes.readUInt32BE(at)]
    return { isImage: imageChunks.includes(name) && (name !== 'IEND' || next === bytes.length), next }
  })

export const png = {
  hasSignature: (head) => head.startsWith('\x89PNG\r\n\x1a\n'),
  stripMetadata,
  containsOnlyImage,
  readSizeIfComplete,
} satisfies ImageFormat

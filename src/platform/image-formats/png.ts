import { crc32 } from 'node:zlib'
import { reduceExif } from './exif.ts'
import { consistsOf, type ImageFormat, readName, type Size, typeCode } from './format.ts'

const FIRST_CHUNK = 8
/** Length and type, before the data of a chunk. */
const HEADER_BYTES = 8
/** Header and checksum of a chunk. */
const OVERHEAD_BYTES = 12

const EXIF = typeCode('eXIf')
/** Ancillary chunks that affect colours or orientation. */
const relevant = new Set([
  EXIF,
  ...['tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'mDCV', 'cLLI', 'sBIT'].map(typeCode),
])
/** This bit of a chunk type means that decoders may ignore the chunk. */
const ANCILLARY = 0x20_00_00_00
const isNeeded = (type: number) => (type & ANCILLARY) === 0 || relevant.has(type)

/** Removes text, which a decoder would inflate, and other irrelevant chunks. Moves nothing if there is none. */
function stripMetadata(bytes: Buffer): Buffer {
  let end = FIRST_CHUNK
  let keepFrom = FIRST_CHUNK
  const keepUpTo = (to: number) => {
    if (end !== keepFrom) bytes.copyWithin(end, keepFrom, to)
    end += to - keepFrom
  }
  for (let at = FIRST_CHUNK, next = at; at + OVERHEAD_BYTES <= bytes.length; at = next) {
    const type = bytes.readUInt32BE(at + 4)
    next = at + OVERHEAD_BYTES + bytes.readUInt32BE(at)
    if (type === EXIF && next <= bytes.length) {
      reduceExif(bytes.subarray(at + HEADER_BYTES, next - 4))
      bytes.writeUInt32BE(crc32(bytes.subarray(at + 4, next - 4)), next - 4)
    }
    if (isNeeded(type)) continue
    keepUpTo(at)
    keepFrom = Math.min(next, bytes.length)
  }
  keepUpTo(bytes.length)
  return bytes.subarray(0, end)
}

/** Checks the checksum of every chunk. */
function readSizeIfComplete(bytes: Buffer): Size | undefined {
  let hasPixels = false
  for (let at = FIRST_CHUNK; at + OVERHEAD_BYTES <= bytes.length; ) {
    const end = at + OVERHEAD_BYTES + bytes.readUInt32BE(at)
    if (end > bytes.length) return undefined
    const name = readName(bytes, at + 4)
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return undefined
    if ((at === FIRST_CHUNK) !== (name === 'IHDR')) return undefined
    if (name === 'IDAT') hasPixels = true
    if (name === 'IEND') {
      const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
      return hasPixels && width > 0 && height > 0 ? { width, height } : undefined
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

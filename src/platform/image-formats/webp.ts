import { reduceExif } from './exif.ts'
import { consistsOf, type ImageFormat, readName, typeCode } from './format.ts'

const FIRST_CHUNK = 12
const HEADER_BYTES = 8
const FRAME_HEADER_BYTES = 16
const EXIF = typeCode('EXIF')
const FRAME = 'ANMF'
const FRAME_TYPE = typeCode(FRAME)
/** A type that no decoder knows. */
const IGNORED = typeCode('    ')

/**
 * Reduces EXIF and hides frames beyond the limit, because the decoder's time grows with the square of their number. One
 * surplus frame stays, so that the header check notices the excess.
 */
function stripMetadata(bytes: Buffer, maxFrames: number): Buffer {
  let frames = 0
  for (let at = FIRST_CHUNK; at + HEADER_BYTES <= bytes.length; ) {
    const type = bytes.readUInt32BE(at)
    const size = bytes.readUInt32LE(at + 4)
    if (type === EXIF) reduceExif(bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + size))
    if (type === FRAME_TYPE && ++frames > maxFrames + 1) bytes.writeUInt32BE(IGNORED, at)
    at += HEADER_BYTES + size + (size % 2)
  }
  return bytes
}

const frameChunks = ['VP8 ', 'VP8L', 'ALPH']
const imageChunks = [...frameChunks, 'VP8X', 'ANIM', FRAME]

const consistsOfChunks = (bytes: Buffer, start: number, end: number, allowed: readonly string[]): boolean =>
  consistsOf(start, end, (at) => {
    const length = bytes.readUInt32LE(at + 4)
    const [name, next] = [readName(bytes, at), at + HEADER_BYTES + length + (length % 2)]
    const content = at + HEADER_BYTES + FRAME_HEADER_BYTES
    const isClean = name !== FRAME || (next <= end && consistsOfChunks(bytes, content, next, frameChunks))
    return { isImage: allowed.includes(name) && isClean, next }
  })

export const webp = {
  hasSignature: (head) => head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP',
  stripMetadata,
  containsOnlyImage: (bytes) => consistsOfChunks(bytes, FIRST_CHUNK, bytes.length, imageChunks),
} satisfies ImageFormat

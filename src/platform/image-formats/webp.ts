import { consistsOf, createCompactor, createFirstTimeCheck, type ImageFormat, readName, typeCode } from './format.ts'
import { hasOrientation, isSafeProfile, reduceExif } from './metadata.ts'

const FIRST_CHUNK = 12
const HEADER_BYTES = 8
const FRAME_HEADER_BYTES = 16
const FRAME = 'ANMF'
const [FEATURES, PROFILE, EXIF, FRAME_TYPE] = ['VP8X', 'ICCP', 'EXIF', FRAME].map(typeCode)
const singleChunks = new Set([FEATURES, PROFILE, EXIF, ...['ANIM', 'ALPH', 'VP8 ', 'VP8L'].map(typeCode)])
/** Bits in the first byte of VP8X that announce chunks. */
const [PROFILE_FLAG, EXIF_FLAG, XMP_FLAG] = [0x20, 0x08, 0x04]

/**
 * Keeps the chunks of the image. Of its frames, one surplus frame stays, so that the header check notices the excess: the
 * decoder's time grows with the square of their number.
 */
function stripMetadata(bytes: Buffer, maxFrames: number): Buffer {
  if (bytes.length < FIRST_CHUNK) return bytes
  const { keep, finish } = createCompactor(bytes)
  const isFirst = createFirstTimeCheck<number>()
  const riffSize = bytes.readUInt32LE(4)
  const length = Math.min(bytes.length, 8 + riffSize)
  let frames = 0
  let kept = 0
  let features: Buffer | undefined
  keep(0, FIRST_CHUNK)
  for (let at = FIRST_CHUNK; at < length; ) {
    const start = at
    const type = start + HEADER_BYTES > length ? undefined : bytes.readUInt32BE(start)
    const size = type === undefined ? 0 : bytes.readUInt32LE(start + 4)
    at = type === undefined ? length : start + HEADER_BYTES + size + (size % 2)
    const data = bytes.subarray(start + HEADER_BYTES, Math.min(at, length))
    if (type === FRAME_TYPE ? ++frames > maxFrames + 1 : type && !(singleChunks.has(type) && isFirst(type))) continue
    if (type === PROFILE && !isSafeProfile(data.subarray(0, size))) continue
    if (type === EXIF && !hasOrientation(data)) continue
    const chunk = keep(start, Math.min(at, length))
    if (type === FEATURES) features = chunk
    if (type === EXIF) reduceExif(chunk.subarray(HEADER_BYTES))
    if (type === PROFILE) kept |= PROFILE_FLAG
    if (type === EXIF) kept |= EXIF_FLAG
  }
  const result = finish()
  if (features) features[HEADER_BYTES]! &= ~(PROFILE_FLAG | EXIF_FLAG | XMP_FLAG) | kept
  // Subtracted, so that a file that is cut off still is.
  result.writeUInt32LE(riffSize - (length - result.length), 4)
  return result
}

/** Whether every frame, or the only image, is compressed without loss. */
function isLossless(bytes: Buffer): boolean {
  let lossy = 0
  let lossless = 0
  const count = (start: number, end: number) => {
    for (let at = start; at + HEADER_BYTES <= end; ) {
      const [name, size] = [readName(bytes, at), bytes.readUInt32LE(at + 4)]
      const next = at + HEADER_BYTES + size + (size % 2)
      if (name === 'VP8 ') lossy++
      if (name === 'VP8L') lossless++
      // A frame contains no frames, whatever its chunks are called.
      if (name === FRAME && start === FIRST_CHUNK) count(at + HEADER_BYTES + FRAME_HEADER_BYTES, Math.min(next, end))
      at = next
    }
  }
  count(FIRST_CHUNK, bytes.length)
  return lossless > 0 && lossy === 0
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
  isLossless,
  containsOnlyImage: (bytes) => consistsOfChunks(bytes, FIRST_CHUNK, bytes.length, imageChunks),
} satisfies ImageFormat

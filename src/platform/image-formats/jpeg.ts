import type { ImageFormat, Size } from './format.ts'
import { consistsOf, createCompactor, createFirstTimeCheck, readName, UnsafeImage } from './format.ts'
import { hasOrientation, isSafeProfile, isSideways, readOrientation, reduceExif } from './metadata.ts'

const MARKER = 0xff
const STUFFED = 0x00
const TEM = 0x01
const RST0 = 0xd0
const RST7 = 0xd7
const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const DHT = 0xc4
const DQT = 0xdb
const DRI = 0xdd
const APP0 = 0xe0
const APP1 = 0xe1
const APP2 = 0xe2
const APP14 = 0xee
const APP15 = 0xef
const COMMENT = 0xfe
/** Baseline, extended and progressive. Browsers show none of the others (lossless, arithmetic). */
const PROGRESSIVE = 0xc2
const FRAMES = [0xc0, 0xc1, PROGRESSIVE]
/** Segments that define the image. */
const IMAGE_SEGMENTS = [...FRAMES, DHT, DQT, DRI, SOS]
/** Usual progressive images have about ten. A decoder visits all pixels for each of them. */
const MAX_SCANS = 32
const FIRST_SEGMENT = 2
const EXIF = Buffer.from('Exif')
const PROFILE = Buffer.from('ICC_PROFILE\0')
/** The name, the number of the part, and the number of parts. */
const PROFILE_HEADER_BYTES = PROFILE.length + 2

const hasNoLength = (marker: number) => marker === TEM || (marker >= RST0 && marker <= SOI)

/** A profile that is larger than a segment is divided into numbered parts. */
const readPart = (segment: Buffer) =>
  segment.length > PROFILE_HEADER_BYTES && PROFILE.equals(segment.subarray(0, PROFILE.length))
    ? segment[PROFILE.length]
    : undefined

/** Empty unless the parts are numbered from 1 to the number that each of them states: decoders ignore others. */
function joinParts(parts: ReadonlyMap<number, Buffer>): Buffer {
  const sorted = [...parts].sort(([a], [b]) => a - b)
  const isWhole = sorted.every(([number, part], nth) => number === nth + 1 && part[PROFILE.length + 1] === parts.size)
  return Buffer.concat(isWhole ? sorted.map(([, part]) => part.subarray(PROFILE_HEADER_BYTES)) : [])
}

/**
 * Keeps the segments that define the image, and one JFIF, Adobe and EXIF segment and one profile. Like decoders, it skips
 * bytes between segments.
 */
function stripMetadata(bytes: Buffer, maxFrames: number, keepsProfile = true): Buffer {
  const { keep, finish } = createCompactor(bytes)
  const isFirst = createFirstTimeCheck<number>()
  const profile = new Map<number, Buffer>()
  let scans = 0
  keep(0, FIRST_SEGMENT)
  for (let at = bytes.indexOf(MARKER, FIRST_SEGMENT); at >= 0; at = bytes.indexOf(MARKER, at)) {
    while (bytes[at + 1] === MARKER) at++
    const [start, marker] = [at, bytes[at + 1]]
    at += 2
    if (marker === undefined || marker === EOI) {
      keep(start, at)
      break
    }
    if (marker === STUFFED || hasNoLength(marker)) continue
    if (at + 2 > bytes.length) break
    const end = Math.min(at + Math.max(2, bytes.readUInt16BE(at)), bytes.length)
    const content = bytes.subarray(at + 2, end)
    at = marker === SOS ? findEndOfScan(bytes, end) : end
    if (marker === SOS && ++scans > MAX_SCANS) throw new UnsafeImage(`has more than ${MAX_SCANS} scans`)
    const isNamed = (name: string) => content.toString('latin1', 0, name.length) === name
    if (IMAGE_SEGMENTS.includes(marker)) keep(start, at)
    else if (marker === APP0 && isNamed('JFIF\0') && content.length >= 14 && isFirst(APP0)) keep(start, at)
    else if (marker === APP14 && isNamed('Adobe') && content.length >= 12 && isFirst(APP14)) keep(start, at)
    else if (marker === APP1 && hasOrientation(content) && isFirst(APP1)) reduceExif(keep(start, at).subarray(4))
    else if (marker === APP2 && keepsProfile) {
      const part = readPart(content)
      if (part !== undefined && !profile.has(part)) profile.set(part, keep(start, at).subarray(4))
    }
  }
  if (profile.size === 0 || isSafeProfile(joinParts(profile))) return finish()
  return stripMetadata(finish(), maxFrames, false)
}

/**
 * Reads the displayed size if segments and scans lead to the end marker. What follows the end marker (phones append
 * data) does not count.
 */
function readSizeIfComplete(bytes: Buffer): Size | undefined {
  let size: Size | undefined
  let swapsSides = false
  let scans = 0
  for (let at = FIRST_SEGMENT; bytes[at] === MARKER; ) {
    const marker = bytes[at + 1]!
    if (marker === EOI) return scans > 0 && size ? orient(size, swapsSides) : undefined
    if (marker === MARKER) {
      at++
      continue
    }
    if (at + 4 > bytes.length) return undefined
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    const segment = bytes.subarray(at + 4, end)
    if (FRAMES.includes(marker) && segment.length >= 6) {
      size = { height: segment.readUInt16BE(1), width: segment.readUInt16BE(3) }
    }
    if (marker === APP1 && EXIF.equals(segment.subarray(0, 4))) swapsSides ||= isSideways(readOrientation(segment) ?? 1)
    if (marker === SOS) scans++
    at = marker === SOS ? findEndOfScan(bytes, end) : end
  }
  return undefined
}

function orient({ width, height }: Size, swapsSides: boolean): Size | undefined {
  if (width === 0 || height === 0) return undefined
  return swapsSides ? { width: height, height: width } : { width, height }
}

/** Reads the header of a JPEG whose metadata was stripped; undefined if it is broken. */
export function readJpegHeader(bytes: Buffer) {
  let frame: (Size & { isProgressive: boolean }) | undefined
  let orientation = 1
  for (let at = FIRST_SEGMENT; at + 4 <= bytes.length && bytes[at + 1] !== SOS; ) {
    const marker = bytes[at + 1]!
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    const segment = bytes.subarray(at + 4, end)
    if (FRAMES.includes(marker) && segment.length >= 6) {
      frame = { height: segment.readUInt16BE(1), width: segment.readUInt16BE(3), isProgressive: marker === PROGRESSIVE }
    }
    if (marker === APP1) orientation = readOrientation(segment) ?? 1
    at = end
  }
  const size = frame && orient(frame, isSideways(orientation))
  return frame && size && { ...frame, ...size, orientation }
}

/** Finds the next marker after scan data, in which a marker byte is stuffed or starts a restart marker. */
function findEndOfScan(bytes: Buffer, start: number): number {
  let at = bytes.indexOf(MARKER, start)
  while (at >= 0) {
    // A marker may follow several fill bytes.
    while (bytes[at + 1] === MARKER) at++
    const next = bytes[at + 1] ?? EOI
    if (next !== STUFFED && !(next >= RST0 && next <= RST7)) return at
    at = bytes.indexOf(MARKER, at + 2)
  }
  return bytes.length
}

const containsOnlyImage = (bytes: Buffer) =>
  consistsOf(FIRST_SEGMENT, bytes.length, (at) => {
    const marker = bytes[at + 1] ?? 0
    if (bytes[at] !== MARKER) return undefined
    if (marker === EOI) return { isImage: at + 2 === bytes.length, next: at + 2 }
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    const next = marker === SOS ? findEndOfScan(bytes, end) : end
    // JFIF and Adobe segments define colours. All other application data is about the camera, the place or the author.
    if (marker === APP0) return { isImage: readName(bytes, at + 4) === 'JFIF' && end - at === 18, next }
    if (marker === APP14) return { isImage: readName(bytes, at + 4) === 'Adob' && end - at === 16, next }
    return { isImage: marker !== COMMENT && !(marker > APP0 && marker <= APP15), next }
  })

export const jpeg = {
  hasSignature: (head) => head.startsWith('\xff\xd8\xff'),
  stripMetadata,
  containsOnlyImage,
  readSizeIfComplete,
} satisfies ImageFormat

import { consistsOf, type ImageFormat, readName, UnsafeImage } from './format.ts'
import { isSafeProfile } from './icc.ts'

const HEADER_BYTES = 8
/** A version and flags, before the content of some boxes. */
const FULL_BOX_BYTES = 4
/** A photo of a phone has about fifty tiles, and as many for transparency. */
const MAX_ITEMS = 256
const MAX_EXTENTS = 32
/** References between items take two or four bytes each. */
const MAX_REFERENCE_BYTES = 2048
/** A progressive image has up to four layers in one item. */
const MAX_FRAMES = 4
/** Encoders store equal tiles once. */
const MAX_REUSE = 4
/** Frame header, frame, and repeated frame header. */
const FRAME_UNITS = [3, 6, 7]
const EXIF = Buffer.from('Exif')

/** Reads the brands in the first box of an ISO media file: the major one, and those after the version. */
function readBrands(head: string): string[] {
  if (head.slice(4, 8) !== 'ftyp') return []
  const size = Math.min(Buffer.from(head.slice(0, 4), 'latin1').readUInt32BE(), head.length)
  return (head.slice(8, 12) + head.slice(16, size)).match(/.{4}/gs) ?? []
}

interface Box {
  readonly type: string
  /** Offset of the header. */
  readonly start: number
  readonly content: Buffer
}

/** Ends at a box that is broken. */
function* iterateBoxes(bytes: Buffer, start = 0): Generator<Box> {
  for (let at = start; at + HEADER_BYTES <= bytes.length; ) {
    let size = bytes.readUInt32BE(at)
    let header = HEADER_BYTES
    // 0 means up to the end of the file; 1 means that the size follows in eight bytes.
    if (size === 0) size = bytes.length - at
    else if (size === 1 && at + 16 <= bytes.length) {
      size = Number(bytes.readBigUInt64BE(at + HEADER_BYTES))
      header = 16
    }
    if (size < header) return
    yield { type: readName(bytes, at + 4), start: at, content: bytes.subarray(at + header, at + size) }
    at += size
  }
}

/** Reads numbers of given sizes, one after the other. */
function createReader(bytes: Buffer) {
  let at = 0
  return (size: number): number => {
    at += size
    if (at > bytes.length) throw new UnsafeImage('has a broken list of items')
    if (size === 0) return 0
    return size === 8 ? Number(bytes.readBigUInt64BE(at - 8)) : bytes.readUIntBE(at - size, size)
  }
}

interface Extent {
  readonly offset: number
  readonly length: number
}

interface ItemLocation {
  /** Whether the data is in the box `idat` instead of the file. */
  readonly isInBox: boolean
  readonly extents: readonly Extent[]
}

/** Reads where the data of each item is. An item of several extents is in several places of the file. */
function readItemLocations(box: Buffer): ItemLocation[] {
  const read = createReader(box)
  const version = read(1)
  read(3)
  const sizes = read(2)
  const [offsetSize, lengthSize, baseSize] = [(sizes >> 12) & 15, (sizes >> 8) & 15, (sizes >> 4) & 15]
  const indexSize = version === 0 ? 0 : sizes & 15
  if (![offsetSize, lengthSize, baseSize, indexSize].every((size) => [0, 4, 8].includes(size))) {
    throw new UnsafeImage('has a broken list of items')
  }
  const items: ItemLocation[] = []
  const count = read(version < 2 ? 2 : 4)
  if (count > MAX_ITEMS) throw new UnsafeImage(`has more than ${MAX_ITEMS} items`)
  for (let item = 0; item < count; item++) {
    read(version < 2 ? 2 : 4)
    const method = version === 0 ? 0 : read(2) & 15
    read(2)
    const base = read(baseSize)
    const extents = read(2)
    if (extents > MAX_EXTENTS) throw new UnsafeImage(`has an item of more than ${MAX_EXTENTS} parts`)
    const parts: Extent[] = []
    for (let extent = 0; extent < extents; extent++) {
      read(indexSize)
      parts.push({ offset: base + read(offsetSize), length: read(lengthSize) })
    }
    if (method > 1) throw new UnsafeImage('has items that are parts of other items')
    items.push({ isInBox: method === 1, extents: parts })
  }
  return items
}

/** Counts the frames in the data of an item. It is a sequence of units: a type, a length and content. */
function countFrames(data: Buffer): number {
  let frames = 0
  for (let at = 0; at < data.length; ) {
    const header = data[at]!
    at += header & 4 ? 2 : 1
    let size = header & 2 ? 0 : data.length - at
    if (header & 2) {
      for (let shift = 0, byte = 0x80; byte & 0x80 && shift < 56; shift += 7) {
        byte = data[at++] ?? 0
        size += (byte & 0x7f) * 2 ** shift
      }
    }
    if (FRAME_UNITS.includes((header >> 3) & 15)) frames++
    at += size
  }
  return frames
}

/** A still image of AV1 is one frame per item. A decoder would decode all others, too. */
function checkItems(bytes: Buffer, locations: Buffer, dataBox: Buffer): void {
  let total = 0
  for (const { isInBox, extents } of readItemLocations(locations)) {
    const data = isInBox ? dataBox : bytes
    const parts = extents.map(({ offset, length }) => data.subarray(offset, length ? offset + length : data.length))
    for (const part of parts) total += part.length
    if (total > MAX_REUSE * bytes.length) throw new UnsafeImage('uses the same data for too many items')
    if (countFrames(Buffer.concat(parts)) > MAX_FRAMES) throw new UnsafeImage(`has more than ${MAX_FRAMES} frames`)
  }
}

/** Overwrites colour profiles that are not safe. Decoders ignore an invalid profile. */
function hideUnsafeProfiles(properties: Buffer): void {
  for (const container of iterateBoxes(properties)) {
    for (const { type, content } of iterateBoxes(container.content)) {
      const isProfile = type === 'colr' && ['prof', 'rICC'].includes(readName(content, 0))
      if (isProfile && !isSafeProfile(content.subarray(4))) content.fill(0, 4)
    }
  }
}

/** Hides EXIF, which AVIF does not use for its orientation, and tracks: only the still image is read. */
function stripMetadata(bytes: Buffer): Buffer {
  const locations: Buffer[] = []
  let dataBox: Buffer = Buffer.alloc(0)
  for (const { type, start, content } of iterateBoxes(bytes)) {
    if (type === 'moov') bytes.write('free', start + 4)
    if (type !== 'meta') continue
    hideExif(content)
    for (const box of iterateBoxes(content, FULL_BOX_BYTES)) {
      if (box.type === 'iprp') hideUnsafeProfiles(box.content)
      if (box.type === 'iloc') locations.push(box.content)
      if (box.type === 'idat') dataBox = box.content
      // A grid may name one tile many times, and a decoder would decode it each time.
      if (box.type === 'iref' && box.content.length > MAX_REFERENCE_BYTES) throw new UnsafeImage('has too many tiles')
    }
  }
  if (locations.length > 1) throw new UnsafeImage('has several lists of items')
  // Last, because items could contain bytes that were changed before.
  for (const box of locations) checkItems(bytes, box, dataBox)
  return bytes
}

function hideExif(meta: Buffer): void {
  for (let at = meta.indexOf(EXIF); at >= 0; at = meta.indexOf(EXIF, at)) meta.fill('x', at, at + EXIF.length)
}

const imageBoxes = ['ftyp', 'meta', 'mdat', 'moov']

export const avif = {
  hasSignature: (head) => readBrands(head).some((brand) => brand === 'avif' || brand === 'avis'),
  stripMetadata,
  containsOnlyImage: (bytes) =>
    consistsOf(0, bytes.length, (at) => ({
      isImage: imageBoxes.includes(readName(bytes, at + 4)),
      next: at + bytes.readUInt32BE(at),
    })),
} satisfies ImageFormat

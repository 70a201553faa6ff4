// What a decoder would do for the items of an AVIF: an image, its tiles and its transparency are items.
import { readName, UnsafeImage } from './format.ts'

// The boxes of ISO media files, of which AVIF is one.

const HEADER_BYTES = 8
/** A version and flags, before the content of some boxes. */
export const FULL_BOX_BYTES = 4

interface Box {
  readonly type: string
  /** Offset of the header. */
  readonly start: number
  readonly content: Buffer
}

/** Ends at a box that is broken. */
export function* iterateBoxes(bytes: Buffer, start = 0): Generator<Box> {
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

/** A photo of a phone has about fifty tiles, and as many for transparency. */
const MAX_ITEMS = 256
const MAX_EXTENTS = 32
/** References between items take two or four bytes each. */
const MAX_REFERENCE_BYTES = 2048
/** A progressive image has up to four layers in one item. */
const MAX_FRAMES = 4
/** Encoders store equal tiles once. */
const MAX_REUSE = 4
/** An image, or a grid of images. Others are metadata, or derived from any number of images: overlays. */
const itemTypes = ['av01', 'grid']
/** Transformations of the whole image: rotation, mirror and crop. */
const transformations = ['irot', 'imir', 'clap']
/** Frame header, frame, and repeated frame header. */
const FRAME_UNITS = [3, 6, 7]

type Extent = { readonly offset: number; readonly length: number }

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
  if (![offsetSize, lengthSize, baseSize, indexSize].every((size) => [0, 4, 8].includes(size)))
    throw new UnsafeImage('has a broken list of items')
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
export function checkItems(bytes: Buffer, locations: Buffer, dataBox: Buffer): void {
  let total = 0
  for (const { isInBox, extents } of readItemLocations(locations)) {
    const data = isInBox ? dataBox : bytes
    const parts = extents.map(({ offset, length }) => data.subarray(offset, length ? offset + length : data.length))
    for (const part of parts) total += part.length
    if (total > MAX_REUSE * bytes.length) throw new UnsafeImage('uses the same data for too many items')
    if (countFrames(Buffer.concat(parts)) > MAX_FRAMES) throw new UnsafeImage(`has more than ${MAX_FRAMES} frames`)
  }
}

/** Overwrites the types of items that the image does not need. A decoder would read, and decompress, all metadata. */
export function hideOtherItems(list: Buffer): void {
  const start = FULL_BOX_BYTES + (list[0] === 0 ? 2 : 4)
  for (const { type, content } of iterateBoxes(list, start)) {
    const version = content[0] ?? 0
    const at = FULL_BOX_BYTES + (version === 2 ? 4 : 6)
    const hasType = type === 'infe' && version >= 2 && at + 4 <= content.length
    if (!hasType) throw new UnsafeImage('has a broken list of items')
    if (!itemTypes.includes(readName(content, at))) content.write('free', at)
  }
}

/** A grid may name one tile many times, and a decoder would decode it each time. Grids of grids would multiply that. */
export function checkReferences(list: Buffer): void {
  if (list.length > MAX_REFERENCE_BYTES) throw new UnsafeImage('has too many tiles')
  const idBytes = list[0] === 0 ? 2 : 4
  for (const derivation of ['dimg', 'auxl']) {
    const derived = new Set<number>()
    const uses = new Map<number, number>()
    for (const { type, content } of iterateBoxes(list, FULL_BOX_BYTES)) {
      if (type !== derivation) continue
      const read = createReader(content)
      derived.add(read(idBytes))
      for (let count = read(2); count > 0; count--) {
        const used = read(idBytes)
        uses.set(used, (uses.get(used) ?? 0) + 1)
      }
    }
    for (const [used, count] of uses) {
      if (derived.has(used)) throw new UnsafeImage('has images that are derived from derived images')
      if (count > MAX_REUSE) throw new UnsafeImage('uses the same tile too often')
    }
  }
}

/** An item may name the same rotation many times, and a decoder would rotate the image each time. */
export function checkProperties(properties: Buffer): void {
  const types: string[] = []
  for (const { type, content } of iterateBoxes(properties)) {
    if (type === 'ipco') for (const property of iterateBoxes(content)) types.push(property.type)
  }
  const seen = new Set<string>()
  for (const { type, content } of iterateBoxes(properties)) {
    if (type !== 'ipma') continue
    const read = createReader(content)
    const version = read(1)
    const isLong = (read(3) & 1) === 1
    for (let items = read(4); items > 0; items--) {
      const item = read(version === 0 ? 2 : 4)
      for (let count = read(1); count > 0; count--) {
        const index = isLong ? read(2) & 0x7f_ff : read(1) & 0x7f
        const property = types[index - 1] ?? ''
        if (!transformations.includes(property)) continue
        const use = `${item} ${property}`
        if (seen.has(use)) throw new UnsafeImage('repeats a transformation')
        seen.add(use)
      }
    }
  }
}

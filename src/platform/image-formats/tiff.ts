import { createFirstTimeCheck, type ImageFormat, UnsafeImage, viewOf } from './format.ts'
import { isSafeProfile } from './metadata.ts'

const BIG_TIFF = 43

const PROFILE = 34_675
/** Tags with the offsets and byte counts of strips, and of tiles. */
const OFFSETS = [273, 324]
const COUNTS = [279, 325]
/** The sizes of values by the types of entries that a decoder accepts for numbers of bytes. */
const TYPE_BYTES: Record<number, 1 | 2 | 4 | 8> = { 1: 1, 3: 2, 4: 4, 16: 8 }
/** Strips may share bytes, and a decoder reads them for each strip. */
const MAX_REUSE = 4
/** Small files may share more. */
const MAX_SHARED_BYTES = 16 * 2 ** 20

/** Tags of libtiff that define the pixels: size, samples, compression, strips, tiles, colours, orientation. */
const knownTags = new Set([
  ...[254, 256, 257, 258, 259, 262, 266, 273, 274, 277, 278, 279, 280, 281, 284, 292, 293, 317, 320],
  ...[322, 323, 324, 325, 332, 334, 338, 339, 340, 341, 347],
  // JPEG as in version 6, and YCbCr.
  ...[512, 513, 514, 515, 517, 518, 519, 520, 521, 529, 530, 531, 532],
  PROFILE,
])

/**
 * Keeps the known tags of the first page, each of them once: unknown ones cost a decoder time that grows with the square
 * of their number. Ends the file after that page, the only one that is read: a decoder visits all others to count them.
 */
function stripMetadata(bytes: Buffer): Buffer {
  if (bytes.length < 16) return bytes
  const view = viewOf(bytes)
  const isLittleEndian = bytes[0] === 0x49
  const isBig = view.getUint16(2, isLittleEndian) === BIG_TIFF
  const readOffset = (at: number) =>
    isBig ? Number(view.getBigUint64(at, isLittleEndian)) : view.getUint32(at, isLittleEndian)
  const [offsetBytes, countBytes, entryBytes] = isBig ? [8, 8, 20] : [4, 2, 12]
  const directory = readOffset(isBig ? 8 : 4)
  const first = directory + countBytes
  if (first > bytes.length) return bytes
  if (directory < (isBig ? 16 : 8)) throw new UnsafeImage('has a directory that overlaps its header')
  const count = isBig ? readOffset(directory) : view.getUint16(directory, isLittleEndian)
  const end = Math.min(first + count * entryBytes, bytes.length)
  const isFirst = createFirstTimeCheck<number>()
  let kept = first
  let strips = 0
  let stripBytes: number | undefined

  /** Where the values of an entry are. Those within the directory would change after a check. */
  function findValues(at: number, bytesPerValue: number): readonly [start: number, end: number] {
    const length = readOffset(at + 4) * bytesPerValue
    const value = at + 4 + offsetBytes
    if (length <= offsetBytes) return [value, value + length]
    const start = readOffset(value)
    if (start < end + offsetBytes && start + length > directory)
      throw new UnsafeImage('has values within its directory')
    return [start, Math.min(start + length, bytes.length)]
  }

  function sumValues(at: number): number {
    const size = TYPE_BYTES[view.getUint16(at + 2, isLittleEndian)]
    if (!size) throw new UnsafeImage('has a broken list of strips')
    const [start, valuesEnd] = findValues(at, size)
    const read = {
      1: (place: number) => view.getUint8(place),
      2: (place: number) => view.getUint16(place, isLittleEndian),
      4: (place: number) => view.getUint32(place, isLittleEndian),
      8: (place: number) => Number(view.getBigUint64(place, isLittleEndian)),
    }[size]
    let sum = 0
    for (let place = start; place + size <= valuesEnd; place += size) sum += read(place)
    return sum
  }

  /** The value of an entry follows its tag (2 bytes), its type (2) and its count (an offset). */
  function isSafeEntry(at: number): boolean {
    const tag = view.getUint16(at, isLittleEndian)
    if (!knownTags.has(tag) || !isFirst(tag)) return false
    if (OFFSETS.includes(tag)) strips = Math.max(strips, readOffset(at + 4))
    if (COUNTS.includes(tag)) stripBytes = (stripBytes ?? 0) + sumValues(at)
    return tag !== PROFILE || isSafeProfile(bytes.subarray(...findValues(at, 1)))
  }

  for (let at = first; at + entryBytes <= end; at += entryBytes) {
    if (!isSafeEntry(at)) continue
    bytes.copyWithin(kept, at, at + entryBytes)
    kept += entryBytes
  }
  // Without numbers of bytes, a decoder reads the whole file for each strip.
  const readBytes = stripBytes ?? strips * bytes.length
  if (readBytes > MAX_REUSE * bytes.length + MAX_SHARED_BYTES)
    throw new UnsafeImage('has strips that share their bytes')
  const entries = (kept - first) / entryBytes
  if (isBig) view.setBigUint64(directory, BigInt(entries), isLittleEndian)
  else view.setUint16(directory, entries, isLittleEndian)
  bytes.subarray(kept, kept + offsetBytes).fill(0)
  return bytes
}

export const tiff = {
  hasSignature: (head) => ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].includes(head.slice(0, 4)),
  stripMetadata,
} satisfies ImageFormat

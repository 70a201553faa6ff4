import { createFirstTimeCheck, type ImageFormat, UnsafeImage, viewOf } from './format.ts'
import { isSafeProfile } from './icc.ts'

const BIG_TIFF = 43

const PROFILE = 34_675
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

  /** The value of an entry follows its tag (2 bytes), its type (2) and its count (an offset). */
  function isSafeEntry(at: number): boolean {
    const tag = view.getUint16(at, isLittleEndian)
    if (!knownTags.has(tag) || !isFirst(tag)) return false
    if (tag !== PROFILE) return true
    const start = readOffset(at + 4 + offsetBytes)
    const profileEnd = start + readOffset(at + 4)
    // A profile within the directory would change after this check.
    return (profileEnd <= directory || start >= end + offsetBytes) && isSafeProfile(bytes.subarray(start, profileEnd))
  }

  for (let at = first; at + entryBytes <= end; at += entryBytes) {
    if (!isSafeEntry(at)) continue
    bytes.copyWithin(kept, at, at + entryBytes)
    kept += entryBytes
  }
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

// EXIF is a tree of directories, and libexif follows pointers between them even in circles. So everything is removed
// except the orientation, which filters need.
import { viewOf } from './format.ts'

const PREFIX = Buffer.from('Exif\0\0')
const FIRST_DIRECTORY = 8
const ENTRY_BYTES = 12
const MIN_BYTES = FIRST_DIRECTORY + 2 + ENTRY_BYTES + 4
const ORIENTATION = 0x0112
const SHORT = 3
const LONG = 4

const prefixLength = (bytes: Buffer) => (PREFIX.equals(bytes.subarray(0, PREFIX.length)) ? PREFIX.length : 0)

/** Accepts EXIF data with or without its prefix. Undefined: it has no orientation. */
export const readOrientation = (bytes: Buffer) => findOrientation(bytes.subarray(prefixLength(bytes)))

/** Removes everything except the orientation, in place. Call it only if `hasOrientation` is true. */
export function reduceExif(bytes: Buffer): void {
  const exif = bytes.subarray(prefixLength(bytes))
  const orientation = findOrientation(exif) ?? 1
  exif.fill(0)
  exif.write('II*\0')
  exif.writeUInt32LE(FIRST_DIRECTORY, 4)
  exif.writeUInt16LE(1, FIRST_DIRECTORY)
  const entry = FIRST_DIRECTORY + 2
  exif.writeUInt16LE(ORIENTATION, entry)
  exif.writeUInt16LE(SHORT, entry + 2)
  exif.writeUInt32LE(1, entry + 4)
  exif.writeUInt16LE(orientation & 0xffff, entry + 8)
}

export const hasOrientation = (bytes: Buffer) => readOrientation(bytes) !== undefined

/** Whether width and height are swapped. */
export const isSideways = (orientation: number) => orientation >= 5 && orientation <= 8

function findOrientation(exif: Buffer): number | undefined {
  if (exif.length < MIN_BYTES) return undefined
  const view = viewOf(exif)
  const isLittleEndian = exif[0] === 0x49
  const directory = view.getUint32(4, isLittleEndian)
  if (directory + 2 > exif.length) return undefined
  const end = Math.min(directory + 2 + view.getUint16(directory, isLittleEndian) * ENTRY_BYTES, exif.length)
  for (let at = directory + 2; at + ENTRY_BYTES <= end; at += ENTRY_BYTES) {
    if (view.getUint16(at, isLittleEndian) !== ORIENTATION) continue
    const type = view.getUint16(at + 2, isLittleEndian)
    if (type === SHORT) return view.getUint16(at + 8, isLittleEndian)
    return type === LONG ? view.getUint32(at + 8, isLittleEndian) : undefined
  }
  return undefined
}

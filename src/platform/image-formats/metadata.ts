// Metadata that images keep: the orientation and the colour profile.
//
// EXIF is a tree of directories, and libexif follows pointers between them even in circles. So everything is removed
// except the orientation, which filters need.
import { readName, viewOf } from './format.ts'

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

// Colour profiles (ICC). Most are a matrix with three curves, or a lookup table. Version 4.3 added small programs
// (multiProcessElements): 850 bytes of them can keep a decoder busy for minutes.

/** Profiles of cameras and screens have up to 4 KB, those of printers up to about 1 MB. */
export const MAX_PROFILE_BYTES = 2 ** 20
const PROFILE_HEADER_BYTES = 128
const TAG_ENTRY_BYTES = 12
/** A type and four reserved bytes. */
const MIN_TAG_BYTES = 8
/** Usual profiles have 9 to 20. */
const MAX_TAGS = 100
/** Colours of most devices are mixed from one, three or four components. */
const MAX_CHANNELS = 4

const classes = ['mntr', 'scnr', 'prtr', 'spac']
const curveTypes = ['curv', 'para']
const tableTypes = ['mft1', 'mft2', 'mAB ', 'mBA ']

function isSafeTag(profile: Buffer, entry: number): boolean {
  const tag = readName(profile, entry)
  const [offset, size] = [profile.readUInt32BE(entry + 4), profile.readUInt32BE(entry + 8)]
  if (offset + size > profile.length || size < MIN_TAG_BYTES) return false
  // D2B and B2D are programs. No other tag may be one either.
  const type = readName(profile, offset)
  if (/^(D2B|B2D)\d$/.test(tag) || type === 'mpet') return false
  if (/^[rgbk]TRC$/.test(tag)) return curveTypes.includes(type)
  if (!/^[AB]2[AB]\d$/.test(tag)) return true
  const [inputs = 0, outputs = 0] = profile.subarray(offset + 8, offset + size)
  return tableTypes.includes(type) && Math.max(inputs, outputs) <= MAX_CHANNELS
}

/** Whether a colour profile is complete and converts colours with a matrix, curves and lookup tables only. */
export function isSafeProfile(profile: Buffer): boolean {
  if (profile.length < PROFILE_HEADER_BYTES + 4 || profile.length > MAX_PROFILE_BYTES) return false
  if (readName(profile, 36) !== 'acsp' || !classes.includes(readName(profile, 12))) return false
  const tags = profile.readUInt32BE(PROFILE_HEADER_BYTES)
  if (tags > MAX_TAGS || PROFILE_HEADER_BYTES + 4 + tags * TAG_ENTRY_BYTES > profile.length) return false
  for (let tag = 0; tag < tags; tag++)
    if (!isSafeTag(profile, PROFILE_HEADER_BYTES + 4 + tag * TAG_ENTRY_BYTES)) return false
  return true
}

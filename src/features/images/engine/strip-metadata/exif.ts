// EXIF is a tree of directories, and libexif walks it as often as its own pointers lead it round. Of all that it holds
// a filter needs the orientation only.
import { viewOf } from './view.ts'

const PREFIX = Buffer.from('Exif\0\0')
const FIRST_DIRECTORY = 8
const ENTRY_BYTES = 12
const SMALLEST = FIRST_DIRECTORY + 2 + ENTRY_BYTES + 4
const ORIENTATION = 0x0112
const SHORT = 3
const LONG = 4

/** Puts EXIF that holds nothing but the orientation in the place of what is there. */
export function defuseExif(bytes: Uint8Array): void {
  const start = PREFIX.equals(bytes.subarray(0, PREFIX.length)) ? PREFIX.length : 0
  const exif = bytes.subarray(start)
  const orientation = orientationOf(exif)
  bytes.fill(0, orientation === undefined ? 0 : start)
  if (orientation === undefined) return
  const view = viewOf(exif)
  exif.set(Buffer.from('II*\0'))
  view.setUint32(4, FIRST_DIRECTORY, true)
  view.setUint16(FIRST_DIRECTORY, 1, true)
  const entry = FIRST_DIRECTORY + 2
  view.setUint16(entry, ORIENTATION, true)
  view.setUint16(entry + 2, SHORT, true)
  view.setUint32(entry + 4, 1, true)
  view.setUint16(entry + 8, orientation, true)
}

function orientationOf(exif: Uint8Array): number | undefined {
  if (exif.length < SMALLEST) return undefined
  const view = viewOf(exif)
  const little = exif[0] === 0x49
  const directory = view.getUint32(4, little)
  if (directory + 2 > exif.length) return undefined
  const end = Math.min(directory + 2 + view.getUint16(directory, little) * ENTRY_BYTES, exif.length)
  for (let at = directory + 2; at + ENTRY_BYTES <= end; at += ENTRY_BYTES) {
    if (view.getUint16(at, little) !== ORIENTATION) continue
    const type = view.getUint16(at + 2, little)
    if (type === SHORT) return view.getUint16(at + 8, little)
    return type === LONG ? view.getUint32(at + 8, little) : undefined
  }
  return undefined
}

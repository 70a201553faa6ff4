// The boxes of ISO media files, of which AVIF is one.
import { readName, UnsafeImage } from './format.ts'

const HEADER_BYTES = 8
/** A version and flags, before the content of some boxes. */
export const FULL_BOX_BYTES = 4

export interface Box {
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
export function createReader(bytes: Buffer) {
  let at = 0
  return (size: number): number => {
    at += size
    if (at > bytes.length) throw new UnsafeImage('has a broken list of items')
    if (size === 0) return 0
    return size === 8 ? Number(bytes.readBigUInt64BE(at - 8)) : bytes.readUIntBE(at - size, size)
  }
}

import { viewOf } from './view.ts'

const HEAD_BYTES = 8
const META = Buffer.from('meta').readUInt32BE()
const EXIF = Buffer.from('Exif')

/** Hides EXIF from the decoder, which turns pictures by other means; the box that lists what a file holds names it. */
export function defuseAvif(bytes: Uint8Array): void {
  const view = viewOf(bytes)
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    const size = view.getUint32(at)
    // Of 0, to the end of the file; of 1, in eight bytes more.
    const next =
      size === 0
        ? bytes.length
        : size === 1 && at + 16 <= bytes.length
          ? at + Number(view.getBigUint64(at + 8))
          : at + size
    if (next < at + HEAD_BYTES) return
    if (view.getUint32(at + 4) === META)
      hide(Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(next, bytes.length) - at))
    at = next
  }
}

function hide(meta: Buffer): void {
  for (let at = meta.indexOf(EXIF); at >= 0; at = meta.indexOf(EXIF, at)) meta.fill('x', at, at + EXIF.length)
}

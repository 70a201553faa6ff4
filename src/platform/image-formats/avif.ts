import { consistsOf, type ImageFormat, readName, typeCode, viewOf } from './format.ts'

const HEADER_BYTES = 8
const META = typeCode('meta')
const EXIF = Buffer.from('Exif')

/** Reads the brands in the first box of an ISO media file: the major one, and those after the version. */
function readBrands(head: string): string[] {
  if (head.slice(4, 8) !== 'ftyp') return []
  const size = Math.min(Buffer.from(head.slice(0, 4), 'latin1').readUInt32BE(), head.length)
  return (head.slice(8, 12) + head.slice(16, size)).match(/.{4}/gs) ?? []
}

/** Hides EXIF by renaming it in the box that lists the items of the file. AVIF does not use EXIF for its orientation. */
function stripMetadata(bytes: Uint8Array): Uint8Array {
  const view = viewOf(bytes)
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const size = view.getUint32(at)
    // 0 means up to the end of the file; 1 means that the size follows in eight bytes.
    const next =
      size === 0
        ? bytes.length
        : size === 1 && at + 16 <= bytes.length
          ? at + Number(view.getBigUint64(at + 8))
          : at + size
    if (next < at + HEADER_BYTES) break
    if (view.getUint32(at + 4) === META) {
      hideExif(Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(next, bytes.length) - at))
    }
    at = next
  }
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

import { consistsOf, type ImageFormat, readName, typeCode } from './format.ts'

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
function stripMetadata(bytes: Buffer): Buffer {
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    let size = bytes.readUInt32BE(at)
    // 0 means up to the end of the file; 1 means that the size follows in eight bytes.
    if (size === 0) size = bytes.length - at
    else if (size === 1 && at + 16 <= bytes.length) size = Number(bytes.readBigUInt64BE(at + 8))
    if (size < HEADER_BYTES) break
    if (bytes.readUInt32BE(at + 4) === META) hideExif(bytes.subarray(at, at + size))
    at += size
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

import { defuseExif } from './exif.ts'
import { viewOf } from './view.ts'

const APP1 = 0xe1
const SOS = 0xda
const EOI = 0xd9
const EXIF = Buffer.from('Exif')
/** Markers without a length: TEM, and those from RST0 to SOI. */
const isBare = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)

/** Up to the first scan; decoders skip what lies between segments, and so do we. */
export function defuseJpeg(bytes: Uint8Array): void {
  const view = viewOf(bytes)
  let at = 2
  while (at >= 2) {
    at = bytes.indexOf(0xff, at)
    while (at >= 0 && bytes[at] === 0xff) at++
    const marker = bytes[at]
    if (at < 0 || marker === undefined || marker === SOS || marker === EOI || at + 3 > bytes.length) return
    at++
    if (marker === 0 || isBare(marker)) continue
    const next = at + Math.max(2, view.getUint16(at))
    if (marker === APP1 && EXIF.equals(bytes.subarray(at + 2, at + 6))) defuseExif(bytes.subarray(at + 2, next))
    at = next
  }
}

// Small files at which a decoder toils for a long time, made by code.
import { deflateSync } from 'node:zlib'
import { png, pngChunk } from './broken-pictures.ts'

const SIZE = 8

/** A picture of 8x8 pixels, all black, with these chunks before its pixels. */
export const pngWith = (...chunks: Buffer[]) => png(SIZE, SIZE, Buffer.alloc((SIZE * 3 + 1) * SIZE), ...chunks)

/** Compressed texts of both kinds, each of so many bytes. */
export function longTexts(count: number, bytes: number): Buffer[] {
  const text = deflateSync(Buffer.alloc(bytes))
  return Array.from({ length: count }, (_, nth) =>
    nth % 2 === 0
      ? pngChunk('zTXt', Buffer.concat([Buffer.from(`k${nth}\0\0`), text]))
      : pngChunk('iTXt', Buffer.concat([Buffer.from(`k${nth}\0\x01\0\0\0`), text])),
  )
}

/** EXIF with an orientation and so many entries, each of which says that the directory it is in lies below it. */
export function endlessExif(entries: number, orientation = 6): Buffer {
  const exif = Buffer.alloc(10 + 12 * entries + 4)
  exif.write('II*\0\x08\0\0\0', 'latin1')
  exif.writeUInt16LE(entries, 8)
  for (let at = 10; at + 12 <= exif.length; at += 12) {
    exif.writeUInt16LE(0x87_69, at)
    exif.writeUInt16LE(4, at + 2)
    exif.writeUInt32LE(1, at + 4)
    exif.writeUInt32LE(8, at + 8)
  }
  exif.writeUInt16LE(0x01_12, 10)
  exif.writeUInt16LE(3, 12)
  exif.writeUInt32LE(orientation, 18)
  return exif
}

/** Puts EXIF after the first segment of a JPEG, behind bytes that belong to nothing and that a decoder skips. */
export function jpegWithExif(jpeg: Buffer, exif: Uint8Array): Buffer {
  const at = 4 + jpeg.readUInt16BE(4)
  const head = Buffer.from('..\xff\xff\xe1\0\0Exif\0\0', 'latin1')
  head.writeUInt16BE(exif.length + 8, 5)
  return Buffer.concat([jpeg.subarray(0, at), head, exif, jpeg.subarray(at)])
}

const webpChunk = (name: string, data: Uint8Array) => {
  const head = Buffer.from(`${name}\0\0\0\0`, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}
const riff = (...chunks: Buffer[]) => webpChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]))

/** The header that says what else there is in a WebP of `width` by `height`. */
const extended = (flags: number, width: number, height: number) =>
  webpChunk('VP8X', Buffer.from([flags, 0, 0, 0, width - 1, 0, 0, height - 1, 0, 0]))

export const webpWithExif = (webp: Uint8Array, width: number, height: number, exif: Uint8Array) =>
  riff(extended(0x08, width, height), Buffer.from(webp.subarray(12)), webpChunk('EXIF', exif))

/** An animation of the same picture again and again. */
export function webpOfFrames(webp: Uint8Array, width: number, height: number, frames: number): Buffer {
  const placed = Buffer.from([0, 0, 0, 0, 0, 0, width - 1, 0, 0, height - 1, 0, 0, 1, 0, 0, 0])
  const frame = webpChunk('ANMF', Buffer.concat([placed, webp.subarray(12)]))
  const all = Buffer.concat(Array.from({ length: frames }, () => frame))
  return riff(extended(0x02, width, height), webpChunk('ANIM', Buffer.alloc(6)), all)
}

/** A TIFF of so many pages of one pixel. */
export function tiffOfPages(pages: number): Buffer {
  const fields = [256, 257, 258, 262, 273, 279].map((tag, nth) => [tag, 4, 1, [1, 1, 8, 1, 8, 1][nth]!] as const)
  const bytes = 2 + 12 * fields.length + 4
  const tiff = Buffer.alloc(8 + bytes * pages)
  tiff.write('II*\0\x08\0\0\0', 'latin1')
  for (let page = 0; page < pages; page++) {
    const at = 8 + bytes * page
    tiff.writeUInt16LE(fields.length, at)
    fields.forEach(([tag, type, count, value], nth) => {
      const entry = at + 2 + 12 * nth
      tiff.writeUInt16LE(tag, entry)
      tiff.writeUInt16LE(type, entry + 2)
      tiff.writeUInt32LE(count, entry + 4)
      tiff.writeUInt32LE(value, entry + 8)
    })
    tiff.writeUInt32LE(page + 1 < pages ? at + bytes : 0, at + bytes - 4)
  }
  return tiff
}

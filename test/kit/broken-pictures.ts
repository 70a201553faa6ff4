// Files that a stranger may send, made by code.
import { crc32, deflateSync } from 'node:zlib'

const u32 = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, nth) => {
    bytes.writeUInt32BE(value >>> 0, nth * 4)
  })
  return bytes
}

export function pngChunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name), data])
  return Buffer.concat([u32(data.length), body, u32(crc32(body))])
}

const PNG_START = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

const pngHeader = (width: number, height: number) =>
  pngChunk('IHDR', Buffer.concat([u32(width, height), Buffer.from([8, 2, 0, 0, 0])]))

/** A PNG whose header says so many pixels, with the rows that are given. */
export function png(width: number, height: number, rows: Uint8Array, ...before: Buffer[]): Buffer {
  const data = pngChunk('IDAT', deflateSync(rows))
  return Buffer.concat([PNG_START, pngHeader(width, height), ...before, data, pngChunk('IEND', Buffer.alloc(0))])
}

/** All black; a few kilobytes whatever its size. */
export const blackPng = (width: number, height: number) => png(width, height, Buffer.alloc((width * 3 + 1) * height))

/** An animated PNG: its first frame red, its second green. */
export function animatedPng(size: number): Buffer {
  const rows = (colour: number[]) =>
    Buffer.concat(
      Array.from({ length: size }, () => Buffer.from([0, ...Array.from({ length: size }, () => colour).flat()])),
    )
  const control = (sequence: number) =>
    pngChunk('fcTL', Buffer.concat([u32(sequence, size, size, 0, 0), Buffer.from([0, 1, 0, 10, 0, 0])]))
  const second = Buffer.concat([u32(2), deflateSync(rows([0, 255, 0]))])
  return Buffer.concat([
    PNG_START,
    pngHeader(size, size),
    pngChunk('acTL', u32(2, 0)),
    control(0),
    pngChunk('IDAT', deflateSync(rows([255, 0, 0]))),
    control(1),
    pngChunk('fdAT', second),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

/** A GIF of so many frames, each of which says to be so large and holds one pixel. */
export function gif(width: number, height: number, frames: number): Buffer {
  const head = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1')
  head.writeUInt16LE(width, 6)
  head.writeUInt16LE(height, 8)
  const loop = Buffer.from('\x21\xff\x0bNETSCAPE2.0\x03\x01\0\0\0', 'latin1')
  const frame = Buffer.from('\x21\xf9\x04\0\x05\0\0\0\x2c\0\0\0\0\0\0\0\0\0\x02\x02\x44\x01\0', 'latin1')
  frame.writeUInt16LE(width, 13)
  frame.writeUInt16LE(height, 15)
  return Buffer.concat([head, loop, ...Array.from({ length: frames }, () => frame), Buffer.from([0x3b])])
}

/** A lossless WebP whose header says so many pixels (at most 16,384 a side) and that ends there. */
export function webpBomb(width: number, height: number): Buffer {
  const bits = (width - 1) | ((height - 1) << 14)
  const data = Buffer.concat([Buffer.from([0x2f]), u32(bits).reverse(), Buffer.alloc(11)])
  const size = Buffer.alloc(4)
  size.writeUInt32LE(data.length)
  const body = Buffer.concat([Buffer.from('WEBPVP8L'), size, data])
  const whole = Buffer.alloc(4)
  whole.writeUInt32LE(body.length)
  return Buffer.concat([Buffer.from('RIFF'), whole, body])
}

/** Puts a segment of EXIF that is nonsense after the start of a JPEG. */
export function withBrokenExif(jpeg: Uint8Array): Buffer {
  const nonsense = Buffer.from('Exif\0\0II*\0\xff\xff\xff\x7f\xff\xff\x12\x01\x03\0', 'latin1')
  const length = Buffer.alloc(2)
  length.writeUInt16BE(nonsense.length + 2)
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xe1]), length, nonsense, jpeg.subarray(2)])
}

/** Puts a comment after the start of a JPEG, so that the file is something else to a careless reader. */
export function withComment(jpeg: Uint8Array, comment: string): Buffer {
  const text = Buffer.from(comment)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(text.length + 2)
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xfe]), length, text, jpeg.subarray(2)])
}

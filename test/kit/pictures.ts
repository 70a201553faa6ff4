import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'

const chunk = (name: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])
const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** A PNG of one pixel, different for each number. Made without a codec, so that a test can have many. */
export function tinyPng(number: number): Buffer {
  const pixel = Buffer.from([0, number >> 16, number >> 8, number])
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixel)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([signature, ...chunks])
}

export type FileType = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif'

/** A noisy image, so that its file is long enough to be truncated. */
export const createNoisyImage = (type: FileType, width = 40, height = 30): Promise<Buffer> =>
  sharp({
    create: { width, height, channels: 3, background: 'teal', noise: { type: 'gaussian', mean: 128, sigma: 40 } },
  })
    .toFormat(type)
    .toBuffer()

export async function createAnimation(type: 'gif' | 'webp', frames = 5, side = 32): Promise<Buffer> {
  const pixels = Buffer.alloc(side * side * 3 * frames)
  for (let at = 0; at < pixels.length; at++) pixels[at] = (at * 7919 + (at >> 9) * 31) & 255
  return sharp(pixels, { raw: { width: side, height: side * frames, channels: 3, pageHeight: side } })
    .toFormat(type)
    .toBuffer()
}

/** Stems of file names that need care in URLs and JSON. */
export const oddNames = [
  ...['two words', `"quotes' & <b>`, '100%', '%41', 'a?b#c', 'back\\slash', 'línea\nnew', '🐈‍⬛'],
  ...['\u00e9', 'e\u0301', '+', '-', 'a.b..c', 'x-123456789abc'],
]

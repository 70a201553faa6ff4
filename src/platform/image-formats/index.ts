// One module per image format: signature, metadata, structure; and a decoder of GIFs. To add a format: a file, and a line in the list.

import type { Sharp } from 'sharp'
import { avif } from './avif.ts'
import type { ImageFormat } from './format.ts'
import { gif } from './gif.ts'
import { jpeg } from './jpeg.ts'
import { png } from './png.ts'
import { tiff } from './tiff.ts'
import { webp } from './webp.ts'

export { type Size, UnsafeImage } from './format.ts'
export { decodeGif, readGif } from './gif-pixels.ts'
export { readJpegHeader } from './jpeg.ts'

export const imageFormats = { jpeg, png, webp, gif, avif, tiff }
export type FormatName = keyof typeof imageFormats
export const formatNames = Object.keys(imageFormats) as FormatName[]

/** Bytes at the start of a file that are enough to detect its format. */
const HEAD_BYTES = 4096

export const readHead = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1')

/** Detects the format by content: names and headers can claim anything. */
export function detectFormat(bytes: Uint8Array): FormatName | undefined {
  const head = readHead(bytes)
  return formatNames.find((name) => imageFormats[name].hasSignature(head))
}

/** See `ImageFormat.stripMetadata`. */
export const stripMetadata = (format: FormatName, bytes: Uint8Array, maxFrames: number): Buffer =>
  imageFormats[format].stripMetadata(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), maxFrames)

export const isLossless = (format: FormatName, bytes: Buffer): boolean =>
  (imageFormats[format] as ImageFormat).isLossless?.(bytes) ?? false

/**
 * Whether a file contains only its image. A decoder reports only the usual metadata: not comments, not application data
 * of phones and programs, nor what follows the end, such as the video of a moving photo.
 */
export function containsOnlyImage(format: FormatName, bytes: Buffer): boolean {
  try {
    return (imageFormats[format] as ImageFormat).containsOnlyImage?.(bytes) ?? false
  } catch {
    // The file ends within a part.
    return false
  }
}

/** Little effort where more would cost much CPU time: anyone may request any number of drawings. */
const encoders = {
  png: (image: Sharp) => image.png({ compressionLevel: 7 }),
  webp: (image: Sharp) => image.webp({ quality: 86, effort: 2 }),
  // No transparency in this format.
  jpeg: (image: Sharp) => image.flatten({ background: '#fff' }).jpeg({ quality: 88, chromaSubsampling: '4:4:4' }),
  gif: (image: Sharp) => image.gif({ dither: 0 }),
  avif: (image: Sharp) => image.avif({ quality: 60, effort: 0 }),
}

export type DrawingFormat = keyof typeof encoders

/** Rasterises at the target size, so that large pictures stay sharp. Loads sharp on first use: it takes 20 MB. */
export async function renderSvg(svg: Uint8Array, format: DrawingFormat, size: number): Promise<Buffer> {
  const { default: sharp } = await import('sharp')
  return encoders[format](sharp(svg).resize(size, size)).toBuffer()
}

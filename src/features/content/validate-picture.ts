import { hash } from 'node:crypto'
import sharp from 'sharp'
import { imageFormats, type Size } from '../../platform/image-formats/index.ts'
import type { PictureFacts } from './picture.ts'
import { type PictureType, typeOfBytes, typeOfName } from './picture-types.ts'

export const MAX_FILE_BYTES = 32 * 2 ** 20
/** Over all frames: what a browser still shows on a small machine. */
const MAX_PIXELS = 100e6
const DECODE_SECONDS = 30
/** Below this a picture decodes faster than it shrinks; above it the shrinking saves the memory of its pixels. */
const SHRINK_ABOVE_PIXELS = 256 * 256

export interface Refusal {
  rule: string
  message: string
}

export type Inspected = { facts: PictureFacts } | { refusal: Refusal }

const refuse = (rule: string, message: string) => ({ refusal: { rule, message } })
const broken = (why: string) => refuse('broken', `The picture does not decode to its end (${why}).`)

export const digestOf = (bytes: Uint8Array) => hash('sha256', bytes).slice(0, 12)

export const tooLarge = () => refuse('size', `A picture has at most ${MAX_FILE_BYTES / 2 ** 20} MiB.`)

/** Tells what a picture is by its bytes, or why it cannot be served: a name promises nothing. */
export async function inspectPicture(name: string, bytes: Buffer): Promise<Inspected> {
  if (bytes.length > MAX_FILE_BYTES) return tooLarge()
  const type = typeOfBytes(bytes)
  if (!type) return refuse('type', 'This is no JPEG, PNG, WebP, GIF or AVIF picture.')
  if (type !== typeOfName(name)) return refuse('disguised', `This is a ${type}, and its name says otherwise.`)
  try {
    const measured = await measure(type, bytes)
    if ('refusal' in measured) return measured
    return { facts: { id: digestOf(bytes), type, ...measured } }
  } catch (error) {
    return broken(error instanceof Error ? error.message.trim().split('\n')[0]! : String(error))
  }
}

type Measured = Size | { refusal: Refusal }

const tooManyPixels = () => refuse('pixels', `A picture has at most ${MAX_PIXELS / 1e6} megapixels over all frames.`)

/**
 * The checksums of a PNG prove that its bytes are those which its maker wrote, and of a JPEG whose parts are all there a
 * decoder makes a picture whatever its pixels are: decoding would take ten times as long and tell no more.
 */
const sizeReaders: Partial<Record<PictureType, (bytes: Buffer) => Size | undefined>> = {
  png: imageFormats.png.readSizeIfComplete,
  jpeg: imageFormats.jpeg.readSizeIfComplete,
}

async function measure(type: PictureType, bytes: Buffer): Promise<Measured> {
  const readSize = sizeReaders[type]
  if (readSize) {
    const size = readSize(bytes)
    if (!size) return broken('a part of it is missing or damaged')
    return size.width * size.height > MAX_PIXELS ? tooManyPixels() : size
  }
  const { width, height, pages = 1, pageHeight = height } = await sharp(bytes).metadata()
  const pixels = width * pageHeight * pages
  if (pixels > MAX_PIXELS) return tooManyPixels()
  if (type === 'gif' && !imageFormats.gif.isComplete(bytes)) return broken('it ends before its last frame')
  await decode(bytes, pixels)
  return { width, height: pageHeight }
}

async function decode(bytes: Buffer, pixels: number): Promise<void> {
  const whole = sharp(bytes, { failOn: 'error', pages: -1, limitInputPixels: MAX_PIXELS, sequentialRead: true })
  const decoded = pixels > SHRINK_ABOVE_PIXELS ? whole.resize(8, 8, { fit: 'fill' }) : whole
  await decoded.timeout({ seconds: DECODE_SECONDS }).raw().toBuffer()
}

import { hash } from 'node:crypto'
import { imageFormats, readGif, type Size } from '../../platform/image-formats/index.ts'
import { type PictureType, typeOfBytes, typeOfName } from './kinds.ts'
import type { PictureInfo } from './picture-index.ts'

export const MAX_FILE_BYTES = 32 * 2 ** 20
/** Of all frames together: a browser on a small machine can still show it. */
const MAX_PIXELS = 100e6
const DECODE_TIMEOUT_SECONDS = 30
/** Smaller pictures decode faster without resizing; for larger ones resizing saves memory. */
const MAX_FULL_DECODE_PIXELS = 256 * 256

type Rejection = ReturnType<typeof reject>

const reject = (rule: string, message: string) => ({ rule, message })
const rejectBroken = (problem: string) => reject('broken', `The picture cannot be decoded completely (${problem}).`)

export const digestOf = (bytes: Uint8Array) => hash('sha256', bytes).slice(0, 12)

export const TOO_LARGE = `A picture may have at most ${MAX_FILE_BYTES / 2 ** 20} MiB.`

/** Checks that a file is a complete picture, and of the type that its name says. */
export async function validatePicture(name: string, bytes: Buffer): Promise<{ picture: PictureInfo } | Rejection> {
  if (bytes.length > MAX_FILE_BYTES) return reject('size', TOO_LARGE)
  const type = typeOfBytes(bytes)
  if (!type) return reject('type', 'This is not a JPEG, PNG, WebP, GIF or AVIF picture.')
  if (type !== typeOfName(name)) return reject('disguised', `This is a ${type} picture with another extension.`)
  try {
    const measured = await measure(type, bytes)
    if ('rule' in measured) return measured
    return { picture: { id: digestOf(bytes), type, ...measured } }
  } catch (error) {
    return rejectBroken(error instanceof Error ? error.message.trim().split('\n')[0]! : String(error))
  }
}

const tooManyPixels = () =>
  reject('pixels', `A picture may have at most ${MAX_PIXELS / 1e6} megapixels in all its frames.`)

/** On first use: it takes 20 MB, and the pictures of most services were checked at an earlier start. */
export const loadSharp = () => import('sharp')

/**
 * PNG has checksums, and a JPEG with all its parts always decodes to a picture. Decoding them would take ten times as
 * long and find nothing more.
 */
const sizeReaders: Partial<Record<PictureType, (bytes: Buffer) => Size | undefined>> = {
  png: imageFormats.png.readSizeIfComplete,
  jpeg: imageFormats.jpeg.readSizeIfComplete,
}

async function measure(type: PictureType, bytes: Buffer): Promise<Size | Rejection> {
  const readSize = sizeReaders[type]
  if (readSize) {
    const size = readSize(bytes)
    if (!size) return rejectBroken('a part of it is missing or damaged')
    return size.width * size.height > MAX_PIXELS ? tooManyPixels() : size
  }
  if (type === 'gif' && !imageFormats.gif.isComplete(bytes)) return rejectBroken('it ends before its last frame')
  const { width, height, pages } = type === 'gif' ? measureGif(bytes) : await measureWithSharp(bytes)
  const pixels = width * height * pages
  if (pixels > MAX_PIXELS) return tooManyPixels()
  await decode(bytes, pixels)
  return { width, height }
}

function measureGif(bytes: Buffer) {
  const { width, height, frames } = readGif(bytes)
  return { width, height, pages: frames.length }
}

async function measureWithSharp(bytes: Buffer) {
  const { default: sharp } = await loadSharp()
  const { width, height, pages = 1, pageHeight = height } = await sharp(bytes).metadata()
  return { width, height: pageHeight, pages }
}

async function decode(bytes: Buffer, pixels: number): Promise<void> {
  const { default: sharp } = await loadSharp()
  const image = sharp(bytes, { failOn: 'error', pages: -1, limitInputPixels: MAX_PIXELS, sequentialRead: true })
  const decoded = pixels > MAX_FULL_DECODE_PIXELS ? image.resize(8, 8, { fit: 'fill' }) : image
  await decoded.timeout({ seconds: DECODE_TIMEOUT_SECONDS }).raw().toBuffer()
}

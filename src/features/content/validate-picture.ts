import { hash } from 'node:crypto'
import { totalmem } from 'node:os'
import type { Metadata } from 'sharp'
import type { Size } from '../../platform/image-formats/index.ts'
import { containsOnlyImage, imageFormats, readGif, stripMetadata } from '../../platform/image-formats/index.ts'
import { type FileType, type PictureType, pictureTypes, typeOfBytes, typeOfName } from './kinds.ts'
import type { PictureInfo } from './picture-index.ts'

export const MAX_FILE_BYTES = 32 * 2 ** 20
/** Summed over all frames. A browser on a small machine can still show a picture of this size. */
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
const loadSharp = () => import('sharp')

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

/** Looks like the original and has about its size. A GIF is not encoded again. */
const encoderOptions: Record<Exclude<FileType, 'gif'>, object> = {
  jpeg: { quality: 92 },
  webp: { quality: 92 },
  avif: { quality: 75 },
  png: {},
}

/** What decoding and encoding a pixel takes, measured with 50 to 100 megapixels. */
const bytesPerPixel: Record<FileType, number> = { jpeg: 10, png: 10, webp: 20, avif: 40, gif: 0 }
/** It happens in the process of the service: a WebP of 700 bytes could take two gigabytes. */
const MEMORY_SHARE = 0.25
const readMaxBytes = () => MEMORY_SHARE * Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
const ENCODE_TIMEOUT_SECONDS = 30

const hasMetadata = ({ orientation = 1, exif, xmp, iptc, icc, comments }: Metadata) =>
  orientation !== 1 || [exif, xmp, iptc, icc, comments].some((part) => part !== undefined)

/**
 * Turns the picture upright and removes everything but its pixels: the EXIF data of a photo can reveal where its author
 * lives. A picture without metadata keeps its bytes. Throws with a reason for the operator.
 */
export async function cleanPicture(bytes: Buffer, maxBytes = readMaxBytes()) {
  const type = typeOfBytes(bytes)
  if (!type) throw new Error('it is not a JPEG, PNG, WebP, GIF or AVIF picture')
  const { default: sharp } = await loadSharp()
  // `validate` has the reason why a file cannot be read.
  const { width = 0, height = 0 }: Partial<Metadata> = await sharp(bytes, { pages: -1 })
    .metadata()
    .catch(() => ({}))
  if (width * height * bytesPerPixel[type] > maxBytes)
    throw new Error(`this machine does not have the memory for its ${width * height} pixels`)
  const extension: string = pictureTypes[type].extensions[0]!
  const validate = async (bytes: Buffer) => {
    const result = await validatePicture(`picture.${extension}`, bytes)
    if ('message' in result) throw new Error(result.message)
    return { bytes, id: result.picture.id, extension }
  }
  const original = await validate(bytes)
  if (containsOnlyImage(type, bytes) && !hasMetadata(await sharp(bytes).metadata())) return original
  // libvips would change frames that are restored to the background.
  if (type === 'gif') return validate(stripMetadata('gif', Buffer.from(bytes), Number.POSITIVE_INFINITY))
  const upright = sharp(bytes, { pages: -1 }).autoOrient()
  const encoded = upright.toFormat(type, encoderOptions[type]).timeout({ seconds: ENCODE_TIMEOUT_SECONDS })
  return validate(await encoded.toBuffer())
}

import { totalmem } from 'node:os'
import type { Metadata } from 'sharp'
import { containsOnlyImage, stripMetadata } from '../../platform/image-formats/index.ts'
import { type FileType, pictureTypes, typeOfBytes } from './kinds.ts'
import { loadSharp, validatePicture } from './validate-picture.ts'

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
export async function cleanPicture(
  bytes: Buffer,
  maxBytes = readMaxBytes(),
): Promise<{ bytes: Buffer; id: string; extension: string }> {
  const type = typeOfBytes(bytes)
  if (!type) throw new Error('it is not a JPEG, PNG, WebP, GIF or AVIF picture')
  const { default: sharp } = await loadSharp()
  // `validate` has the reason why a file cannot be read.
  const { width = 0, height = 0 }: Partial<Metadata> = await sharp(bytes, { pages: -1 })
    .metadata()
    .catch(() => ({}))
  if (width * height * bytesPerPixel[type] > maxBytes)
    throw new Error(`this machine does not have the memory for its ${Math.ceil((width * height) / 1e6)} megapixels`)
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

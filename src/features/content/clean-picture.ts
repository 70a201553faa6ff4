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

const hasMetadata = ({ orientation = 1, exif, xmp, iptc, icc, comments }: Metadata) =>
  orientation !== 1 || [exif, xmp, iptc, icc, comments].some((part) => part !== undefined)

/**
 * Turns the picture upright and removes everything but its pixels: the EXIF data of a photo can reveal where its author
 * lives. A picture without metadata keeps its bytes. Throws with a reason for the operator.
 */
export async function cleanPicture(bytes: Buffer): Promise<{ bytes: Buffer; id: string; extension: string }> {
  const type = typeOfBytes(bytes)
  if (!type) throw new Error('it is not a JPEG, PNG, WebP, GIF or AVIF picture')
  const extension: string = pictureTypes[type].extensions[0]!
  const validate = async (bytes: Buffer) => {
    const result = await validatePicture(`picture.${extension}`, bytes)
    if ('message' in result) throw new Error(result.message)
    return { bytes, id: result.picture.id, extension }
  }
  const original = await validate(bytes)
  const { default: sharp } = await loadSharp()
  if (containsOnlyImage(type, bytes) && !hasMetadata(await sharp(bytes).metadata())) return original
  // libvips would change frames that are restored to the background.
  if (type === 'gif') return validate(stripMetadata('gif', Buffer.from(bytes), Number.POSITIVE_INFINITY))
  const upright = sharp(bytes, { pages: -1 }).autoOrient()
  return validate(await upright.toFormat(type, encoderOptions[type]).toBuffer())
}

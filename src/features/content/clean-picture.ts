import sharp, { type Metadata } from 'sharp'
import { containsOnlyImage } from '../../platform/image-formats/index.ts'
import { type PictureType, pictureTypes, typeOfBytes } from './kinds.ts'
import type { PictureInfo } from './pictures.ts'
import { validatePicture } from './validate-picture.ts'

type FileType = Exclude<PictureType, 'svg'>

/** Looks like the original and has about its size. */
const encoderOptions: Record<FileType, object> = {
  jpeg: { quality: 92 },
  webp: { quality: 92 },
  avif: { quality: 75 },
  png: {},
  gif: {},
}

const hasMetadata = ({ orientation = 1, exif, xmp, iptc, icc, comments }: Metadata) =>
  orientation !== 1 || [exif, xmp, iptc, icc, comments].some((part) => part !== undefined)

export interface CleanPicture {
  bytes: Buffer
  picture: PictureInfo
  extension: string
}

/**
 * Turns the picture upright and removes everything but its pixels: the EXIF data of a photo can reveal where its author
 * lives. A picture without metadata keeps its bytes. Throws with a reason for the operator.
 */
export async function cleanPicture(bytes: Buffer): Promise<CleanPicture> {
  const type = typeOfBytes(bytes)
  if (!type) throw new Error('it is not a JPEG, PNG, WebP, GIF or AVIF picture')
  const extension: string = pictureTypes[type].extensions[0]!
  const name = `picture.${extension}`
  const before = await validatePicture(name, bytes)
  if ('rejection' in before) throw new Error(before.rejection.message)
  if (containsOnlyImage(type, bytes) && !hasMetadata(await sharp(bytes).metadata()))
    return { bytes, picture: before.picture, extension }
  const upright = sharp(bytes, { pages: -1 }).autoOrient()
  const cleaned = await upright.toFormat(type as FileType, encoderOptions[type as FileType]).toBuffer()
  const after = await validatePicture(name, cleaned)
  if ('rejection' in after) throw new Error(after.rejection.message)
  return { bytes: cleaned, picture: after.picture, extension }
}

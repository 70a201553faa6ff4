import sharp, { type Metadata } from 'sharp'
import { containsOnlyImage } from '../../../platform/image-formats/index.ts'
import type { PictureFacts } from '../picture.ts'
import { type PictureType, pictureTypes, typeOfBytes } from '../picture-types.ts'
import { inspectPicture } from '../validate-picture.ts'

type FileType = Exclude<PictureType, 'svg'>

/** Hardly to be told from the original by eye, at about its length. */
const quality: Record<FileType, object> = {
  jpeg: { quality: 92 },
  webp: { quality: 92 },
  avif: { quality: 75 },
  png: {},
  gif: {},
}

const tells = ({ orientation = 1, exif, xmp, iptc, icc, comments }: Metadata) =>
  orientation !== 1 || [exif, xmp, iptc, icc, comments].some((part) => part !== undefined)

export interface CleanPicture {
  bytes: Buffer
  facts: PictureFacts
  extension: string
}

/**
 * The picture upright and without anything but its pixels: a photo's EXIF data tells where its maker lives. One that
 * carries none of that keeps its bytes.
 */
export async function cleanPicture(bytes: Buffer): Promise<CleanPicture> {
  const type = typeOfBytes(bytes)
  if (!type) throw new Error('it is no JPEG, PNG, WebP, GIF or AVIF picture')
  const extension: string = pictureTypes[type].extensions[0]!
  const name = `picture.${extension}`
  const before = await inspectPicture(name, bytes)
  if ('refusal' in before) throw new Error(before.refusal.message)
  if (containsOnlyImage(type, bytes) && !tells(await sharp(bytes).metadata()))
    return { bytes, facts: before.facts, extension }
  const upright = sharp(bytes, { pages: -1 }).autoOrient()
  const cleaned = await upright.toFormat(type as FileType, quality[type as FileType]).toBuffer()
  const after = await inspectPicture(name, cleaned)
  if ('refusal' in after) throw new Error(after.refusal.message)
  return { bytes: cleaned, facts: after.facts, extension }
}

import sharp, { type Metadata } from 'sharp'
import { ImageTooManyPixels, ImageUnreadable } from '../../errors.ts'
import { mediaType, type SourceFormat } from './formats.ts'
import { sniff } from './sniff.ts'

export interface Limits {
  /** Over all frames. */
  readonly maxPixels: number
  readonly maxFrames: number
}

export interface Source {
  readonly format: SourceFormat
  readonly type: string
  /** Upright, that is, with the orientation of its metadata applied. */
  readonly width: number
  readonly height: number
  /** Frames of an animation; 1 for everything else. Of an animated PNG or AVIF and of a TIFF the first page counts. */
  readonly pages: number
  readonly turned: boolean
  readonly delay?: number[]
  readonly loop?: number
}

/** The longest side of a JPEG or GIF; a picture one pixel wide and millions high would cost a step a row. */
const MAX_SIDE = 65_535

/** What the decoder calls the format, where that is not our name for it. */
const decoderNames: Partial<Record<SourceFormat, string>> = { avif: 'heif' }

/** Reads headers only: nothing is decoded before its size is known to be within the limits. */
export async function inspect(bytes: Uint8Array, { maxPixels, maxFrames }: Limits): Promise<Source> {
  const format = sniff(bytes)
  const metadata = await readHeader(bytes)
  // Stops a file that looks like one format to us and like another, perhaps one that we refuse, to the decoder.
  if (metadata.format !== (decoderNames[format] ?? format)) throw new ImageUnreadable('its beginning is contradictory')
  const { width, height } = metadata.autoOrient
  const pages = format === 'gif' || format === 'webp' ? (metadata.pages ?? 1) : 1
  if (pages > maxFrames) throw new ImageTooManyPixels('frames', maxFrames)
  if (Math.max(width, height) > MAX_SIDE) throw new ImageTooManyPixels('pixels a side', MAX_SIDE)
  if (width * height * pages > maxPixels) throw new ImageTooManyPixels('pixels over all frames', maxPixels)
  const { delay, loop } = metadata
  const turned = (metadata.orientation ?? 1) > 1
  return { format, type: mediaType(format), width, height, pages, turned, ...(pages > 1 && { delay, loop }) }
}

async function readHeader(bytes: Uint8Array): Promise<Metadata> {
  try {
    return await sharp(bytes, { limitInputPixels: false }).metadata()
  } catch {
    throw new ImageUnreadable('its header is broken')
  }
}

import sharp, { type Metadata } from 'sharp'
import type { ImageTooManyPixels } from '../../../errors/index.ts'
import type { FormatName } from '../../../platform/image-formats/index.ts'
import { mediaType } from './formats.ts'

export interface Limits {
  /** Over all frames. */
  readonly maxPixels: number
  readonly maxFrames: number
}

export interface Source {
  readonly format: FormatName
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

export const pixelsOf = ({ width, height, pages }: Source): number => width * height * pages

/** Why a picture is not decoded, in words that can be told to another thread. */
export type Refusal = { unreadable: string } | { tooMany: ConstructorParameters<typeof ImageTooManyPixels> }

/** The longest side of a JPEG or GIF; a picture one pixel wide and millions high would cost a step a row. */
const MAX_SIDE = 65_535

/** What the decoder calls the format, where that is not our name for it. */
const decoderNames: Partial<Record<FormatName, string>> = { avif: 'heif' }

/** Reads headers only: nothing is decoded before its size is known to be within the limits. */
export async function inspect(bytes: Uint8Array, format: FormatName, limits: Limits): Promise<Source | Refusal> {
  const metadata = await readHeader(bytes)
  if (!metadata) return { unreadable: 'its header is broken' }
  // Stops a file that looks like one format to us and like another, perhaps one that we refuse, to the decoder.
  if (metadata.format !== (decoderNames[format] ?? format)) return { unreadable: 'its beginning is contradictory' }
  const { width, height } = metadata.autoOrient
  const pages = format === 'gif' || format === 'webp' ? (metadata.pages ?? 1) : 1
  const { maxPixels, maxFrames } = limits
  if (pages > maxFrames) return { tooMany: ['frames', maxFrames] }
  if (Math.max(width, height) > MAX_SIDE) return { tooMany: ['pixels per side', MAX_SIDE] }
  if (width * height * pages > maxPixels) return { tooMany: ['pixels over all frames', maxPixels] }
  const { delay, loop } = metadata
  const turned = (metadata.orientation ?? 1) > 1
  return { format, type: mediaType(format), width, height, pages, turned, ...(pages > 1 && { delay, loop }) }
}

const readHeader = (bytes: Uint8Array): Promise<Metadata | undefined> =>
  sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined)

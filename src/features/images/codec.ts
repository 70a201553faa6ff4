// Reads headers, decodes and encodes with sharp. Runs in worker threads only.
import sharp from 'sharp'
import type { ImageTooManyPixels } from '../../errors/index.ts'
import type { FormatName } from '../../platform/image-formats/index.ts'
import type { Frame } from '../filters/index.ts'
import { type Animation, countPixels, encoders, type OutputFormat, type SourceImage } from './formats.ts'

export interface ImageLimits {
  /** Over all frames. */
  readonly maxPixels: number
  readonly maxFrames: number
}

/** Why an image is not decoded, as plain data for another thread. */
export type Refusal = { unreadable: string } | { tooMany: ConstructorParameters<typeof ImageTooManyPixels> }

/** The longest side of a JPEG or GIF. An image one pixel wide and millions high would cost one step per row. */
const MAX_SIDE = 65_535

/** Where the decoder has another name for a format. */
const decoderNames: Partial<Record<FormatName, string>> = { avif: 'heif' }

/** Reads only the header: nothing is decoded before its size is known to be within the limits. */
export async function readHeader(
  bytes: Uint8Array,
  format: FormatName,
  { maxPixels, maxFrames }: ImageLimits,
): Promise<SourceImage | Refusal> {
  const metadata = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined)
  if (!metadata) return { unreadable: 'its header is broken' }
  // Stops a file that looks like one format to us and like another, perhaps a refused one, to the decoder.
  if (metadata.format !== (decoderNames[format] ?? format)) return { unreadable: 'its header is contradictory' }
  const { width, height } = metadata.autoOrient
  const pages = format === 'gif' || format === 'webp' ? (metadata.pages ?? 1) : 1
  const { delay, loop } = metadata
  const isRotated = (metadata.orientation ?? 1) > 1
  const source = { format, width, height, pages, isRotated, ...(pages > 1 && { delay, loop }) }
  if (pages > maxFrames) return { tooMany: ['frames', maxFrames] }
  if (Math.max(width, height) > MAX_SIDE) return { tooMany: ['pixels per side', MAX_SIDE] }
  if (countPixels(source) > maxPixels) return { tooMany: ['pixels over all frames', maxPixels] }
  return source
}

/** All frames, one below the other, as 8-bit sRGB with or without alpha. */
export interface Pixels {
  readonly data: Buffer
  readonly width: number
  /** Of one frame. */
  readonly height: number
  readonly channels: 3 | 4
  readonly pages: number
}

interface DecodeOptions {
  readonly source: SourceImage
  readonly allFrames: boolean
  readonly maxPixels: number
  readonly timeoutMs: number
}

const toSeconds = (ms: number) => ({ seconds: Math.ceil(ms / 1000) })

export async function decode(bytes: Uint8Array, options: DecodeOptions): Promise<Pixels> {
  const { source, allFrames, maxPixels, timeoutMs } = options
  const pages = allFrames ? source.pages : 1
  // The header was checked; this limit is for headers that lie. A truncated image is an error, a warning is not.
  const image = sharp(bytes, { pages, limitInputPixels: maxPixels, failOn: 'error' })
  // Frames are stacked, so an animation cannot be rotated. The few that ask for it stay as they are.
  if (source.isRotated && pages === 1) image.autoOrient()
  // Colours become sRGB by default, using the colour profile of the source if it has one.
  const { data, info } = await image
    .timeout(toSeconds(timeoutMs))
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const { width, channels } = info
  if (channels !== 3 && channels !== 4) throw new Error(`decoded to ${channels} channels`)
  return { data, width, height: info.height / pages, channels, pages }
}

export function* iterateFrames({ data, width, height, channels, pages }: Pixels): Generator<Frame> {
  const size = width * height * channels
  for (let page = 0; page < pages; page++) {
    yield { data: data.subarray(page * size, (page + 1) * size), width, height, channels }
  }
}

interface EncodeOptions {
  readonly output: OutputFormat
  /** Then one channel is enough, which takes an encoder less time and bytes. */
  readonly isGrey: boolean
  readonly animation: Animation
  readonly timeoutMs: number
}

/** The result has its own memory, so that it can move to another thread without a copy. */
export async function encode(pixels: Pixels, { output, isGrey, animation, timeoutMs }: EncodeOptions) {
  const { data, width, height, channels, pages } = pixels
  const raw = { width, height: height * pages, channels, ...(pages > 1 && { pageHeight: height }) }
  const image = sharp(data, { raw, limitInputPixels: false })
  const reduced = isGrey && channels === 3 ? image.extractChannel(0) : image
  const encoded = encoders[output].encode(reduced, pages > 1 ? animation : {})
  const { data: bytes } = await encoded.timeout(toSeconds(timeoutMs)).toUint8Array()
  // The WebP encoder merges equal frames.
  return { bytes, pages: pages > 1 ? ((await sharp(bytes).metadata()).pages ?? 1) : 1 }
}

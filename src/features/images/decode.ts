// Reads headers and decodes pixels, within limits.
import sharp, { type Sharp } from 'sharp'
import type { ImageTooManyPixels } from '../../errors/index.ts'
import { decodeGif, type FormatName, isLossless, readGif, readJpegHeader } from '../../platform/image-formats/index.ts'
import { type Pixels, resizeFrames } from './encode.ts'
import { countPixels, MAX_SIDE, type ResizePlan, type SourceImage } from './formats.ts'

/** Why there is no result, as plain data for the service. `failed` is a bug; the others concern the image. */
export type Refusal =
  | 'slow'
  | { unreadable: string }
  | { tooMany: ConstructorParameters<typeof ImageTooManyPixels> }
  | 'too large'
  | 'cannot fit'
  | { failed: string }

export class TaskRefused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super()
    this.refusal = refusal
  }
}

export interface DecodeLimits {
  /** Over all frames. */
  readonly maxPixels: number
  readonly maxFrames: number
}

/** The longest delay and the most repetitions that encoders accept. Delays of a GIF can be ten times as long. */
const MAX_TIMING = 65_535

/** Where the decoder has another name for a format. */
const decoderNames: Partial<Record<FormatName, string>> = { avif: 'heif' }

export function assertPixels(image: Parameters<typeof countPixels>[0], { maxPixels }: DecodeLimits): void {
  if (countPixels(image) > maxPixels) throw new TaskRefused({ tooMany: ['pixels over all frames', maxPixels] })
}

/** Reads only the header: nothing is decoded before its size is known to be within the limits. */
export async function readHeader(bytes: Buffer, format: FormatName, limits: DecodeLimits): Promise<SourceImage> {
  const source = await (headerReaders[format] ?? readHeaderWithSharp)(bytes, format)
  const { width, height, frameCount } = source
  const { maxFrames } = limits
  if (frameCount > maxFrames) throw new TaskRefused({ tooMany: ['frames', maxFrames] })
  if (Math.max(width, height) > MAX_SIDE) throw new TaskRefused({ tooMany: ['pixels per side', MAX_SIDE] })
  assertPixels(source, limits)
  const { delay, loop } = source
  if (!delay || loop === undefined) return source
  return { ...source, delay: delay.map((ms) => Math.min(ms, MAX_TIMING)), loop: Math.min(loop, MAX_TIMING) }
}

function readGifSource(bytes: Buffer): SourceImage {
  const { width, height, frames, loop } = readGif(bytes)
  const frameCount = frames.length
  const delay = frames.map(({ delayMs }) => delayMs)
  const size = { width, height, frameCount, isRotated: false, hasAlpha: true, isProgressive: false }
  return { format: 'gif', ...size, isLossless: false, ...(frameCount > 1 && { delay, loop }) }
}

/** Most images are JPEG. To read only the header, sharp would take a tenth of the time that a small photo takes in total. */
function readJpegSource(bytes: Buffer): SourceImage {
  const header = readJpegHeader(bytes)
  if (!header) throw new TaskRefused({ unreadable: 'its header is broken' })
  const { width, height, isProgressive, orientation } = header
  const size = { width, height, frameCount: 1, isRotated: orientation > 1, hasAlpha: false, isProgressive }
  return { format: 'jpeg', ...size, isLossless: false }
}

type HeaderReader = (bytes: Buffer, format: FormatName) => SourceImage | Promise<SourceImage>

const headerReaders: Partial<Record<FormatName, HeaderReader>> = { gif: readGifSource, jpeg: readJpegSource }

async function readHeaderWithSharp(bytes: Buffer, format: FormatName): Promise<SourceImage> {
  const metadata = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined)
  if (!metadata) throw new TaskRefused({ unreadable: 'its header is broken' })
  // Stops a file that looks like one format to us and like another, perhaps a refused one, to the decoder.
  if (metadata.format !== (decoderNames[format] ?? format))
    throw new TaskRefused({ unreadable: 'its header contradicts itself' })
  const frameCount = format === 'webp' ? (metadata.pages ?? 1) : 1
  // Frames are stacked, so an animation cannot be rotated. The few that ask for it stay as they are.
  const { width, height } = frameCount > 1 ? metadata : metadata.autoOrient
  const { delay, loop } = metadata
  const isRotated = frameCount === 1 && (metadata.orientation ?? 1) > 1
  return {
    format,
    width,
    height,
    frameCount,
    isRotated,
    hasAlpha: metadata.hasAlpha,
    isProgressive: metadata.isProgressive,
    isLossless: isLossless(format, bytes),
    ...(frameCount > 1 && { delay, loop }),
  }
}

interface DecodeOptions extends DecodeLimits {
  readonly plan: ResizePlan | undefined
  /** Whether the output has alpha. Otherwise padding is white. */
  readonly hasAlpha: boolean
}

export async function decode(
  bytes: Buffer,
  source: SourceImage,
  frameCount: number,
  { plan, hasAlpha, maxPixels }: DecodeOptions,
): Promise<Pixels> {
  const resize = (image: Sharp) => (plan ? applyResize(image, plan, hasAlpha) : image)
  if (source.format === 'gif') {
    const { width, height } = source
    const frames = { ...decodeGif(bytes, frameCount), width, height, frameCount }
    return plan ? resizeFrames(frames, resize) : frames
  }
  // The header was checked; this limit is for wrong headers. A truncated image is an error, a warning is not.
  const image = sharp(bytes, { pages: frameCount, limitInputPixels: maxPixels, failOn: 'error' })
  if (source.isRotated) image.autoOrient()
  // Colours become sRGB by default, using the colour profile of the source if it has one.
  const { data, info } = await resize(image)
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
    .catch(() => {
      throw new TaskRefused({ unreadable: 'it is broken or truncated' })
    })
  const { width, height, channels } = info
  if (channels !== 3 && channels !== 4) throw new TaskRefused({ unreadable: `it has ${channels} channels` })
  return { data, width, height: height / frameCount, channels, frameCount }
}

/** Decoders of JPEG and WebP read fewer pixels if the result is much smaller. */
function applyResize(image: Sharp, { scaled, result }: ResizePlan, hasAlpha: boolean): Sharp {
  image.resize(scaled.width, scaled.height, { fit: 'fill' })
  const left = Math.floor(Math.abs(scaled.width - result.width) / 2)
  const top = Math.floor(Math.abs(scaled.height - result.height) / 2)
  if (result.width < scaled.width || result.height < scaled.height) image.extract({ left, top, ...result })
  else if (result.width > scaled.width || result.height > scaled.height) {
    const right = result.width - scaled.width - left
    const bottom = result.height - scaled.height - top
    const background = hasAlpha ? { r: 0, g: 0, b: 0, alpha: 0 } : '#fff'
    image.extend({ left, right, top, bottom, background })
  }
  return image
}

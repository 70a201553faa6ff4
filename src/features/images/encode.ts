// Encodes pixels, and reduces quality and size until the result has at most the requested bytes.
import sharp, { type Sharp } from 'sharp'
import type { Frame } from '../filters/index.ts'
import { type Animation, encoders, type OutputFormat } from './formats.ts'

/** All frames, one below the other, as 8-bit sRGB with or without alpha. `height` is that of one frame. */
export interface Pixels extends Frame {
  readonly data: Buffer
  readonly frameCount: number
}

interface EncodeOptions {
  readonly output: OutputFormat
  readonly animation: Animation
  readonly isLossless: boolean
  /** Whether red, green and blue are equal, so that one channel is enough. */
  readonly isGrey: boolean
  readonly maxBytes: number | undefined
}

type Encoded = { readonly bytes: Buffer; readonly width: number; readonly height: number }

/** Quality is between 0 and 1. Below this value, a smaller image of better quality looks better. */
const LOWEST_QUALITY = 0.15
const QUALITY_STEPS = 4
/** The scale at which the image fits into `maxBytes` is estimated. This factor lowers it, so that it is likely to fit. */
const SCALE_MARGIN = 0.92
const MAX_SCALE_STEPS = 12

/** Returns undefined if the result is too large at every quality and size that was tried. */
export async function encodeWithin(pixels: Pixels, options: EncodeOptions): Promise<Encoded | undefined> {
  const { maxBytes = Number.POSITIVE_INFINITY } = options
  const { width, height } = pixels
  const full = await encode(pixels, options)
  if (full.length <= maxBytes) return { bytes: full, width, height }
  const lowest = await encode(pixels, options, LOWEST_QUALITY)
  return lowest.length <= maxBytes
    ? encodeAtBestQuality(pixels, options, maxBytes, lowest)
    : encodeSmaller(pixels, options, maxBytes, lowest.length)
}

/** Finds the highest quality that fits by bisection. */
async function encodeAtBestQuality(pixels: Pixels, options: EncodeOptions, maxBytes: number, lowest: Buffer) {
  const { width, height } = pixels
  let best = lowest
  let [low, high] = [LOWEST_QUALITY, 1]
  for (let step = 0; step < QUALITY_STEPS; step++) {
    const quality = (low + high) / 2
    const bytes = await encode(pixels, options, quality)
    if (bytes.length > maxBytes) high = quality
    else [low, best] = [quality, bytes]
  }
  return { bytes: best, width, height }
}

async function encodeSmaller(
  pixels: Pixels,
  options: EncodeOptions,
  maxBytes: number,
  lengthAtFullSize: number,
): Promise<Encoded | undefined> {
  let { width, height } = pixels
  let length = lengthAtFullSize
  for (let step = 0; step < MAX_SCALE_STEPS && Math.max(width, height) > 1; step++) {
    const scale = Math.min(0.9, Math.sqrt(maxBytes / length) * SCALE_MARGIN)
    width = Math.max(1, Math.floor(width * scale))
    height = Math.max(1, Math.floor(height * scale))
    const smaller = await resizeFrames(pixels, (frame) => frame.resize(width, height, { fit: 'fill' }))
    const bytes = await encode(smaller, options, LOWEST_QUALITY)
    if (bytes.length <= maxBytes) return { bytes, width, height }
    length = bytes.length
  }
  return undefined
}

/** Changes each frame on its own: sharp knows the frames of a file, but treats frames in memory as one tall image. */
export async function resizeFrames(pixels: Pixels, resize: (frame: Sharp) => Sharp): Promise<Pixels> {
  const { data, width, height, channels, frameCount } = pixels
  const frameBytes = width * height * channels
  const parts = []
  for (let at = 0; at < data.length; at += frameBytes) {
    const frame = toImage({ data: data.subarray(at, at + frameBytes), width, height, channels, frameCount: 1 })
    parts.push(await resize(frame).raw().toBuffer({ resolveWithObject: true }))
  }
  const { info } = parts[0]!
  const resized = Buffer.alloc(info.size * frameCount)
  parts.forEach((part, page) => {
    resized.set(part.data, page * info.size)
  })
  return { data: resized, width: info.width, height: info.height, channels: info.channels as 3 | 4, frameCount }
}

function toImage({ data, width, height, channels, frameCount }: Pixels): Sharp {
  const raw = { width, height: height * frameCount, channels, ...(frameCount > 1 && { pageHeight: height }) }
  return sharp(data, { raw, limitInputPixels: false })
}

async function encode(pixels: Pixels, options: EncodeOptions, quality = 1): Promise<Buffer> {
  const { output, animation, isLossless, isGrey } = options
  const image = toImage(pixels)
  if (pixels.channels === 4 && !encoders[output].hasAlpha) image.flatten({ background: '#fff' })
  if (pixels.channels === 3 && isGrey) image.extractChannel(0)
  return encoders[output].encode(image, animation, { quality, isLossless: isLossless && quality === 1 }).toBuffer()
}

/** Bits per channel that are compared: similar colours count as one. */
const BITS = 4
const SHIFT = 8 - BITS
/** Pixels with less alpha are hardly visible, whatever their colour. */
const MIN_ALPHA = 128

/** The mean of the most frequent group of similar colours, as #rrggbb. White if nothing is visible. */
export function findDominantColor({ data, channels }: Pick<Frame, 'data' | 'channels'>): string {
  /** Count and sums of red, green and blue for each group. */
  const groups = new Uint32Array(4 << (3 * BITS))
  let largest = 0
  for (let at = 0; at + channels <= data.length; at += channels) {
    const [red, green, blue] = [data[at]!, data[at + 1]!, data[at + 2]!]
    if (channels === 4 && data[at + 3]! < MIN_ALPHA) continue
    const group = 4 * ((((red >> SHIFT) << BITS) | (green >> SHIFT)) * (1 << BITS) + (blue >> SHIFT))
    groups[group]! += 1
    groups[group + 1]! += red
    groups[group + 2]! += green
    groups[group + 3]! += blue
    if (groups[group]! > groups[largest]!) largest = group
  }
  const [count, ...sums] = groups.subarray(largest, largest + 4)
  if (!count) return '#ffffff'
  return `#${Buffer.from(sums.map((sum) => Math.round(sum / count))).toString('hex')}`
}

import sharp from 'sharp'
import type { Frame } from '../../filters/index.ts'
import type { Source } from './inspect.ts'

/** All frames, one below the other, as 8-bit sRGB with or without alpha. */
export interface Pixels {
  readonly data: Buffer
  readonly width: number
  readonly height: number
  readonly channels: 3 | 4
  readonly pages: number
}

interface Decoding {
  readonly source: Source
  /** Whether every frame is wanted, or only the first. */
  readonly animated: boolean
  readonly maxPixels: number
  readonly timeoutMs: number
}

export async function decode(bytes: Uint8Array, { source, animated, maxPixels, timeoutMs }: Decoding): Promise<Pixels> {
  const pages = animated ? source.pages : 1
  // The header was checked; the limit here is for one that lies. A truncated picture is an error, a warning is not.
  const image = sharp(bytes, { pages, limitInputPixels: maxPixels, failOn: 'error' })
  // Frames lie one below the other, so that an animation cannot be turned; the few that ask for it stay as they are.
  if (source.turned && pages === 1) image.autoOrient()
  // Without a word about colours they become sRGB, by the profile of the source where it has one.
  const { data, info } = await image
    .timeout({ seconds: Math.ceil(timeoutMs / 1000) })
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const channels = info.channels
  if (channels !== 3 && channels !== 4) throw new Error(`decoded to ${channels} channels`)
  return { data, width: info.width, height: info.height / pages, channels, pages }
}

export function* framesOf({ data, width, height, channels, pages }: Pixels): Generator<Frame> {
  const size = width * height * channels
  for (let page = 0; page < pages; page++) {
    yield { data: data.subarray(page * size, (page + 1) * size), width, height, channels }
  }
}

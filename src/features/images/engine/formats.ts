// What can be read and written. The encoders' settings were measured on a photograph-like 1920x1080 picture with one
// thread; times are relative to that encoder's default in sharp.
import type { Sharp } from 'sharp'
import type { FormatName } from '../../../platform/image-formats/index.ts'

export const outputFormats = ['jpeg', 'png', 'webp', 'avif', 'gif'] as const
export type OutputFormat = (typeof outputFormats)[number]

export interface Animation {
  readonly delay?: number[]
  readonly loop?: number
}

interface Writer {
  /** Whether it holds more than one frame. */
  readonly animated: boolean
  /** Pixels that it holds a side. */
  readonly maxSide: number
  readonly write: (image: Sharp, animation: Animation) => Sharp
}

export const writers: Record<OutputFormat, Writer> = {
  // Half the time of optimised Huffman tables, for a tenth more bytes.
  jpeg: {
    animated: false,
    maxSide: 65_500,
    write: (image) => image.flatten({ background: '#fff' }).jpeg({ quality: 85, optimiseCoding: false }),
  },
  // Adaptive filters save a third of the bytes of photographs; more than level 2 saves nothing and takes longer.
  png: {
    animated: false,
    maxSide: Number.POSITIVE_INFINITY,
    write: (image) => image.png({ compressionLevel: 2, adaptiveFiltering: true }),
  },
  // 0.4 of the time, for a twentieth more bytes.
  webp: {
    animated: true,
    maxSide: 16_383,
    write: (image, animation) => image.webp({ quality: 82, effort: 2, ...animation }),
  },
  // Any greater effort is a way to be kept busy: 12 megapixels of noise take minutes, and the encoder cannot be stopped.
  avif: {
    animated: false,
    maxSide: 16_384,
    write: (image) => image.avif({ quality: 60, effort: 0, chromaSubsampling: '4:2:0' }),
  },
  // Undithered: a picture with few colours keeps them to a level. Equal frames are kept for their timing.
  gif: {
    animated: true,
    maxSide: 65_535,
    write: (image, animation) => image.gif({ effort: 1, dither: 0, keepDuplicateFrames: true, ...animation }),
  },
}

/** What was asked for, else the format of the source; PNG where that cannot be written. */
export function outputFor(source: { format: FormatName; width: number; height: number }, wanted?: OutputFormat) {
  const format = wanted ?? source.format
  if (format === 'tiff' || Math.max(source.width, source.height) > writers[format].maxSide) return 'png'
  return format
}

export const mediaType = (format: FormatName | OutputFormat) => `image/${format}`

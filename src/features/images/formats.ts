// Which formats are read and written. Does not load sharp, so that the service can use it.
import type { Sharp } from 'sharp'
import { ImageTypeUnsupported, ImageUnreadable } from '../../errors/index.ts'
import { detectFormat, type FormatName, formatNames, readHead, type Size } from '../../platform/image-formats/index.ts'

export const outputFormats = ['jpeg', 'png', 'webp', 'avif', 'gif'] as const
export type OutputFormat = (typeof outputFormats)[number]
/** The longest side of a JPEG or GIF. An image one pixel wide and millions high would cost one step per row. */
export const MAX_SIDE = 65_535

export const mediaType = (format: FormatName | OutputFormat) => `image/${format}`

/** What the header of a source says. */
export interface SourceImage {
  readonly format: FormatName
  /** After applying the EXIF orientation. Frames of an animation are not rotated. */
  readonly width: number
  readonly height: number
  /** Frames of a GIF or WebP animation, otherwise 1: only the first page of other formats is read. */
  readonly frameCount: number
  /** Whether the orientation must be applied. */
  readonly isRotated: boolean
  readonly hasAlpha: boolean
  /** A progressive JPEG or interlaced PNG. It is decoded as a whole. */
  readonly isProgressive: boolean
  /** A lossless WebP. Its result is lossless, too. */
  readonly isLossless: boolean
  readonly delay?: number[] | undefined
  readonly loop?: number | undefined
}

export const countPixels = ({ width, height, frameCount }: Size & { readonly frameCount: number }) =>
  width * height * frameCount

type Test = (head: string) => boolean

const starts =
  (...signatures: string[]): Test =>
  (head) =>
    signatures.some((signature) => head.startsWith(signature))

/** Markup may follow a byte order mark and white space. */
const trimMarkup = (head: string) => head.replace(/^(\xef\xbb\xbf)?\s*/, '')

/** Known types that are refused: they run code, contain files, fetch, or need a decoder that is not safe for hostile input. */
const refusedTypes: [name: string, test: Test][] = [
  ['SVG', (head) => /^</.test(trimMarkup(head)) && /<(\w+:)?svg\b/i.test(head)],
  ['HTML', (head) => /^<(!doctype\s+html|html|head|body|script)\b/i.test(trimMarkup(head))],
  ['XML or HTML', (head) => /^<[!?a-z]/i.test(trimMarkup(head)) || starts('\xff\xfe<\0', '\xfe\xff\0<')(head)],
  ['HEIC or video', (head) => head.slice(4, 8) === 'ftyp'],
  ['JPEG XL', starts('\xff\x0a', '\0\0\0\x0cJXL ')],
  ['JPEG 2000', starts('\0\0\0\x0cjP  ', '\xff\x4f\xff\x51')],
  ['BMP', starts('BM')],
  ['an icon', starts('\0\0\x01\0', '\0\0\x02\0')],
  ['PSD', starts('8BPS')],
  ['PostScript', starts('%!PS', '\xc5\xd0\xd3\xc6')],
  ['a compressed archive', starts('PK\x03\x04', 'PK\x05\x06', '\x1f\x8b', 'BZh', '\xfd7zXZ', '7z\xbc\xaf', 'Rar!')],
  ['a program', starts('\x7fELF', 'MZ', '#!', '\xca\xfe\xba\xbe', '\xcf\xfa\xed\xfe', '\xce\xfa\xed\xfe', '\0asm')],
  ['audio or video', starts('RIFF', 'OggS', 'ID3', '\x1aE\xdf\xa3', 'FLV')],
  // PDF readers look for the signature anywhere in the first kilobyte.
  ['PDF', (head) => head.slice(0, 1024).includes('%PDF-')],
]

/** Detects the format by content, so that no decoder sees a file that it should not. */
export function detectSourceFormat(bytes: Uint8Array): FormatName {
  const format = detectFormat(bytes)
  if (format) return format
  const head = readHead(bytes)
  const refused = refusedTypes.find(([, test]) => test(head))?.[0]
  if (refused) throw new ImageTypeUnsupported(refused, formatNames)
  throw new ImageUnreadable(bytes.length === 0 ? 'it is empty' : 'it is not an image of a known type')
}

/** The timing of frames. Empty for a single image. */
export type Animation = Pick<SourceImage, 'delay' | 'loop'>

interface EncoderOptions {
  /** 1 is the usual quality; down to 0 there are fewer bytes. */
  readonly quality: number
  readonly isLossless: boolean
}

interface Encoder {
  readonly canAnimate: boolean
  readonly hasAlpha: boolean
  /** Maximum width and height in pixels. */
  readonly maxSide: number
  readonly encode: (image: Sharp, animation: Animation, options: EncoderOptions) => Sharp
}

const scaleQuality = (usual: number, quality: number) => Math.max(1, Math.round(usual * quality))
/** From 256 at the usual quality down to 2. */
const countColours = (quality: number) => Math.round(2 ** (1 + 7 * quality))

/** The settings were measured on a photo of 1920x1080 with one thread; times are relative to the default of sharp. */
export const encoders: Record<OutputFormat, Encoder> = {
  // Half the time of optimised Huffman tables, for 6 % more bytes.
  jpeg: {
    canAnimate: false,
    hasAlpha: false,
    maxSide: 65_500,
    encode: (image, _, { quality }) => image.jpeg({ quality: scaleQuality(85, quality), optimiseCoding: quality < 1 }),
  },
  // Adaptive filters save a third of the bytes of photos; levels above 2 save nothing and take longer. Below the usual
  // quality, colours are reduced to a palette.
  png: {
    canAnimate: false,
    hasAlpha: true,
    maxSide: Number.POSITIVE_INFINITY,
    encode: (image, _, { quality }) =>
      quality === 1
        ? image.png({ compressionLevel: 2, adaptiveFiltering: true })
        : image.png({ palette: true, colours: countColours(quality), effort: 1 }),
  },
  // 0.4 of the time, for 5 % more bytes. Transparent pixels of a lossless image keep their colours.
  webp: {
    canAnimate: true,
    hasAlpha: true,
    maxSide: 16_383,
    encode: (image, animation, { quality, isLossless }) =>
      image.webp({
        quality: isLossless ? 50 : scaleQuality(82, quality),
        effort: 2,
        lossless: isLossless,
        exact: isLossless,
        ...animation,
      }),
  },
  // More effort would be an attack surface: 12 megapixels of noise take minutes.
  avif: {
    canAnimate: false,
    hasAlpha: true,
    maxSide: 16_384,
    encode: (image, _, { quality }) =>
      image.avif({ quality: scaleQuality(60, quality), effort: 0, chromaSubsampling: '4:2:0' }),
  },
  // Without dithering, an image with few colours keeps them. At the usual quality, no frame uses the palette of another
  // for similar colours: up to 12 % more bytes in the same time. Equal frames are kept for their timing.
  gif: {
    canAnimate: true,
    hasAlpha: true,
    maxSide: MAX_SIDE,
    encode: (image, animation, { quality }) =>
      image.gif({
        effort: 1,
        dither: 0,
        colours: countColours(quality),
        keepDuplicateFrames: true,
        interPaletteMaxError: quality === 1 ? 0 : 3,
        ...animation,
      }),
  },
}

/** The requested format or that of the source; PNG if that one cannot be written. */
export function chooseOutput(source: SourceImage, size: Size, requested: OutputFormat | undefined): OutputFormat {
  const format = requested ?? source.format
  if (format === 'tiff' || Math.max(size.width, size.height) > encoders[format].maxSide) return 'png'
  return format
}

export const fits = ['cover', 'contain', 'inside'] as const
export type Fit = (typeof fits)[number]

/** The largest side that can be requested. */
export const MAX_REQUESTED_SIDE = 8192

export interface Resize {
  /** At least one of both is defined; the other follows from the proportions. */
  readonly width: number | undefined
  readonly height: number | undefined
  /** `cover` crops, `contain` pads, `inside` keeps the proportions and does neither. */
  readonly fit: Fit
}

export interface ResizePlan {
  /** The size to scale to. Never larger than the source. */
  readonly scaled: Size
  /** The size of the result, centred: smaller than `scaled` if it is cropped, larger if it is padded. */
  readonly result: Size
}

export function planResize(source: Size, { width, height, fit }: Resize): ResizePlan {
  const ratios = [
    ...(width === undefined ? [] : [width / source.width]),
    ...(height === undefined ? [] : [height / source.height]),
  ]
  const scale = Math.min(1, fit === 'cover' ? Math.max(...ratios) : Math.min(...ratios))
  const scaled = {
    width: Math.max(1, Math.round(source.width * scale)),
    height: Math.max(1, Math.round(source.height * scale)),
  }
  const wanted = { width: width ?? scaled.width, height: height ?? scaled.height }
  if (fit === 'inside') return { scaled, result: scaled }
  if (fit === 'contain') return { scaled, result: wanted }
  const result = { width: Math.min(wanted.width, scaled.width), height: Math.min(wanted.height, scaled.height) }
  return { scaled, result }
}

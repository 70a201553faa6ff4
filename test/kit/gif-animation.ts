// Writes GIF animations by hand, and composes their frames as browsers do.
import { randomBytes } from './frames.ts'

export interface GifFrame {
  left: number
  top: number
  width: number
  height: number
  /** One colour index per pixel. */
  indices: number[]
  disposal: number
  transparentIndex: number | undefined
  isInterlaced: boolean
  /** RGB colours of this frame only. */
  colours: number[][] | undefined
}

export interface Gif {
  width: number
  height: number
  backgroundIndex: number
  colours: number[][]
  frames: GifFrame[]
}

const u16 = (...values: number[]) => values.flatMap((value) => [value & 255, value >> 8])

/** The number of bits for that many colours, at least one. */
const bitsFor = (colours: number[][]) => Math.max(1, Math.ceil(Math.log2(colours.length)))

const writeColours = (colours: number[][]) => {
  const table = colours.flat()
  return [...table, ...Array<number>(3 * 2 ** bitsFor(colours) - table.length).fill(0)]
}

/** LZW without compression: clears the table before codes become longer. */
function writePixels(indices: number[], colours: number[][]): number[] {
  const literalBits = Math.max(2, bitsFor(colours))
  const clear = 2 ** literalBits
  const codes = indices.flatMap((index, nth) => (nth % (clear - 2) === 0 ? [clear, index] : [index]))
  const bits = [...codes, clear + 1].map((code) => [...code.toString(2).padStart(literalBits + 1, '0')].reverse())
  const bytes = (
    bits
      .flat()
      .join('')
      .match(/.{1,8}/g) ?? []
  ).map((text) => Number.parseInt([...text].reverse().join(''), 2))
  const blocks = Array.from({ length: Math.ceil(bytes.length / 255) }, (_, nth) =>
    bytes.slice(255 * nth, 255 * nth + 255),
  )
  return [literalBits, ...blocks.flatMap((block) => [block.length, ...block]), 0]
}

const interlaced = (rows: number[][]) =>
  [rows.filter((_, y) => y % 8 === 0), rows.filter((_, y) => y % 8 === 4), rows.filter((_, y) => y % 4 === 2)]
    .concat([rows.filter((_, y) => y % 2 === 1)])
    .flat(2)

function writeFrame(frame: GifFrame, globalColours: number[][]): number[] {
  const { left, top, width, height, indices, disposal, transparentIndex, isInterlaced, colours } = frame
  const control = [
    0x21,
    0xf9,
    4,
    (disposal << 2) | (transparentIndex === undefined ? 0 : 1),
    ...u16(5),
    transparentIndex ?? 0,
    0,
  ]
  const flags = (colours ? 0x80 | (bitsFor(colours) - 1) : 0) | (isInterlaced ? 0x40 : 0)
  const rows = Array.from({ length: height }, (_, y) => indices.slice(y * width, (y + 1) * width))
  const pixels = writePixels(isInterlaced ? interlaced(rows) : indices, colours ?? globalColours)
  return [
    ...control,
    0x2c,
    ...u16(left, top, width, height),
    flags,
    ...(colours ? writeColours(colours) : []),
    ...pixels,
  ]
}

export function writeGif({ width, height, backgroundIndex, colours, frames }: Gif): Buffer {
  const header = [...Buffer.from('GIF89a'), ...u16(width, height), 0x80 | (bitsFor(colours) - 1), backgroundIndex, 0]
  return Buffer.from([
    ...header,
    ...writeColours(colours),
    ...frames.flatMap((frame) => writeFrame(frame, colours)),
    0x3b,
  ])
}

/** RGBA of all frames, one below the other. The background is transparent, whatever colour the file names. */
export function composeAsBrowsers({ width, height, colours: globalColours, frames }: Gif): Uint8Array {
  let canvas = new Uint8Array(4 * width * height)
  const shown = frames.map(({ disposal, transparentIndex, colours = globalColours, indices, ...area }) => {
    const before = canvas.slice()
    const forEachPixel = (change: (at: number, index: number) => void) =>
      indices.forEach((index, nth) => {
        const [x, y] = [area.left + (nth % area.width), area.top + Math.floor(nth / area.width)]
        if (x < width && y < height) change(4 * (y * width + x), index)
      })
    forEachPixel((at, index) => {
      if (index !== transparentIndex) canvas.set([...colours[index]!, 255], at)
    })
    const image = canvas.slice()
    if (disposal === 2) forEachPixel((at) => canvas.fill(0, at, at + 4))
    if (disposal === 3) canvas = before
    return image
  })
  return Buffer.concat(shown)
}

/** Frames of any size and place, some of them beyond the canvas, with every way of disposal. */
export function createRandomGif(seed: number, maxColours = 256): Gif {
  const nextByte = randomBytes(seed)
  const upTo = (max: number) => (nextByte() * 256 + nextByte()) % (max + 1)
  const randomColours = () => {
    const count = Math.min(maxColours, [2, 5, 16, 200, 256][upTo(4)]!)
    return Array.from({ length: count }, () => [nextByte(), nextByte(), nextByte()])
  }
  const [width, height, colours] = [1 + upTo(12), 1 + upTo(20), randomColours()]
  const createFrame = (isFirst: boolean): GifFrame => {
    const [left, top] = [upTo(width - 1), upTo(height - 1)]
    // The first frame would enlarge the canvas.
    const excess = isFirst ? 0 : upTo(1)
    const size = { width: 1 + upTo(width - left - 1 + excess), height: 1 + upTo(height - top - 1 + excess) }
    const own = upTo(1) === 0 ? randomColours() : undefined
    const last = (own ?? colours).length - 1
    const indices = Array.from({ length: size.width * size.height }, () => upTo(last))
    const transparentIndex = upTo(1) === 0 ? upTo(last) : undefined
    const isInterlaced = upTo(1) === 0
    return { left, top, ...size, indices, disposal: upTo(3), transparentIndex, isInterlaced, colours: own }
  }
  const frames = Array.from({ length: 1 + upTo(5) }, (_, nth) => createFrame(nth === 0))
  return { width, height, colours, backgroundIndex: upTo(colours.length - 1), frames }
}

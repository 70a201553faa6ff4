// Decodes GIF animations as browsers show them. libvips does not: a frame that is restored to the background becomes opaque
// unless it has a transparent colour itself, areas that no frame covers become black, and a canvas of 640x480 or of more
// than 2048 pixels shrinks to its first frame.
import { type Size, UnsafeImage } from './format.ts'
import * as blocks from './gif.ts'

interface Control {
  readonly disposal: number
  readonly delayMs: number
  /** -1 if there is none. */
  readonly transparentIndex: number
}

interface Frame extends Size, Control {
  readonly left: number
  readonly top: number
  readonly isInterlaced: boolean
  /** RGB, three bytes per colour. */
  readonly colours: Buffer
  /** Offset of the compressed pixels, which start with the size of their codes. */
  readonly dataAt: number
}

interface GifAnimation extends Size {
  readonly frames: readonly Frame[]
  /** How often it is played; 0 is forever. */
  readonly loop: number
}

interface GifPixels {
  /** All frames, one below the other. */
  readonly data: Buffer
  /** 3 if every pixel is opaque. */
  readonly channels: 3 | 4
}

/** The default for a frame without a control block. The delay is that of browsers. */
const noControl: Control = { disposal: 0, delayMs: 100, transparentIndex: -1 }
const RESTORE_TO_BACKGROUND = 2
/** Some programs write 4, and browsers accept it. */
const RESTORE_TO_PREVIOUS = [3, 4]

/** A frame may be larger than the canvas, which hides the excess. The limit of pixels for images does not count it. */
const MAX_HIDDEN_PIXELS = 2 ** 20

/** Reads the structure. An incomplete last frame is left out. */
export function readGif(bytes: Buffer): GifAnimation {
  const frames: Frame[] = []
  let loop = 1
  let control = noControl
  const globalColours = bytes.subarray(blocks.HEADER_BYTES, blocks.firstBlock(bytes))
  let at = blocks.firstBlock(bytes)
  for (let next = blocks.findNextBlock(bytes, at); next !== undefined; next = blocks.findNextBlock(bytes, at)) {
    const [type, label] = [bytes[at], bytes[at + 1]]
    if (type === blocks.TRAILER) break
    if (type === blocks.IMAGE) {
      frames.push({ ...readFrame(bytes, at, globalColours), ...control })
      control = noControl
    } else if (label === blocks.GRAPHIC_CONTROL) control = readControl(bytes, at)
    else if (blocks.isLoop(bytes, at)) loop = readLoop(bytes, at)
    at = next
  }
  const [first] = frames
  if (!first) throw new UnsafeImage('has no complete frame')
  // Browsers enlarge a canvas that is smaller than its first frame.
  const width = Math.max(bytes.readUInt16LE(6), first.left + first.width)
  const height = Math.max(bytes.readUInt16LE(8), first.top + first.height)
  if (width === 0 || height === 0) throw new UnsafeImage('has no pixels')
  return { width, height, frames, loop }
}

function readFrame(bytes: Buffer, at: number, globalColours: Buffer): Omit<Frame, keyof Control> {
  const [left, top, width, height] = [1, 3, 5, 7].map((offset) => bytes.readUInt16LE(at + offset)) as [
    ...[number, number, number, number],
  ]
  const flags = bytes[at + 9]!
  const dataAt = at + 10 + blocks.colourTableBytes(flags)
  const localColours = bytes.subarray(at + 10, dataAt)
  const colours = localColours.length > 0 ? localColours : globalColours
  return { left, top, width, height, isInterlaced: (flags & 0x40) !== 0, colours, dataAt }
}

function readControl(bytes: Buffer, at: number): Control {
  if (bytes[at + 2]! < 4) return noControl
  const flags = bytes[at + 3]!
  return {
    disposal: (flags >> 2) & 7,
    delayMs: 10 * bytes.readUInt16LE(at + 4),
    transparentIndex: flags & 1 ? bytes[at + 6]! : -1,
  }
}

/** Returns how often the animation is played. The file contains the number of repetitions after the first time. */
function readLoop(bytes: Buffer, at: number): number {
  if (bytes[at + 14] !== 3) return 1
  const repetitions = bytes.readUInt16LE(at + 16)
  return repetitions === 0 ? 0 : repetitions + 1
}

/** Decodes the first `frameCount` frames, each on top of what the frames before it left. */
export function decodeGif(bytes: Buffer, frameCount: number): GifPixels {
  const { width, height, frames } = readGif(bytes)
  const shown = frames.slice(0, frameCount)
  const framePixels = shown.reduce((sum, frame) => sum + frame.width * frame.height, 0)
  if (framePixels > 2 * width * height * frameCount + MAX_HIDDEN_PIXELS)
    throw new UnsafeImage('has frames that are larger than the image')
  const data = Buffer.alloc(4 * width * height * frameCount)
  const canvas = new Uint32Array(width * height)
  shown.forEach((frame, page) => {
    const pixels = new Uint32Array(data.buffer, 4 * canvas.length * page, canvas.length)
    pixels.set(canvas)
    paint(bytes, frame, { pixels, width, height })
    if (RESTORE_TO_PREVIOUS.includes(frame.disposal)) return
    canvas.set(pixels)
    if (frame.disposal === RESTORE_TO_BACKGROUND) clear(frame, { pixels: canvas, width, height })
  })
  return dropOpaqueAlpha(data)
}

interface Canvas extends Size {
  readonly pixels: Uint32Array
}

function clear({ left, top, width, height }: Frame, canvas: Canvas): void {
  for (let y = top; y < Math.min(top + height, canvas.height); y++) {
    const row = y * canvas.width
    canvas.pixels.fill(0, row + Math.min(left, canvas.width), row + Math.min(left + width, canvas.width))
  }
}

function paint(bytes: Buffer, frame: Frame, canvas: Canvas): void {
  const { left, top, width, height } = frame
  const indices = new Uint8Array(width * height)
  const decoded = decompress(bytes, frame.dataAt, indices)
  const palette = readPalette(frame)
  const rows = frame.isInterlaced ? listInterlacedRows(height) : undefined
  const visibleWidth = Math.min(width, canvas.width - left)
  for (let row = 0; row < height; row++) {
    const y = top + (rows?.[row] ?? row)
    if (y >= canvas.height) continue
    const end = Math.min(row * width + visibleWidth, decoded)
    for (let from = row * width, to = y * canvas.width + left; from < end; from++, to++) {
      const colour = palette[indices[from]!]!
      if (colour !== 0) canvas.pixels[to] = colour
    }
  }
}

/** RGBA of each index; 0 for the transparent one and for those without a colour, which are not painted. */
function readPalette({ colours, transparentIndex }: Frame): Uint32Array {
  const palette = new Uint32Array(256)
  const rgba = new Uint8Array(palette.buffer)
  for (let index = 0; index < colours.length / 3; index++) {
    if (index === transparentIndex) continue
    rgba.set(colours.subarray(3 * index, 3 * index + 3), 4 * index)
    rgba[4 * index + 3] = 255
  }
  return palette
}

/** The rows of an interlaced frame in the order of the file. */
function listInterlacedRows(height: number): number[] {
  const rows: number[] = []
  for (const [pass, first] of [0, 4, 2, 1].entries())
    for (let y = first; y < height; y += [8, 8, 4, 2][pass]!) rows.push(y)
  return rows
}

const MAX_CODE_BITS = 12
const MAX_CODES = 2 ** MAX_CODE_BITS

/** Decompresses LZW codes. Returns the number of pixels, which may be fewer than the frame has. */
function decompress(bytes: Buffer, start: number, pixels: Uint8Array): number {
  const literalBits = bytes[start]!
  if (literalBits < 1 || literalBits > 8) throw new UnsafeImage('is broken or truncated')
  const clearCode = 1 << literalBits
  const endCode = clearCode + 1
  // Each code is the string of another code and one more pixel.
  const prefixes = new Uint16Array(MAX_CODES)
  const lasts = new Uint8Array(MAX_CODES)
  const firsts = new Uint8Array(MAX_CODES)
  const lengths = new Uint16Array(MAX_CODES)
  for (let code = 0; code < clearCode; code++) {
    firsts[code] = lasts[code] = code
    lengths[code] = 1
  }
  let [at, blockEnd, bits, bitCount, written] = [start + 1, start + 1, 0, 0, 0]
  let [codeBits, nextCode, previous] = [literalBits + 1, endCode + 1, -1]
  while (written < pixels.length) {
    while (bitCount < codeBits) {
      if (at === blockEnd) {
        const length = bytes[at++]!
        if (length === 0) return written
        blockEnd = at + length
      }
      bits |= bytes[at++]! << bitCount
      bitCount += 8
    }
    const code = bits & ((1 << codeBits) - 1)
    bits >>= codeBits
    bitCount -= codeBits
    if (code === endCode) return written
    if (code === clearCode) {
      codeBits = literalBits + 1
      nextCode = endCode + 1
      previous = -1
      continue
    }
    if (previous === -1 ? code > clearCode : code > nextCode) throw new UnsafeImage('is broken or truncated')
    if (previous !== -1 && nextCode < MAX_CODES) {
      prefixes[nextCode] = previous
      firsts[nextCode] = firsts[previous]!
      lasts[nextCode] = firsts[code]!
      lengths[nextCode] = lengths[previous]! + 1
      nextCode++
      if (nextCode === 1 << codeBits && codeBits < MAX_CODE_BITS) codeBits++
    }
    const end = written + lengths[code]!
    // Writes beyond the last pixel have no effect.
    for (let to = end - 1, part = code; to >= written; to--, part = prefixes[part]!) pixels[to] = lasts[part]!
    written = end
    previous = code
  }
  return pixels.length
}

function dropOpaqueAlpha(data: Buffer): GifPixels {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return { data, channels: 4 }
  let to = 0
  for (let from = 0; from < data.length; from += 4) {
    data[to++] = data[from]!
    data[to++] = data[from + 1]!
    data[to++] = data[from + 2]!
  }
  return { data: data.subarray(0, to), channels: 3 }
}

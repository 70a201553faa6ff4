import { consistsOf, createCompactor, type ImageFormat } from './format.ts'

export const HEADER_BYTES = 13
const EXTENSION = 0x21
export const IMAGE = 0x2c
export const TRAILER = 0x3b
export const GRAPHIC_CONTROL = 0xf9
const APPLICATION = 0xff
/** Application extensions that say how often the animation is played. */
const LOOP_EXTENSIONS = ['NETSCAPE2.0', 'ANIMEXTS1.0']

export const colourTableBytes = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)

export const firstBlock = (bytes: Buffer) => HEADER_BYTES + colourTableBytes(bytes[10] ?? 0)

/** Returns the offset after the block at `at`; undefined if there is no complete block. */
export function findNextBlock(bytes: Buffer, at: number): number | undefined {
  const type = bytes[at]
  if (type === TRAILER) return at + 1
  if (type !== EXTENSION && type !== IMAGE) return undefined
  let next = type === EXTENSION ? at + 2 : at + 11 + colourTableBytes(bytes[at + 9] ?? 0)
  // Sub-blocks: a length and that many bytes, repeated until a length of 0.
  for (let length = bytes[next]; length !== 0; length = bytes[next]) {
    if (length === undefined) return undefined
    next += 1 + length
  }
  return next + 1
}

/** Whether the blocks lead to the trailer. */
function isComplete(bytes: Buffer): boolean {
  for (let at: number | undefined = firstBlock(bytes); at !== undefined; at = findNextBlock(bytes, at)) {
    if (bytes[at] === TRAILER) return true
  }
  return false
}

export const isLoop = (bytes: Buffer, at: number) =>
  bytes[at + 1] === APPLICATION && LOOP_EXTENSIONS.includes(bytes.toString('latin1', at + 3, at + 14))

/**
 * Keeps images with the control block before them, and one loop block. It keeps one frame above the limit, so that the
 * decoder sees that there are too many.
 */
function stripMetadata(bytes: Buffer, maxFrames: number): Buffer {
  const { keep, finish } = createCompactor(bytes)
  let control: [start: number, end: number] | undefined
  let hasLoop = false
  let frames = 0
  keep(0, firstBlock(bytes))
  for (let at = firstBlock(bytes); at < bytes.length && frames <= maxFrames; ) {
    const [start, type] = [at, bytes[at]]
    at = findNextBlock(bytes, start) ?? bytes.length
    if (type === EXTENSION && bytes[start + 1] === GRAPHIC_CONTROL) control = [start, at]
    if (type === EXTENSION && (hasLoop || !isLoop(bytes, start))) continue
    if (control) keep(...control)
    control = undefined
    keep(start, at)
    if (type === EXTENSION) hasLoop = true
    else frames++
    if (type === TRAILER) break
  }
  return finish()
}

const containsOnlyImage = (bytes: Buffer) =>
  consistsOf(firstBlock(bytes), bytes.length, (at) => {
    const next = findNextBlock(bytes, at)
    if (next === undefined) return undefined
    const [type, label] = [bytes[at], bytes[at + 1]]
    if (type === TRAILER) return { isImage: next === bytes.length, next }
    return { isImage: type === IMAGE || label === GRAPHIC_CONTROL || isLoop(bytes, at), next }
  })

export const gif = {
  hasSignature: (head) => /^GIF8[79]a/.test(head),
  stripMetadata,
  containsOnlyImage,
  isComplete,
} satisfies ImageFormat

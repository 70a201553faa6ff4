import { endOfScan } from '../jpeg.ts'
import type { PictureType } from '../picture-types.ts'

/** A part of a file, and where the next one begins. */
interface Part {
  readonly isPicture: boolean
  readonly next: number
}

/** Whether parts that belong to the picture lead exactly to the end; `read` gives none where there is no whole one. */
function isAllPicture(start: number, end: number, read: (at: number) => Part | undefined): boolean {
  let at = start
  while (at < end) {
    const part = read(at)
    if (!part?.isPicture || part.next <= at) return false
    at = part.next
  }
  return at === end
}

const PNG_END = 'IEND'
const PNG_COLOURS = ['PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'sBIT', 'bKGD']
const PNG_PARTS = ['IHDR', 'IDAT', PNG_END, 'pHYs', 'acTL', 'fcTL', 'fdAT', ...PNG_COLOURS]
const PNG_SIGNATURE = 8

const isPlainPng = (bytes: Buffer) =>
  isAllPicture(PNG_SIGNATURE, bytes.length, (at) => {
    const [name, next] = [nameAt(bytes, at + 4), at + 12 + bytes.readUInt32BE(at)]
    return { isPicture: PNG_PARTS.includes(name) && (name !== PNG_END || next === bytes.length), next }
  })

const APP0 = 0xe0
const APP14 = 0xee
const APP15 = 0xef
const COMMENT = 0xfe
const SCAN = 0xda
const END = 0xd9

const isPlainJpeg = (bytes: Buffer) =>
  isAllPicture(2, bytes.length, (at) => {
    const mark = bytes[at + 1] ?? 0
    if (bytes[at] !== 0xff) return undefined
    if (mark === END) return { isPicture: at + 2 === bytes.length, next: at + 2 }
    const end = at + 2 + bytes.readUInt16BE(at + 2)
    const next = mark === SCAN ? endOfScan(bytes, end) : end
    // How the colours are meant; everything else that applications write tells of the camera, the place or the maker.
    if (mark === APP0) return { isPicture: nameAt(bytes, at + 4) === 'JFIF' && end - at === 18, next }
    if (mark === APP14) return { isPicture: nameAt(bytes, at + 4) === 'Adob' && end - at === 16, next }
    return { isPicture: mark !== COMMENT && !(mark > APP0 && mark <= APP15), next }
  })

const FRAME = 'ANMF'
const FRAME_HEAD = 16
const WEBP_FRAME_PARTS = ['VP8 ', 'VP8L', 'ALPH']
const WEBP_PARTS = [...WEBP_FRAME_PARTS, 'VP8X', 'ANIM', FRAME]

const isPlainWebp = (bytes: Buffer) => isAllWebp(bytes, 12, bytes.length, WEBP_PARTS)

function isAllWebp(bytes: Buffer, start: number, end: number, parts: readonly string[]): boolean {
  return isAllPicture(start, end, (at) => {
    const length = bytes.readUInt32LE(at + 4)
    const [name, next] = [nameAt(bytes, at), at + 8 + length + (length % 2)]
    const isWhole = name !== FRAME || (next <= end && isAllWebp(bytes, at + 8 + FRAME_HEAD, next, WEBP_FRAME_PARTS))
    return { isPicture: parts.includes(name) && isWhole, next }
  })
}

const AVIF_PARTS = ['ftyp', 'meta', 'mdat', 'moov']

const isPlainAvif = (bytes: Buffer) =>
  isAllPicture(0, bytes.length, (at) => ({
    isPicture: AVIF_PARTS.includes(nameAt(bytes, at + 4)),
    next: at + bytes.readUInt32BE(at),
  }))

const nameAt = (bytes: Buffer, at: number) => bytes.toString('latin1', at, at + 4)

const GIF_BLOCK = { extension: 0x21, image: 0x2c, end: 0x3b }
const GIF_CONTROL = 0xf9
const GIF_APPLICATION = 0xff
/** How often it is played. */
const GIF_LOOPS = ['NETSCAPE2.0', 'ANIMEXTS1.0']

function isPlainGif(bytes: Buffer): boolean {
  const colours = (flags: number) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)
  const afterBlocks = (start: number) => {
    let at = start
    while ((bytes[at] ?? 0) > 0) at += bytes[at]! + 1
    return at + 1
  }
  return isAllPicture(13 + colours(bytes[10] ?? 0), bytes.length, (at) => {
    const [kind, label] = [bytes[at], bytes[at + 1]]
    if (kind === GIF_BLOCK.end) return { isPicture: at + 1 === bytes.length, next: at + 1 }
    if (kind === GIF_BLOCK.image) return { isPicture: true, next: afterBlocks(at + 11 + colours(bytes[at + 9] ?? 0)) }
    const isLoop = label === GIF_APPLICATION && GIF_LOOPS.includes(bytes.toString('latin1', at + 3, at + 14))
    const isPicture = kind === GIF_BLOCK.extension && (label === GIF_CONTROL || isLoop)
    return { isPicture, next: afterBlocks(at + 2) }
  })
}

const isPlain: Partial<Record<PictureType, (bytes: Buffer) => boolean>> = {
  png: isPlainPng,
  jpeg: isPlainJpeg,
  webp: isPlainWebp,
  gif: isPlainGif,
  avif: isPlainAvif,
}

/**
 * Whether a file is nothing but its picture. The decoder tells of the usual metadata only: not of comments, of what makers
 * of phones and programs write for themselves, nor of what lies behind the end, such as the film of a moving photo.
 */
export function isNothingElse(type: PictureType, bytes: Buffer): boolean {
  try {
    return isPlain[type]?.(bytes) ?? false
  } catch {
    // It ends in the middle of a part.
    return false
  }
}

// Tells by content what a source is, so that no decoder sees what it should not: a name or header can say anything.
import { ImageTypeUnsupported, ImageUnreadable } from '../../../errors/index.ts'
import { type SourceFormat, sourceFormats } from './formats.ts'

type Test = (head: string) => boolean

const starts =
  (...signatures: string[]): Test =>
  (head) =>
    signatures.some((signature) => head.startsWith(signature))

/** The brands in the first box of an ISO media file: the major one, and those after the version. */
function brands(head: string): string[] {
  if (head.slice(4, 8) !== 'ftyp') return []
  const size = Math.min(Buffer.from(head.slice(0, 4), 'latin1').readUInt32BE(), head.length)
  return (head.slice(8, 12) + head.slice(16, size)).match(/.{4}/gs) ?? []
}

const readable: [SourceFormat, Test][] = [
  ['jpeg', starts('\xff\xd8\xff')],
  ['png', starts('\x89PNG\r\n\x1a\n')],
  ['webp', (head) => head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP'],
  ['gif', starts('GIF87a', 'GIF89a')],
  ['avif', (head) => brands(head).some((brand) => brand === 'avif' || brand === 'avis')],
  ['tiff', starts('II*\0', 'MM\0*', 'II+\0', 'MM\0+')],
]

/** Markup may begin after a byte order mark and white space. */
const markup = (head: string) => head.replace(/^(\xef\xbb\xbf)?\s*/, '')

/** Known, and refused: what runs, holds other files, fetches, or needs a decoder that we do not trust with strangers. */
const refused: [string, Test][] = [
  ['SVG', (head) => /^</.test(markup(head)) && /<(\w+:)?svg\b/i.test(head)],
  ['HTML', (head) => /^<(!doctype\s+html|html|head|body|script)\b/i.test(markup(head))],
  ['XML or HTML', (head) => /^<[!?a-z]/i.test(markup(head)) || starts('\xff\xfe<\0', '\xfe\xff\0<')(head)],
  ['HEIC or video', (head) => head.slice(4, 8) === 'ftyp'],
  ['JPEG XL', starts('\xff\x0a', '\0\0\0\x0cJXL ')],
  ['JPEG 2000', starts('\0\0\0\x0cjP  ', '\xff\x4f\xff\x51')],
  ['BMP', starts('BM')],
  ['an icon', starts('\0\0\x01\0', '\0\0\x02\0')],
  ['PSD', starts('8BPS')],
  ['PostScript', starts('%!PS', '\xc5\xd0\xd3\xc6')],
  ['a compressed archive', starts('PK\x03\x04', 'PK\x05\x06', '\x1f\x8b', 'BZh', '\xfd7zXZ', '7z\xbc\xaf', 'Rar!')],
  ['a program', starts('\x7fELF', 'MZ', '#!', '\xca\xfe\xba\xbe', '\xcf\xfa\xed\xfe', '\xce\xfa\xed\xfe', '\0asm')],
  ['sound or video', starts('RIFF', 'OggS', 'ID3', '\x1aE\xdf\xa3', 'FLV')],
  // A reader of PDF looks for it anywhere in the first kilobyte.
  ['PDF', (head) => head.slice(0, 1024).includes('%PDF-')],
]

const HEAD_BYTES = 4096

export function sniff(bytes: Uint8Array): SourceFormat {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString('latin1')
  const format = readable.find(([, test]) => test(head))?.[0]
  if (format) return format
  const other = refused.find(([, test]) => test(head))?.[0]
  if (other) throw new ImageTypeUnsupported(other, [...sourceFormats])
  throw new ImageUnreadable(bytes.length === 0 ? 'it is empty' : 'it is of no type of picture that we know')
}

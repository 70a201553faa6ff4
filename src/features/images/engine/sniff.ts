// Tells by content what a source is, so that no decoder sees what it should not: a name or header can say anything.
import { ImageTypeUnsupported, ImageUnreadable } from '../../../errors/index.ts'
import { detectFormat, type FormatName, formatNames, readHead } from '../../../platform/image-formats/index.ts'

type Test = (head: string) => boolean

const starts =
  (...signatures: string[]): Test =>
  (head) =>
    signatures.some((signature) => head.startsWith(signature))

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

export function sniff(bytes: Uint8Array): FormatName {
  const format = detectFormat(bytes)
  if (format) return format
  const head = readHead(bytes)
  const other = refused.find(([, test]) => test(head))?.[0]
  if (other) throw new ImageTypeUnsupported(other, formatNames)
  throw new ImageUnreadable(bytes.length === 0 ? 'it is empty' : 'it is of no type of picture that we know')
}

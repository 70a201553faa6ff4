import { type Rule, readLine } from './formats.ts'
import type { IndexParts } from './host-index.ts'
import { IndexBuilder } from './index-builder.ts'
import { LONGEST_NAME } from './name.ts'

/** A longer line is no list's: dnsmasq takes 1,025 bytes, a hosts file a few names. */
const LONGEST_LINE = 4096
/** In the large lists that are published; hosts files have a few bytes more. */
const USUAL_LINE = 24
const LONGEST_LABEL = 63
const BOM = [0xef, 0xbb, 0xbf]
const TAB = 0x09
const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const DASH = 0x2d
const DOT = 0x2e

export interface ScannedList {
  readonly index: IndexParts
  /** Distinct domains and addresses that are blocked. */
  readonly entries: number
  /** Lines that are neither comments nor name a host. */
  readonly ignored: number
}

/** Reads a whole list. Capitals in `bytes` become small letters. */
export function scanList(bytes: Buffer): ScannedList {
  const builder = new IndexBuilder(bytes.length / USUAL_LINE)
  const scratch = Buffer.alloc(LONGEST_NAME)
  let ignored = 0
  const keep = ({ name, isAllowed }: Rule) => builder.add(scratch, 0, scratch.write(name, 'latin1'), isAllowed)

  let start = BOM.every((byte, at) => bytes[at] === byte) ? BOM.length : 0
  while (start < bytes.length) {
    let end = start
    while (end < bytes.length && bytes[end] !== NEWLINE) end += 1
    const next = end + 1
    while (start < end && isBlank(bytes[start]!)) start += 1
    while (start < end && isBlank(bytes[end - 1]!)) end -= 1
    const shape = shapeOf(bytes, start, end)
    if (shape) builder.add(bytes, start + shape.before.length, end - shape.after.length, false)
    else if (end - start > LONGEST_LINE) ignored += 1
    else if (start < end) {
      const rules = readLine(bytes.toString('utf8', start, end))
      if (rules === undefined) ignored += 1
      else rules.forEach(keep)
    }
    start = next
  }
  return { entries: builder.entries, ignored, index: builder.finish() }
}

const isBlank = (byte: number) => byte === SPACE || byte === TAB || byte === RETURN

interface Shape {
  readonly before: Uint8Array
  readonly after: Uint8Array
}

/** Lines that large lists are made of, each with one name in it. */
const SHAPES: readonly Shape[] = [
  ['', ''],
  ['||', '^'],
  ['0.0.0.0 ', ''],
  ['127.0.0.1 ', ''],
  ['*.', ''],
  ['address=/', '/'],
  ['address=/', '/0.0.0.0'],
  ['server=/', '/'],
  ['local=/', '/'],
].map(([before = '', after = '']) => ({ before: Buffer.from(before), after: Buffer.from(after) }))
const LOCALHOST = Buffer.from('localhost')

/** Undefined for any other line, also if there is something unusual about its name: readLine knows what to do. */
function shapeOf(bytes: Uint8Array, start: number, end: number): Shape | undefined {
  for (const shape of SHAPES) {
    const from = start + shape.before.length
    const to = end - shape.after.length
    if (!isAt(shape.before, bytes, start) || !isAt(shape.after, bytes, to)) continue
    if (isPlainName(bytes, from, to) && !isAt(LOCALHOST, bytes, from)) return shape
  }
  return undefined
}

function isAt(part: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < part.length; at += 1) if (bytes[start + at] !== part[at]) return false
  return true
}

/** By byte: 0 is in no name, 1 a small letter, 2 a digit or dash, 3 an underscore, 4 a capital. */
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  return 1 + [/[a-z]/, /[0-9-]/, /_/, /[A-Z]/].findIndex((kind) => kind.test(character))
})
const LETTER = 1
const UNDERSCORE = 3
const CAPITAL = 4

/** The same as NAME of name.ts, with two labels or more. */
function isPlainName(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > LONGEST_NAME) return false
  let label = start
  let hasUnderscore = false
  for (let at = start; at <= end; at += 1) {
    const byte = at === end ? DOT : bytes[at]!
    if (byte === DOT) {
      const length = at - label
      if (length === 0 || length > LONGEST_LABEL || bytes[label] === DASH || bytes[at - 1] === DASH) return false
      if (at === end) break
      label = at + 1
      hasUnderscore = false
      continue
    }
    const kind = CLASSES[byte]!
    if (kind === 0) return false
    if (kind === UNDERSCORE) hasUnderscore = true
    if (kind === CAPITAL) bytes[at] = byte | 0x20
  }
  return label > start && end - label >= 2 && !hasUnderscore && CLASSES[bytes[label]!] === LETTER
}

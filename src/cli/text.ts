// The texts of commands: colours, escapes, errors, tables and times.
import { isIPv6 } from 'node:net'
import { getSystemErrorMessage, styleText } from 'node:util'
import { ApiError, OperatorError } from '../errors/index.ts'

export type Style = Parameters<typeof styleText>[0]

/** Always adds the style. run.ts removes all styles if the output shows no colours. */
export const paint = (style: Style, text: string) => styleText(style, text, { validateStream: false })

/** Characters that move the cursor or change the writing direction. */
const CONTROL_CHARACTERS = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
const hexCode = (character: string) => character.charCodeAt(0).toString(16)

/** Escapes control characters: a file name or a client's text must not control the operator's terminal. */
export const printable = (text: string) => text.replace(CONTROL_CHARACTERS, (character) => `\\u{${hexCode(character)}}`)

export const printableLines = (text: string) => text.split('\n').map(printable).join('\n')

/** The text of a command keeps its lines, tabs, and colours, bold and dim. A server must not hide text ("\x1b[8m"). */
export const printableStyled = (text: string) =>
  text
    .split(/(\n|\t|\x1b\[(?:[12]|22|3[1-69])m)/)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('')

export const printableJson = (value: object) =>
  JSON.stringify(value).replace(CONTROL_CHARACTERS, (character) => `\\u${hexCode(character).padStart(4, '0')}`)

/** Problems start in lower case and may end without a full stop, as log messages do. */
export const formatSentence = (text: string) =>
  printable(`${text[0]?.toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`)

/** To the minute, in UTC, for sentences. */
export const formatTime = (at: number | string) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** "1 picture", "3 pictures". */
export const formatCount = (number: number, one: string, many = `${one}s`) => `${number} ${number === 1 ? one : many}`

/** The URL of a service with this HOST and PORT, as seen from its own machine. */
export function localUrl(host: string, port: number): string {
  if (host === '0.0.0.0') return localUrl('127.0.0.1', port)
  if (host === '::') return localUrl('::1', port)
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
}

/** The message for the user, or undefined if the error is a bug, which needs its stack. */
export function describeError(error: unknown): string | undefined {
  if (error instanceof OperatorError || error instanceof ApiError) return error.message
  const { errno, path, syscall } = error as NodeJS.ErrnoException
  return errno && syscall ? `${path ?? 'A file'} cannot be used: ${getSystemErrorMessage(errno)}.` : undefined
}

const networkProblems: Record<string, string> = {
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the host name cannot be resolved at the moment',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the server closed the connection',
  UND_ERR_SOCKET: 'the server closed the connection',
  ETIMEDOUT: 'the server does not reply',
  UND_ERR_CONNECT_TIMEOUT: 'the server does not reply',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not use HTTPS on this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not use HTTPS on this port',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
}
for (const code of [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]) {
  networkProblems[code] =
    'its certificate is self-signed or from an unknown authority; name the file of a certificate that you trust in ' +
    'NODE_EXTRA_CA_CERTS'
}

/** Why `fetch` failed. Starts in lower case and has no full stop. */
export function describeNetworkError(error: Error & { cause?: { code?: string; message?: string } }): string {
  if (error.name === 'TimeoutError') return 'the server does not reply'
  const { code = '', message = error.message } = error.cause ?? {}
  return networkProblems[code] ?? (code || message)
}

// Tables, fields and times. On a terminal they fit its width; otherwise programs can split them at the tabs.

type Row = Readonly<Record<string, string | number>>

interface FormatOptions {
  /** Width of the terminal. Undefined: the output is a file or a pipe. */
  readonly width: number | undefined
  readonly now?: number
  /** Prints to standard error. */
  note(text: string): void
}

export type Format = ReturnType<typeof createFormat>

export const createFormat = ({ width, now = Date.now(), note }: FormatOptions) => ({
  /** The keys of the rows are the headings. A terminal shows no empty columns. `stateColours` applies to the column "state". */
  table(rows: readonly Row[], whenEmpty: string, stateColours: Readonly<Record<string, Style>> = {}): string {
    if (rows[0] && width !== undefined) return drawTable(rows, width, stateColours)
    if (rows[0]) return rows.map(joinCells).join('\n')
    if (width !== undefined) return whenEmpty
    // A program would take the sentence for a row.
    note(whenEmpty)
    return ''
  },

  /** One line per field. Undefined values are left out. */
  fields(fields: Readonly<Record<string, string | number | undefined>>): string {
    const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
    const longest = Math.max(...entries.map(([name]) => name.length))
    const label = (name: string) => (width === undefined ? `${name}\t` : paint('bold', name.padEnd(longest + 2)))
    return entries.map(([name, value]) => label(name) + printable(String(value))).join('\n')
  },

  /** "3 hours ago" on a terminal, otherwise an ISO time. */
  time: (at: string) => (width === undefined ? new Date(at).toISOString() : formatRelative(at, now)),

  /** "2026-12-01 10:00 UTC, 3 hours ago" on a terminal, otherwise an ISO time. */
  exactTime: (at: string) =>
    width === undefined ? new Date(at).toISOString() : `${formatTime(at)}, ${formatRelative(at, now)}`,
})

const joinCells = (row: Row) =>
  Object.values(row)
    .map((cell) => printable(String(cell)))
    .join('\t')

const GAP = '  '

function drawTable(rows: readonly Row[], width: number, stateColours: Readonly<Record<string, Style>>): string {
  const headings = Object.keys(rows[0]!).filter((heading) => rows.some((row) => row[heading] !== ''))
  const titles = headings.map((heading) => heading.toUpperCase())
  const cells = rows.map((row) => headings.map((heading) => printable(String(row[heading]))))
  // A reduction, because a call with more than about 120,000 arguments exceeds the stack.
  const widths = titles.map((title, column) =>
    cells.reduce((widest, row) => Math.max(widest, measureWidth(row[column]!)), title.length),
  )
  const fitting = shrinkColumns(widths, titles, width - GAP.length * (titles.length - 1))
  const isNumber = headings.map((heading) => rows.every((row) => typeof row[heading] === 'number'))
  const fit = (cell: string, column: number) => {
    const text = truncate(cell, fitting[column]!)
    const padding = ' '.repeat(Math.max(0, fitting[column]! - measureWidth(text)))
    return isNumber[column] ? padding + text : column < titles.length - 1 ? text + padding : text
  }
  const colour = (cell: string, column: number) => {
    const style = headings[column] === 'state' && Object.hasOwn(stateColours, cell) ? stateColours[cell] : undefined
    return style ? paint(style, fit(cell, column)) : fit(cell, column)
  }
  const head = titles.map((title, column) => paint('bold', fit(title, column)))
  return [head, ...cells.map((row) => row.map(colour))].map((row) => row.join(GAP).trimEnd()).join('\n')
}

/** Shortens the widest columns, but not the first one, which is the id to copy, and none to less than its heading. */
function shrinkColumns(widths: readonly number[], titles: readonly string[], available: number): number[] {
  const result = [...widths]
  for (let excess = result.reduce((sum, width) => sum + width, 0) - available; excess > 0; excess--) {
    let widest = 0
    for (let column = 1; column < result.length; column++) {
      const canShrink = result[column]! > titles[column]!.length
      if (canShrink && (widest === 0 || result[column]! > result[widest]!)) widest = column
    }
    if (widest === 0) break
    result[widest]!--
  }
  return result
}

let segmenter: Intl.Segmenter | undefined
/** The segmenter is created at the first use: that takes 20 ms, and most commands print only ASCII. */
const splitCharacters = (text: string) => {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter.segment(text)
}
const ASCII = /^[\x20-\x7e]*$/
/** Characters that take two columns: emoji, Chinese, Japanese and Korean, and full-width forms. */
const WIDE =
  /\p{Emoji_Presentation}|\uFE0F|[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6\u{1B000}-\u{1B2FF}\u{20000}-\u{3FFFD}]/u

const measureCharacter = (character: string) => (WIDE.test(character) ? 2 : 1)

/** The number of columns that a text takes on a terminal. */
export function measureWidth(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const { segment } of splitCharacters(text)) width += measureCharacter(segment)
  return width
}

/** Replaces the end that does not fit with an ellipsis. */
function truncate(text: string, width: number): string {
  if (measureWidth(text) <= width) return text
  let [result, used] = ['', 0]
  for (const { segment } of splitCharacters(text)) {
    used += measureCharacter(segment)
    if (used > width - 1) break
    result += segment
  }
  return `${result.trimEnd()}…`
}

const MINUTE_MS = 60_000
const UNITS = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', MINUTE_MS],
] as const

/** "3 hours ago", "in 2 days" or "now". */
export function formatRelative(at: string, now: number): string {
  const difference = Date.parse(at) - now
  if (Math.abs(difference) < MINUTE_MS) return 'now'
  // A ban of 7 days that has just begun ends "in 7 days", not "in 6 days".
  const ms = difference < 0 ? difference : difference + MINUTE_MS
  const [unit, unitMs] = UNITS.find(([, unitMs]) => Math.abs(ms) >= unitMs)!
  return new Intl.RelativeTimeFormat('en').format(Math.trunc(ms / unitMs), unit)
}

// How commands format their output. styleText adds colours only if standard output is a terminal that supports them.
import { isIPv6 } from 'node:net'
import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Characters that move the cursor or change the writing direction. */
const CONTROL_CHARACTERS = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
const hexCode = (character: string) => character.charCodeAt(0).toString(16)

/** Escapes control characters: a file name or a client's text must not control the operator's terminal. */
export const printable = (text: string) => text.replace(CONTROL_CHARACTERS, (character) => `\\u{${hexCode(character)}}`)

export const printableLines = (text: string) => text.split('\n').map(printable).join('\n')

/** The text of a command keeps its lines and styles, such as "\x1b[32m". */
export const printableStyled = (text: string) =>
  text
    .split(/(\n|\x1b\[\d{1,2}m)/)
    .map((part, index) => (index % 2 === 1 ? part : printable(part)))
    .join('')

export const printableJson = (value: object) =>
  JSON.stringify(value).replace(CONTROL_CHARACTERS, (character) => `\\u${hexCode(character).padStart(4, '0')}`)

/** The keys of the rows are the headings. `stateColours` applies to the column "state". */
export function formatTable(
  rows: readonly Readonly<Record<string, string>>[],
  whenEmpty: string,
  stateColours: Readonly<Record<string, Style>> = {},
): string {
  if (!rows[0]) return whenEmpty
  const headings = Object.keys(rows[0])
  const cells = rows.map((row) => headings.map((heading) => printable(row[heading]!)))
  // A reduction, because a call with more than about 120,000 arguments exceeds the stack.
  const widths = headings.map((heading, column) =>
    cells.reduce((width, row) => Math.max(width, row[column]!.length), heading.length),
  )
  const pad = (row: readonly string[]) =>
    row.map((cell, column) => (column < row.length - 1 ? cell.padEnd(widths[column]!) : cell))
  const colour = (cell: string, column: number) => {
    const state = cell.trim()
    return headings[column] === 'state' && Object.hasOwn(stateColours, state)
      ? styleText(stateColours[state]!, cell)
      : cell
  }
  const head = pad(headings).map((cell) => styleText('bold', cell))
  const body = cells.map((row) => pad(row).map(colour))
  return [head, ...body].map((row) => row.join('  ').trimEnd()).join('\n')
}

/** One line per field. Undefined values are left out. */
export function formatFields(fields: Readonly<Record<string, string | number | undefined>>): string {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  const width = Math.max(...entries.map(([name]) => name.length))
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${printable(String(value))}`).join('\n')
}

/** Problems start in lower case and may end without a full stop, as log messages do. */
export const formatSentence = (text: string) =>
  printable(`${text[0]?.toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`)

/** To the minute, in UTC. */
export const formatTime = (at: number | string | null) =>
  at === null ? '' : `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** "1 picture", "3 pictures". */
export const formatCount = (number: number, one: string, many = `${one}s`) => `${number} ${number === 1 ? one : many}`

/** The URL of a service with this HOST and PORT, as seen from its own machine. */
export function localUrl(host: string, port: number): string {
  if (host === '0.0.0.0') return localUrl('127.0.0.1', port)
  if (host === '::') return localUrl('::1', port)
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`
}

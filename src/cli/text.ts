// How commands show things to people. Colours come only where standard output is a terminal that wants them.
import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** What would move the cursor or turn the writing direction. */
const UNSEEN = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
const codeOf = (letter: string) => letter.charCodeAt(0).toString(16)

/** Text of strangers, such as a file's name: what is not to be seen in it is spelt out. */
export const visible = (text: string) => text.replace(UNSEEN, (letter) => `\\u{${codeOf(letter)}}`)

/** The same for a text of several lines. */
export const visibleLines = (text: string) => text.split('\n').map(visible).join('\n')

/** JSON for a program, which also a person may look at in a terminal. */
export const visibleJson = (value: object) =>
  JSON.stringify(value).replace(UNSEEN, (letter) => `\\u${codeOf(letter).padStart(4, '0')}`)

/** Rows under headings; `styleOf` may colour a cell by what it says. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  styleOf: (cell: string) => Style | undefined = () => undefined,
): string {
  const cells = rows.map((row) => row.map(visible))
  const widths = headings.map((heading, at) => Math.max(heading.length, ...cells.map((row) => row[at]?.length ?? 0)))
  const padded = (row: readonly string[]) =>
    row.map((cell, at) => (at < row.length - 1 ? cell.padEnd(widths[at]!) : cell))
  const head = padded(headings).map((cell) => styleText('bold', cell))
  const body = cells.map((row) => padded(row).map((cell) => styled(styleOf(cell.trim()), cell)))
  return [head, ...body].map((row) => row.join('  ').trimEnd()).join('\n')
}

const styled = (style: Style | undefined, text: string) => (style ? styleText(style, text) : text)

/** Names and what they are, a line each; undefined is left out. */
export function facts(entries: Readonly<Record<string, string | number | undefined>>): string {
  const told = Object.entries(entries).filter(([, value]) => value !== undefined)
  const width = Math.max(...told.map(([name]) => name.length))
  return told.map(([name, value]) => `${name.padEnd(width)}  ${visible(String(value))}`).join('\n')
}

/** A moment to the minute, in UTC as everywhere here. */
export const moment = (at: number | string | null) =>
  at === null ? '' : `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** "1 picture", "3 pictures". */
export const count = (number: number, one: string, many = `${one}s`) => `${number} ${number === 1 ? one : many}`

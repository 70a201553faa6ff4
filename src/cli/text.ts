// The texts of commands.
import { isIPv6 } from 'node:net'
import { styleText } from 'node:util'

export type Style = Parameters<typeof styleText>[0]

/** Always adds the style. run.ts removes all styles if the output shows no colours. */
export const paint = (style: Style, text: string) => styleText(style, text, { validateStream: false })

/** Characters that move the cursor or change the writing direction. */
const CONTROL_CHARACTERS = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
const hexCode = (character: string) => character.charCodeAt(0).toString(16)

/** Escapes control characters: a file name or a client's text must not control the operator's terminal. */
export const printable = (text: string) => text.replace(CONTROL_CHARACTERS, (character) => `\\u{${hexCode(character)}}`)

export const printableLines = (text: string) => text.split('\n').map(printable).join('\n')

/** The text of a command keeps its lines, tabs and styles, such as "\x1b[32m". */
export const printableStyled = (text: string) =>
  text
    .split(/(\n|\t|\x1b\[\d{1,2}m)/)
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

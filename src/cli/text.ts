// The texts of commands.
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

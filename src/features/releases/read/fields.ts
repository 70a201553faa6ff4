// The fields of the operator's files, and the rules that publishing commands share with them.
import Type, { type TOptional, type TSchema } from 'typebox'
import { isPlainName } from '../../../platform/files/index.ts'
import { parseLanguage } from '../languages.ts'
import { describeDateError, parseDate } from '../release.ts'
import { isVersion, versionPattern, versionRule } from '../version.ts'

// Each rule completes "<field> must …".
export function isWebUrl(text: string): boolean {
  const url = URL.parse(text)
  return text.length <= 2048 && /^https?:$/.test(url?.protocol ?? '') && !url?.username && !url?.password
}
export const urlRule = 'must be an absolute http or https URL without credentials'

export const isFileName = (text: string) => isPlainName(text) && !text.includes('/') && text.length <= 200
const fileRule = 'must be the name of a file in files/, without folders'

export const isNewsId = (text: string) => /^[a-z0-9][a-z0-9._-]{0,119}$/i.test(text)
export const newsIdRule = 'must be 1 to 120 letters, digits, dots, dashes and underscores'

export const isImage = (text: string) => isWebUrl(text) || /^\/media\/[!-~]{1,1000}$/.test(text)
export const imageRule =
  'must be an absolute http or https URL, or a picture of this service such as /media/animals/fox/~b.png'

export const isLanguage = (text: string) => parseLanguage(text) !== undefined
export const languageRule = 'must be a language tag such as de or pt-BR'

export const rolloutRange = { minimum: 0, maximum: 100 }

/** `pattern` is for editors: it is wider than the rule, whose error says what is wrong. */
export const textMatching = (
  rule: string | ((value: string) => string),
  isValid: (value: string) => boolean,
  description: string,
  pattern: string,
) =>
  Type.Refine(Type.String({ description, editor: { pattern } }), isValid, (value) =>
    typeof rule === 'string' ? rule : rule(value),
  )
export const hexadecimal = (digits: number, description: string) =>
  textMatching(
    `must be ${digits} hexadecimal digits`,
    (value) => value.length === digits && /^[0-9a-f]*$/i.test(value),
    description,
    `^[0-9a-fA-F]{${digits}}$`,
  )
export const shortText = (description: string, maxLength = 500) => Type.String({ minLength: 1, maxLength, description })
export const switchedOn = (description: string) => Type.Optional(Type.Boolean({ description }))
export const strictObject = <Fields extends Record<string, TSchema>>(fields: Fields, options: object = {}) =>
  Type.Object(fields, { additionalProperties: false, ...options })
export const optionalFields = <const Name extends string, Schema extends TSchema>(
  names: readonly Name[],
  schema: Schema,
) =>
  strictObject(
    Object.fromEntries(names.map((name) => [name, Type.Optional(schema)])) as Record<Name, TOptional<Schema>>,
  )

export const webUrl = (description: string) => textMatching(urlRule, isWebUrl, description, '^https?://')
export const dateText = (description: string) =>
  textMatching(describeDateError, (value) => parseDate(value) !== undefined, description, '^\\d{4}-\\d{2}-\\d{2}')
export const versionText = (description: string) => textMatching(versionRule, isVersion, description, versionPattern)

export const fileFields = {
  file: Type.Optional(
    textMatching(fileRule, isFileName, 'Name of the file in app/files/. Either "file" or "url".', '^[^/]{1,200}$'),
  ),
  url: Type.Optional(webUrl('URL of the file on another server. Either "file" or "url".')),
  bytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Size of the file in bytes.' }),
  sha256: hexadecimal(64, 'SHA-256 of the file, as `sha256sum` prints it.'),
}
export const signedFileFields = {
  ...fileFields,
  sha512: Type.Optional(hexadecimal(128, 'SHA-512 of the file. electron-updater requires it.')),
  sha1: Type.Optional(hexadecimal(40, 'SHA-1 of the file. Velopack requires it.')),
  signature: Type.Optional(
    shortText('The content of the .sig file of the Tauri bundler, or the EdDSA signature of Sparkle.', 4096),
  ),
}
export const publicationFields = {
  version: versionText('One to four numbers, and an optional pre-release: 2.1.0, 8.7.3.1, 2.1.0-beta.1. Quote 2.0.'),
  date: dateText(
    'Time of publication, such as 2026-12-01T10:00:00Z. With a time in the future, it is not shown before.',
  ),
}

export const oneOf = (...names: readonly string[]) => ({
  editor: { oneOf: names.map((name) => ({ required: [name] })) },
})

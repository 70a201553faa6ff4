// The rules of the operator's files: of single fields, and of releases as a whole. Publishing commands share them.
import Type, { type TOptional, type TSchema } from 'typebox'
import { isPlainName } from '../../../platform/files/index.ts'
import type { RuleError } from '../../../platform/yaml/index.ts'
import { isPartial } from '../asset.ts'
import { listAssets } from '../catalogue.ts'
import { parseLanguage } from '../languages.ts'
import { describeDateError, parseDate } from '../release.ts'
import { compareVersions, isVersion, parseVersion, versionPattern, versionRule } from '../version.ts'
import type { ReleaseRecord, ReleasesFile } from './schemas.ts'

// Each rule completes "<field> …".
export function isWebUrl(text: string): boolean {
  const url = URL.parse(text)
  return text.length <= 2048 && /^https?:$/.test(url?.protocol ?? '') && !url?.username && !url?.password
}
export const urlRule = 'must be an absolute http or https URL without credentials'

export const isFileName = (text: string) => isPlainName(text) && !text.includes('/') && text.length <= 200
const fileRule = 'must be the name of a file in files/, without folders'

export const isNewsId = (text: string) => /^[a-z0-9][a-z0-9._-]{0,119}$/i.test(text)
export const newsIdRule =
  'must be 1 to 120 letters, digits, dots, dashes and underscores, and start with a letter or digit'

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
export const optionalFlag = (description: string) => Type.Optional(Type.Boolean({ description }))
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
export const fileFieldNames = Object.keys(signedFileFields) as (keyof typeof signedFileFields)[]
export const publicationFields = {
  version: versionText('One to four numbers, and an optional pre-release: 2.1.0, 8.7.3.1, 2.1.0-beta.1. Quote 2.0.'),
  date: dateText(
    'Time of publication, such as 2026-12-01T10:00:00Z. With a time in the future, it is not shown before.',
  ),
}

export const oneOf = (...names: readonly string[]) => ({
  editor: { oneOf: names.map((name) => ({ required: [name] })) },
})

// Rules of releases.yaml and resources.yaml that a schema cannot express.

type Lists = Readonly<Record<string, readonly { readonly version: string }[]>>

/** 1.2 and 1.2.0 are the same version. */
export const findRepeatedVersions = (lists: Lists): RuleError[] =>
  Object.entries(lists).flatMap(([list, records]) => {
    const versions = new Map<string, string>()
    return records.flatMap(({ version }, index) => {
      const key = parseVersion(version)!.key
      const other = versions.get(key)
      versions.set(key, version)
      if (other === undefined) return []
      const message =
        other === version
          ? `${list} contains ${version} twice`
          : `${list} contains ${other} and ${version}, which are equal`
      return [{ path: [list, index, 'version'], rule: 'version-once', message }]
    })
  })

export const findReleaseErrors = (file: ReleasesFile): RuleError[] => [
  ...findRepeatedVersions(file),
  ...Object.entries(file).flatMap(([list, records]) =>
    records.flatMap((record, index) =>
      findRecordErrors(record).map(({ path, ...error }) => ({ ...error, path: [list, index, ...path] })),
    ),
  ),
]

function findRecordErrors(record: ReleaseRecord): RuleError[] {
  const { version, assets, rollout, ramp } = record
  const missing = assets ? undefined : (['bytes', 'sha256'] as const).find((field) => record[field] === undefined)
  if (missing) return [{ path: [], rule: 'required', message: `Version ${version} must have "${missing}"` }]
  const extra = assets && fileFieldNames.find((field) => record[field] !== undefined)
  const message = `Version ${version} has "assets", so "${extra}" belongs in one of them`
  if (extra) return [{ path: [extra], rule: 'unknown-field', message }]
  const errors = assets ? findRepeatedAssets(record) : []
  for (const field of ['minimum', 'autoUpdateFrom'] as const) {
    const lower = parseVersion(record[field] ?? '')
    if (!lower || compareVersions(lower, parseVersion(version)!) <= 0) continue
    errors.push({ path: [field], rule: field, message: `"${field}" ${lower.text} is above version ${version}` })
  }
  if (rollout !== undefined && ramp) {
    errors.push({
      path: ['rollout'],
      rule: 'rollout',
      message: `Version ${version} has "ramp", so it must not have "rollout"`,
    })
  }
  return errors
}

/** Clients could not distinguish two files with one name; of two with the same purpose only one would be offered. */
function findRepeatedAssets(record: ReleaseRecord): RuleError[] {
  const [names, purposes] = [new Set<string>(), new Set<string>()]
  return listAssets(record).flatMap((asset, index) => {
    const { name, platform, arch, kind } = asset
    const purpose = `${platform}, ${arch}, ${kind}`
    const rule = names.has(name) ? `name "${name}"` : !isPartial(asset) && purposes.has(purpose) ? purpose : undefined
    names.add(name)
    purposes.add(purpose)
    if (rule === undefined) return []
    const message = `Version ${record.version} has two assets of the same ${rule === purpose ? 'platform, arch and kind' : 'name'} (${rule})`
    return [{ path: ['assets', index], rule: 'asset-once', message }]
  })
}

// The schemas of the operator's files, and the rules that publishing commands share with them.
import Type, { type Static, type TOptional, type TSchema } from 'typebox'
import { isPlainName } from '../../../platform/files/index.ts'
import { parseYamlFile } from '../../../platform/yaml/index.ts'
import { ANY, archs, assetKinds, platforms } from '../asset.ts'
import { parseLanguage } from '../languages.ts'
import { areSteps, intervalRule, parseInterval, stepRange, stepsRule } from '../ramp.ts'
import { applications, describeDateError, parseDate, tiers } from '../release.ts'
import { isVersion, versionRule } from '../version.ts'
import { findReleaseErrors, findRepeatedVersions } from './release-rules.ts'

const MAX_RELEASES = 20_000
const MAX_ENTRIES = 200
const MAX_NOTES_LENGTH = 100_000
export const MAX_ASSETS = 100

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

const isLanguage = (text: string) => parseLanguage(text) !== undefined
export const languageRule = 'must be a language tag such as de or pt-BR'

export const rolloutRange = { minimum: 0, maximum: 100 }

const textMatching = (rule: string, isValid: (value: string) => boolean) =>
  Type.Refine(Type.String(), isValid, () => rule)
const hexadecimal = (digits: number) =>
  textMatching(`must be ${digits} hexadecimal digits`, (value) => value.length === digits && /^[0-9a-f]*$/i.test(value))
const shortText = (maxLength = 500) => Type.String({ minLength: 1, maxLength })
const strictObject = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false })
const optionalFields = <const Name extends string, Schema extends TSchema>(names: readonly Name[], schema: Schema) =>
  strictObject(
    Object.fromEntries(names.map((name) => [name, Type.Optional(schema)])) as Record<Name, TOptional<Schema>>,
  )

const WebUrl = textMatching(urlRule, isWebUrl)
const DateText = Type.Refine(Type.String(), (value) => parseDate(value) !== undefined, describeDateError)

const VersionText = textMatching(versionRule, isVersion)

const fileFields = {
  file: Type.Optional(textMatching(fileRule, isFileName)),
  url: Type.Optional(WebUrl),
  bytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  sha256: hexadecimal(64),
}
const signedFileFields = {
  ...fileFields,
  sha512: Type.Optional(hexadecimal(128)),
  /** Velopack requires it. */
  sha1: Type.Optional(hexadecimal(40)),
  /** The content of the .sig file that Tauri's bundler creates. */
  signature: Type.Optional(shortText(4096)),
}
const publicationFields = { version: VersionText, date: DateText }

interface OneSource {
  readonly file?: string
  readonly url?: string
  readonly assets?: object
}
const withOneSource = <Schema extends TSchema>(schema: Schema, rule = 'must have either "file" or "url"') =>
  Type.Refine(
    schema,
    (value) => {
      const { file, url, assets } = (value ?? {}) as OneSource
      return [file, url, assets].filter((source) => source !== undefined).length === 1
    },
    () => rule,
  )

/** What is not stated is guessed from the name of the file. */
const Asset = withOneSource(
  strictObject({
    platform: Type.Optional(Type.Enum([...platforms, ANY])),
    arch: Type.Optional(Type.Enum([...archs, ANY])),
    kind: Type.Optional(Type.Enum([...assetKinds])),
    ...signedFileFields,
    /** Bytes of the block map that electron-builder appends to an AppImage. */
    blockMapSize: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
)

/** A text, or texts by language, of which the first one is the original. */
export type Notes = string | Readonly<Record<string, string>>
const isNote = (value: unknown) => typeof value === 'string' && value.length <= MAX_NOTES_LENGTH
const isNotes = (value: Notes) => {
  if (!(value instanceof Object)) return isNote(value)
  const languages = Object.keys(value)
  const isUnique = new Set(languages.map(parseLanguage)).size === languages.length
  return languages.length > 0 && isUnique && languages.every(isLanguage) && Object.values(value).every(isNote)
}
const notesRule = `must be a text of at most ${MAX_NOTES_LENGTH} characters, or such texts by language tag (en, pt-BR)`
const Notes = Type.Refine(Type.Unsafe<Notes>({}), isNotes, () => notesRule)

const Ramp = strictObject({
  steps: Type.Refine(
    Type.Array(Type.Integer(stepRange), { minItems: 1, maxItems: stepRange.maximum }),
    areSteps,
    () => stepsRule,
  ),
  every: textMatching(intervalRule, (value) => parseInterval(value) !== undefined),
  /** Default: the date of the release. */
  start: Type.Optional(DateText),
  pausedAt: Type.Optional(DateText),
  maxFailures: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  failures: Type.Optional(strictObject({ failed: Type.Integer({ minimum: 0 }), total: Type.Integer({ minimum: 1 }) })),
})

const Release = withOneSource(
  strictObject({
    ...publicationFields,
    ...signedFileFields,
    bytes: Type.Optional(fileFields.bytes),
    sha256: Type.Optional(fileFields.sha256),
    assets: Type.Optional(Type.Array(Asset, { minItems: 1, maxItems: MAX_ASSETS })),
    beta: Type.Optional(Type.Boolean()),
    notes: Type.Optional(Notes),
    rollout: Type.Optional(Type.Integer(rolloutRange)),
    ramp: Type.Optional(Ramp),
    withdrawn: Type.Optional(Type.Boolean()),
    minimum: Type.Optional(VersionText),
    autoUpdateFrom: Type.Optional(VersionText),
  }),
  'must have either "assets", "file" or "url"',
)
const Resources = withOneSource(
  strictObject({ ...publicationFields, ...fileFields, withdrawn: Type.Optional(Type.Boolean()) }),
)
const TierRecord = strictObject({
  resources: Type.Optional(Type.Record(Type.String(), shortText(), { maxProperties: MAX_ENTRIES })),
  benefits: Type.Optional(Type.Array(shortText(), { maxItems: MAX_ENTRIES })),
})

const ReleasesFile = optionalFields(applications, Type.Array(Release, { maxItems: MAX_RELEASES }))
const ResourcesFile = strictObject({
  resources: Type.Optional(Type.Array(Resources, { maxItems: MAX_RELEASES })),
})
const TiersFile = optionalFields(tiers, TierRecord)

const newsFields = {
  title: shortText(300),
  date: DateText,
  id: Type.Optional(textMatching(newsIdRule, isNewsId)),
  summary: Type.Optional(shortText(2000)),
  url: Type.Optional(WebUrl),
  image: Type.Optional(textMatching(imageRule, isImage)),
  lang: Type.Optional(textMatching(languageRule, isLanguage)),
}
export const NewsFrontMatter = strictObject(newsFields)
export const NewsTranslationFrontMatter = strictObject({ ...newsFields, date: Type.Optional(DateText) })
/** Before publishing: options of the command can supply title and date. */
export const NewsDraftFrontMatter = strictObject({
  ...newsFields,
  title: Type.Optional(newsFields.title),
  date: Type.Optional(DateText),
})

export type AssetRecord = Static<typeof Asset>
export type ReleaseRecord = Static<typeof Release>
export type ResourcesRecord = Static<typeof Resources>
export type ReleasesFile = Static<typeof ReleasesFile>
export type ResourcesFile = Static<typeof ResourcesFile>
export type TiersFile = Static<typeof TiersFile>

/** The parser of each YAML file. */
export const dataFiles = {
  'releases.yaml': (text: string) =>
    parseYamlFile('releases.yaml', text, ReleasesFile, { findErrors: findReleaseErrors }),
  'resources.yaml': (text: string) =>
    parseYamlFile('resources.yaml', text, ResourcesFile, { findErrors: findRepeatedVersions }),
  'tiers.yaml': (text: string) => parseYamlFile('tiers.yaml', text, TiersFile),
}
export type DataFile = keyof typeof dataFiles
export type DataOf<Name extends DataFile> = NonNullable<ReturnType<(typeof dataFiles)[Name]>['value']>
export const isDataFile = (name: string): name is DataFile => Object.hasOwn(dataFiles, name)

/** A tier is one entry, and so is each of its resources and benefits. */
export function countEntries(data: DataOf<DataFile>): number {
  const counts = Object.values(data).map((part) => {
    if (Array.isArray(part)) return part.length
    const { resources = {}, benefits = [] } = part
    return 1 + Object.keys(resources).length + benefits.length
  })
  return counts.reduce((sum, count) => sum + count, 0)
}

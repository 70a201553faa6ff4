// The schemas of the operator's files, and the rules that publishing commands share with them.
import Type, { type Static, type TOptional, type TSchema } from 'typebox'
import { isPlainName } from '../../../platform/files/index.ts'
import { parseYamlFile } from '../../../platform/yaml/index.ts'
import { ANY, archs, assetKinds, platforms } from '../asset.ts'
import { languagePattern, parseLanguage } from '../languages.ts'
import { areSteps, intervalRule, parseInterval, stepRange, stepsRule } from '../ramp.ts'
import { applications, describeDateError, parseDate, tiers } from '../release.ts'
import { isVersion, versionPattern, versionRule } from '../version.ts'
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

/** `pattern` is for editors: it is wider than the rule, whose error says what is wrong. */
const textMatching = (
  rule: string | ((value: string) => string),
  isValid: (value: string) => boolean,
  description: string,
  pattern: string,
) =>
  Type.Refine(Type.String({ description, editor: { pattern } }), isValid, (value) =>
    typeof rule === 'string' ? rule : rule(value),
  )
const hexadecimal = (digits: number, description: string) =>
  textMatching(
    `must be ${digits} hexadecimal digits`,
    (value) => value.length === digits && /^[0-9a-f]*$/i.test(value),
    description,
    `^[0-9a-fA-F]{${digits}}$`,
  )
const shortText = (description: string, maxLength = 500) => Type.String({ minLength: 1, maxLength, description })
const switchedOn = (description: string) => Type.Optional(Type.Boolean({ description }))
const strictObject = <Fields extends Record<string, TSchema>>(fields: Fields, options: object = {}) =>
  Type.Object(fields, { additionalProperties: false, ...options })
const optionalFields = <const Name extends string, Schema extends TSchema>(names: readonly Name[], schema: Schema) =>
  strictObject(
    Object.fromEntries(names.map((name) => [name, Type.Optional(schema)])) as Record<Name, TOptional<Schema>>,
  )

const webUrl = (description: string) => textMatching(urlRule, isWebUrl, description, '^https?://')
const dateText = (description: string) =>
  textMatching(describeDateError, (value) => parseDate(value) !== undefined, description, '^\\d{4}-\\d{2}-\\d{2}')
const versionText = (description: string) => textMatching(versionRule, isVersion, description, versionPattern)

const fileFields = {
  file: Type.Optional(
    textMatching(fileRule, isFileName, 'Name of the file in app/files/. Either "file" or "url".', '^[^/]{1,200}$'),
  ),
  url: Type.Optional(webUrl('URL of the file on another server. Either "file" or "url".')),
  bytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Size of the file in bytes.' }),
  sha256: hexadecimal(64, 'SHA-256 of the file, as `sha256sum` prints it.'),
}
const signedFileFields = {
  ...fileFields,
  sha512: Type.Optional(hexadecimal(128, 'SHA-512 of the file. electron-updater requires it.')),
  sha1: Type.Optional(hexadecimal(40, 'SHA-1 of the file. Velopack requires it.')),
  signature: Type.Optional(
    shortText('The content of the .sig file of the Tauri bundler, or the EdDSA signature of Sparkle.', 4096),
  ),
}
const publicationFields = {
  version: versionText('One to four numbers, and an optional pre-release: 2.1.0, 8.7.3.1, 2.1.0-beta.1. Quote 2.0.'),
  date: dateText(
    'Time of publication, such as 2026-12-01T10:00:00Z. With a time in the future, it is not shown before.',
  ),
}

const oneOf = (...names: readonly string[]) => ({ editor: { oneOf: names.map((name) => ({ required: [name] })) } })

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

const GUESSED = 'Default: guessed from the name of the file.'
const Asset = withOneSource(
  strictObject(
    {
      platform: Type.Optional(Type.Enum([...platforms, ANY], { description: `Platform. ${GUESSED}` })),
      arch: Type.Optional(Type.Enum([...archs, ANY], { description: `Architecture. ${GUESSED}` })),
      kind: Type.Optional(Type.Enum([...assetKinds], { description: `Kind of file. ${GUESSED}` })),
      ...signedFileFields,
      blockMapSize: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: 'Bytes of the block map that electron-builder appends to an AppImage.',
        }),
      ),
    },
    oneOf('file', 'url'),
  ),
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
const noteSchema = { type: 'string', maxLength: MAX_NOTES_LENGTH }
const notesSchema = {
  description: 'Release notes in Markdown, or such texts by language tag, of which the first one is the original.',
  editor: {
    anyOf: [
      noteSchema,
      {
        type: 'object',
        minProperties: 1,
        patternProperties: { [languagePattern]: noteSchema },
        additionalProperties: false,
      },
    ],
  },
}
const Notes = Type.Refine(Type.Unsafe<Notes>(notesSchema), isNotes, () => notesRule)

const Ramp = strictObject(
  {
    steps: Type.Refine(
      Type.Array(Type.Integer(stepRange), {
        minItems: 1,
        maxItems: stepRange.maximum,
        description: 'Percentages, ascending, such as 10, 50, 100.',
      }),
      areSteps,
      () => stepsRule,
    ),
    every: textMatching(
      intervalRule,
      (value) => parseInterval(value) !== undefined,
      'Time between two steps, from 1m to 30d, such as 24h.',
      '^[1-9]\\d{0,4}[mhd]$',
    ),
    start: Type.Optional(dateText('Time of the first step. Default: the date of the release.')),
    pausedAt: Type.Optional(dateText('Time since which the ramp is paused.')),
    maxFailures: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: 'Percentage of failed installations above which the ramp is paused.',
      }),
    ),
    failures: Type.Optional(
      strictObject(
        { failed: Type.Integer({ minimum: 0 }), total: Type.Integer({ minimum: 1 }) },
        { description: 'The last report: installations that failed, and all that tried.' },
      ),
    ),
  },
  { description: 'Percentages of installations that the rollout reaches one after the other.' },
)

const Release = withOneSource(
  strictObject(
    {
      ...publicationFields,
      ...signedFileFields,
      bytes: Type.Optional(fileFields.bytes),
      sha256: Type.Optional(fileFields.sha256),
      assets: Type.Optional(
        Type.Array(Asset, {
          minItems: 1,
          maxItems: MAX_ASSETS,
          description: 'The files. A release with one file may have the fields of the file instead.',
        }),
      ),
      beta: switchedOn('Publishes to the beta channel only.'),
      notes: Type.Optional(Notes),
      rollout: Type.Optional(
        Type.Integer({ ...rolloutRange, description: 'Percentage of installations that are offered the release.' }),
      ),
      ramp: Type.Optional(Ramp),
      withdrawn: switchedOn('The release is no longer offered.'),
      minimum: Type.Optional(versionText('The update is mandatory for installations below this version.')),
      autoUpdateFrom: Type.Optional(
        versionText('In installations below this version, Sparkle asks the user before it installs the update.'),
      ),
    },
    oneOf('file', 'url', 'assets'),
  ),
  'must have either "assets", "file" or "url"',
)
const Resources = withOneSource(
  strictObject(
    { ...publicationFields, ...fileFields, withdrawn: switchedOn('The resources are no longer offered.') },
    oneOf('file', 'url'),
  ),
)
const TierRecord = strictObject({
  resources: Type.Optional(
    Type.Record(Type.String(), shortText('Version, as text: quote one that looks like a number.'), {
      maxProperties: MAX_ENTRIES,
      description: 'Names of resources, and their versions.',
    }),
  ),
  benefits: Type.Optional(
    Type.Array(shortText('A benefit.'), { maxItems: MAX_ENTRIES, description: 'What patrons of the tier get.' }),
  ),
})

const ReleasesFile = optionalFields(applications, Type.Array(Release, { maxItems: MAX_RELEASES }))
const ResourcesFile = strictObject({
  resources: Type.Optional(Type.Array(Resources, { maxItems: MAX_RELEASES })),
})
const TiersFile = optionalFields(tiers, TierRecord)

const newsFields = {
  title: shortText('Title of the news item.', 300),
  date: publicationFields.date,
  id: Type.Optional(
    textMatching(newsIdRule, isNewsId, 'Permanent id. Default: the name of the file.', '^[A-Za-z0-9][A-Za-z0-9._-]*$'),
  ),
  summary: Type.Optional(shortText('Summary as plain text. Default: the start of the text.', 2000)),
  url: Type.Optional(webUrl('Page with more about it.')),
  image: Type.Optional(
    textMatching(imageRule, isImage, 'URL of a picture, or /media/… of this service.', '^(https?://|/media/)'),
  ),
  lang: Type.Optional(
    textMatching(languageRule, isLanguage, 'Language tag of the text. Default: en.', languagePattern),
  ),
}
export const NewsFrontMatter = strictObject(newsFields)
export const NewsTranslationFrontMatter = strictObject({ ...newsFields, date: Type.Optional(publicationFields.date) })
/** Before publishing: options of the command can supply title and date. */
export const NewsDraftFrontMatter = strictObject({
  ...newsFields,
  title: Type.Optional(newsFields.title),
  date: Type.Optional(publicationFields.date),
})

export type AssetRecord = Static<typeof Asset>
export type ReleaseRecord = Static<typeof Release>
export type ResourcesRecord = Static<typeof Resources>
export type ReleasesFile = Static<typeof ReleasesFile>
export type ResourcesFile = Static<typeof ResourcesFile>
export type TiersFile = Static<typeof TiersFile>

/** For editors; by the name of the JSON Schema. */
export const releaseFileSchemas = {
  releases: ReleasesFile,
  resources: ResourcesFile,
  tiers: TiersFile,
  news: NewsFrontMatter,
}

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

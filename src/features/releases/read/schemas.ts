// The schemas of the operator's files.
import Type, { type Static, type TSchema } from 'typebox'
import { parseYamlFile } from '../../../platform/yaml/index.ts'
import { ANY, archs, assetKinds, platforms } from '../asset.ts'
import { languagePattern, parseLanguage } from '../languages.ts'
import { areSteps, intervalRule, parseInterval, stepRange, stepsRule } from '../ramp.ts'
import { applications, tiers } from '../release.ts'
import {
  dateText,
  fileFields,
  findReleaseErrors,
  findRepeatedVersions,
  imageRule,
  isImage,
  isLanguage,
  isNewsId,
  languageRule,
  newsIdRule,
  oneOf,
  optionalFields,
  optionalFlag,
  publicationFields,
  rolloutRange,
  shortText,
  signedFileFields,
  strictObject,
  textMatching,
  versionText,
  webUrl,
} from './rules.ts'

const MAX_RELEASES = 20_000
export const MAX_TIER_ENTRIES = 200
const MAX_NOTES_LENGTH = 100_000
export const MAX_ASSETS = 100

type OneSource = { readonly file?: string; readonly url?: string; readonly assets?: object }
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
      date: Type.Optional(dateText('Time at which the file replaced another one. Default: the date of the release.')),
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
        {
          description:
            'The last report since the ramp was started or resumed: installations that failed, and all that tried.',
        },
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
      beta: optionalFlag('Publishes to the beta channel only.'),
      notes: Type.Optional(Notes),
      rollout: Type.Optional(
        Type.Integer({ ...rolloutRange, description: 'Percentage of installations that are offered the release.' }),
      ),
      ramp: Type.Optional(Ramp),
      withdrawn: optionalFlag('The release is no longer offered.'),
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
    { ...publicationFields, ...fileFields, withdrawn: optionalFlag('The resources are no longer offered.') },
    oneOf('file', 'url'),
  ),
)
const TierRecord = strictObject({
  resources: Type.Optional(
    Type.Record(Type.String(), shortText('Version, as text: quote one that looks like a number.'), {
      maxProperties: MAX_TIER_ENTRIES,
      description: 'Names of resources, and their versions.',
    }),
  ),
  benefits: Type.Optional(
    Type.Array(shortText('A benefit.'), { maxItems: MAX_TIER_ENTRIES, description: 'What patrons of the tier get.' }),
  ),
})

const ReleasesFile = optionalFields(applications, Type.Array(Release, { maxItems: MAX_RELEASES }))
const ResourcesFile = strictObject({ resources: Type.Optional(Type.Array(Resources, { maxItems: MAX_RELEASES })) })
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

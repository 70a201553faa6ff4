// What the operator's files may hold.
import Type, { type Static, type TOptional, type TSchema } from 'typebox'
import { applications, tiers } from '../applications.ts'
import { dateRuleFor, parseDate } from '../dates.ts'
import {
  fileRule,
  isFileName,
  isNewsId,
  isVersion,
  isWebUrl,
  newsIdRule,
  rolloutRange,
  urlRule,
  versionRule,
} from '../rules.ts'

const MAX_RELEASES = 20_000
const MAX_ENTRIES = 200

const text = (rule: string, holds: (value: string) => boolean) => Type.Refine(Type.String(), holds, () => rule)
const hexadecimal = (digits: number) =>
  text(`must be ${digits} hexadecimal digits`, (value) => value.length === digits && /^[0-9a-f]*$/i.test(value))
const line = (maxLength = 500) => Type.String({ minLength: 1, maxLength })
const exactly = <Fields extends Record<string, TSchema>>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false })
const perName = <const Name extends string, Schema extends TSchema>(names: readonly Name[], schema: Schema) =>
  exactly(Object.fromEntries(names.map((name) => [name, Type.Optional(schema)])) as Record<Name, TOptional<Schema>>)

const Url = text(urlRule, isWebUrl)
const When = Type.Refine(Type.String(), (value) => parseDate(value) !== undefined, dateRuleFor)

const download = {
  version: text(versionRule, isVersion),
  date: When,
  file: Type.Optional(text(fileRule, isFileName)),
  url: Type.Optional(Url),
  bytes: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  sha256: hexadecimal(64),
}

const fromOnePlace = <Schema extends TSchema>(schema: Schema) =>
  Type.Refine(
    schema,
    (value) => {
      const { file, url } = (value ?? {}) as { file?: string; url?: string }
      return (file === undefined) !== (url === undefined)
    },
    () => 'must have either "file" or "url"',
  )

const Release = fromOnePlace(
  exactly({
    ...download,
    sha512: Type.Optional(hexadecimal(128)),
    /** The content of the .sig file that Tauri's bundler makes. */
    signature: Type.Optional(line(4096)),
    beta: Type.Optional(Type.Boolean()),
    notes: Type.Optional(Type.String({ maxLength: 100_000 })),
    rollout: Type.Optional(Type.Integer(rolloutRange)),
    withdrawn: Type.Optional(Type.Boolean()),
  }),
)
const Resources = fromOnePlace(exactly(download))
const TierRecord = exactly({
  resources: Type.Optional(Type.Record(Type.String(), line(), { maxProperties: MAX_ENTRIES })),
  benefits: Type.Optional(Type.Array(line(), { maxItems: MAX_ENTRIES })),
})

export const ReleasesFile = perName(applications, Type.Array(Release, { maxItems: MAX_RELEASES }))
export const ResourcesFile = exactly({
  resources: Type.Optional(Type.Array(Resources, { maxItems: MAX_RELEASES })),
})
export const TiersFile = perName(tiers, TierRecord)
const newsHead = {
  title: line(300),
  date: When,
  id: Type.Optional(text(newsIdRule, isNewsId)),
  summary: Type.Optional(line(2000)),
  url: Type.Optional(Url),
}
export const NewsHead = exactly(newsHead)
/** Before it is published: what is not said is given with the command. */
export const NewsDraftHead = exactly({ ...newsHead, title: Type.Optional(newsHead.title), date: Type.Optional(When) })

export type ReleaseRecord = Static<typeof Release>
export type ResourcesRecord = Static<typeof Resources>
export type TierRecord = Static<typeof TierRecord>
export type ReleasesFile = Static<typeof ReleasesFile>
export type ResourcesFile = Static<typeof ResourcesFile>
export type TiersFile = Static<typeof TiersFile>

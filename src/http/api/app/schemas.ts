import Type from 'typebox'
import { channels, tiers } from '../../../features/releases/index.ts'
import { Bytes, Sha256, SuccessReply, Timestamp } from '../../kernel/schemas.ts'

export const tag = 'The dedicated application, v5'

export const channel = Type.Enum([...channels], { description: 'beta also sees newer stable ones.', default: 'stable' })

/** A version in the query. Read as text, because a wrong one has an error of its own. */
export const versionParameter = (description: string) =>
  Type.Unsafe<string>({ type: 'string', readAs: 'text', description, examples: ['1.9.0'] })

const optional = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const Version = Type.String({ examples: ['2.1.0'] })

export const Release = Type.Object({
  version: Version,
  beta: Type.Boolean(),
  releaseDate: Timestamp,
  size: Type.String({ description: 'For people.', examples: ['84.2 MB'] }),
  bytes: Bytes,
  url: Type.String({ description: 'Where the download begins, and is counted.' }),
  sha256: Sha256,
  notes: Type.String({ description: 'Markdown.' }),
})

export const DownloadsReply = SuccessReply({
  total: Type.Integer({ minimum: 0 }),
  applications: Type.Record(
    Type.String(),
    Type.Object({
      total: Type.Integer({ minimum: 0 }),
      versions: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
    }),
  ),
  daily: Type.Array(Type.Object({ date: Type.String({ format: 'date' }), count: Type.Integer({ minimum: 0 }) }), {
    description: 'The last 30 days, UTC, today last.',
  }),
})

export const UpdatesReply = SuccessReply({
  latest: optional(Version),
  updateAvailable: Type.Optional(Type.Boolean({ description: 'With `current`.' })),
  updates: Type.Array(Release, { description: 'Newest first.' }),
})

export const TauriReply = Type.Object(
  { version: Version, pub_date: Timestamp, url: Type.String(), signature: Type.String(), notes: Type.String() },
  { description: 'With `format=tauri`.' },
)

export const NewsReply = SuccessReply({
  news: Type.Array(
    Type.Object({
      id: Type.String(),
      title: Type.String(),
      date: Timestamp,
      summary: Type.String(),
      html: Type.String({ description: 'Safe to show: no scripts, handlers or foreign frames.' }),
      url: Type.String(),
    }),
    { description: 'Newest first.' },
  ),
})

export const VersionReply = SuccessReply({
  launcher: Type.Optional(Release),
  reshade: Type.Optional(Release),
  fpsUnlocker: Type.Optional(Release),
})

export const ResourcesReply = SuccessReply({
  message: Version,
  date: Timestamp,
  size: Type.String(),
  bytes: Bytes,
  sha256: Sha256,
  url: Type.String(),
})

export const TierReply = SuccessReply({
  tier: Type.Enum(tiers.map(Number)),
  name: Type.String(),
  message: Type.Object({ resources: Type.Record(Type.String(), Type.String()) }),
  benefits: Type.Array(Type.String()),
})

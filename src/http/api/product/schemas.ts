import Type from 'typebox'
import * as releases from '../../../features/releases/index.ts'
import { Bytes, Count, Day, EXAMPLE_BASE, OrNull, Sha256, SuccessReply, Text, Timestamp } from '../../kernel/schemas.ts'

export const tag = 'Product, v5'
export const application = Type.Enum([...releases.applications], { description: 'The application.' })

export const channel = Type.Enum([...releases.channels], {
  description: 'Release channel. `beta` includes stable releases. Default: stable.',
  default: 'stable',
})

/** The machine that a file is for. */
export const machine = {
  platform: Type.Enum(releases.platformNames, {
    description: 'Platform of the client. `darwin` means macos. Default: windows.',
    default: releases.defaultTarget.platform,
  }),
  arch: Type.Enum(releases.archNames, {
    description:
      'Architecture of the client, as in `process.arch` of Node. The names of Rust mean the same: `x86_64`, `aarch64`, ' +
      '`i686`, `armv7`. Default: x64.',
    default: releases.defaultTarget.arch,
  }),
}

/** Read as text, because an invalid version has its own error code. */
export const versionParameter = (description: string) =>
  Type.Unsafe<string>({
    type: 'string',
    pattern: releases.sentVersionPattern,
    readAs: 'text',
    description,
    examples: ['1.9.0'],
  })

export const lang = Type.String({
  pattern: releases.languagePattern,
  rule: 'a language tag such as de or pt-BR',
  description: 'Language tag (BCP 47). Overrides the header `Accept-Language`. Default: the language of the original.',
  examples: ['de'],
})

export const languageHeader = { 'Accept-Language': Text('Preferred languages. Each text falls back to its original.') }

const Version = Type.String({ pattern: releases.versionPattern, examples: ['2.1.0'] })
const downloadUrl = (path: string) =>
  Text('Download URL. A download from it is counted.', `${EXAMPLE_BASE}/api/v5/app/download/${path}`)

const ReleaseBytes = Type.Integer({ ...Bytes, examples: [84_200_000] })

const Release = Type.Object(
  {
    version: Version,
    beta: Type.Boolean(),
    releaseDate: Timestamp,
    size: Text('Human-readable size.', '84.2 MB'),
    bytes: ReleaseBytes,
    url: downloadUrl('launcher?version=2.1.0'),
    sha256: Sha256,
    notes: Text(
      'Release notes in Markdown, in the preferred language if they are translated.',
      '- Starts twice as fast\n- Fixes the tray icon on Linux',
    ),
    minimum: Type.Optional(Text('Installations below this version must update. Absent if no update is mandatory.')),
    assets: Type.Array(
      Type.Object(
        {
          platform: Type.Enum([...releases.platforms, releases.ANY]),
          arch: Type.Enum([...releases.archs, releases.ANY]),
          kind: Type.Enum([...releases.assetKinds]),
          name: Text('File name.', 'launcher-2.1.0.exe'),
          url: downloadUrl('launcher/2.1.0/launcher-2.1.0.exe'),
          bytes: ReleaseBytes,
          sha256: Sha256,
        },
        { component: 'ReleaseAsset' },
      ),
      {
        description:
          'All files of the release. `url`, `bytes` and `sha256` of the release are those of the file for the requested platform.',
      },
    ),
  },
  { component: 'Release' },
)

const Update = Type.Object(
  {
    ...Release.properties,
    mandatory: Type.Boolean({ description: 'True if `current` is below the minimum of the release.' }),
  },
  { component: 'Update' },
)

export const DownloadsReply = SuccessReply({
  total: Count,
  applications: Type.Record(Type.String(), Type.Object({ total: Count, versions: Type.Record(Type.String(), Count) }), {
    description: 'Downloads by application. `resources`: downloads of the resources of the launcher.',
    examples: [{ launcher: { total: 12, versions: { '2.0.3': 4, '2.1.0': 8 } } }],
  }),
  daily: Type.Array(Type.Object({ date: Day, count: Count }), { description: 'The last 30 days (UTC), oldest first.' }),
})

export const AdoptionReply = SuccessReply(
  {
    daily: Type.Array(
      Type.Object({
        date: Day,
        checks: Count,
        installations: Type.Integer({
          minimum: 0,
          description: 'Estimated number of installations that checked.',
          examples: [9],
        }),
        versions: Type.Record(Type.String(), Count, {
          description:
            'Checks by installed version (`current`). `unknown`: no version was sent. `other`: none of the newest 200 ' +
            'published versions.',
          examples: [{ '2.0.3': 5, '2.1.0': 6, unknown: 1 }],
        }),
      }),
      { description: 'The last 30 days (UTC), oldest first.' },
    ),
  },
  { component: 'AdoptionReply' },
)

export const UpdatesReply = SuccessReply(
  {
    latest: OrNull(
      Version,
      'Newest version for this client. With `current`, it is never older than `current`. Null if there is none.',
    ),
    updateAvailable: Type.Optional(
      Type.Boolean({ description: 'Present only if `current` is given.', examples: [true] }),
    ),
    updates: Type.Array(Update, { description: 'Newest first.' }),
  },
  { component: 'UpdatesReply' },
)

export const TauriReply = Type.Object(
  {
    version: Version,
    pub_date: Timestamp,
    url: downloadUrl('launcher/2.1.0/launcher-2.1.0.exe'),
    signature: Type.String({ examples: ['dW50cnVzdGVkIGNvbW1lbnQ6IHNpZ25hdHVyZSBmcm9tIHRhdXJpIHNlY3JldCBrZXkK'] }),
    notes: Type.String({ examples: ['- Starts twice as fast'] }),
  },
  { component: 'TauriReply', description: 'The reply with `format=tauri`.' },
)

export const NewsReply = SuccessReply({
  news: Type.Array(
    Type.Object({
      id: Text('Permanent, and the same in all languages.', 'launcher-2-1'),
      title: Type.String({ examples: ['Launcher 2.1'] }),
      date: Timestamp,
      summary: Type.String({ examples: ['It starts twice as fast.'] }),
      html: Text(
        'Sanitised HTML without scripts, event handlers or frames. All links are absolute.',
        '<p>It starts <strong>twice</strong> as fast.</p>',
      ),
      url: Type.String({ examples: [`${EXAMPLE_BASE}/api/v5/app/launcher/news#launcher-2-1`] }),
      image: OrNull(Type.String(), 'URL of a picture.'),
      lang: Text('Language of the text.', 'en'),
    }),
    { description: 'Newest first.' },
  ),
})

export const VelopackReply = Type.Object(
  {
    Assets: Type.Array(
      Type.Object({
        PackageId: Type.String({ examples: ['Launcher'] }),
        Version,
        Type: Type.Enum(['Full', 'Delta']),
        FileName: Type.String({ examples: ['Launcher-2.1.0-full.nupkg'] }),
        SHA1: Text('Empty if it is unknown.', ''),
        SHA256: Type.String({ examples: ['BC0A88309EEC89A128B52BA931169D62254F81288FB91EE4D26B02A3D7639B6D'] }),
        Size: ReleaseBytes,
        NotesMarkdown: Type.String({ examples: ['- Starts twice as fast'] }),
      }),
      { description: 'Newest first.' },
    ),
  },
  { component: 'VelopackReply', description: 'The reply for `releases.{channel}.json`.' },
)

export const VersionReply = SuccessReply({
  launcher: Type.Optional(Release),
  reshade: Type.Optional(Release),
  fpsUnlocker: Type.Optional(Release),
})

const resourcesFile = {
  date: Timestamp,
  size: Text('Human-readable size.', '84.2 MB'),
  bytes: ReleaseBytes,
  sha256: Sha256,
  url: downloadUrl('launcher/resources'),
}

export const ResourcesReply = SuccessReply({ message: Text('Version of the resources.', '2.1.0'), ...resourcesFile })

export const VersionsReply = SuccessReply({
  launcher: OrNull(Release, 'Newest release.'),
  reshade: OrNull(Release, 'Newest release.'),
  fpsUnlocker: OrNull(Release, 'Newest release.'),
  resources: OrNull(
    Type.Object({ version: Version, ...resourcesFile }),
    'Newest resources of the launcher: a file with data, which has its own version.',
  ),
  minimum: OrNull(Version, 'Installations below this version must update. Null if no update is mandatory.'),
})

export const TierReply = SuccessReply({
  tier: Type.Enum(releases.tiers.map(Number), { examples: [2] }),
  name: Type.String({ examples: ['favorite'] }),
  message: Type.Object({
    resources: Type.Record(Type.String(), Type.String(), {
      description: 'Versions of the named resources of this tier, which are not files of the service.',
      examples: [{ 'example-pack': '1.0.0' }],
    }),
  }),
  benefits: Type.Array(Type.String({ examples: ['Early access to betas'] })),
})

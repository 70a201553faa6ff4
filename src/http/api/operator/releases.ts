import Type from 'typebox'
import type { Releases, Statistics } from '../../../features/releases/index.ts'
import { describeRamp, getRollout, rampStates, tierNames } from '../../../features/releases/index.ts'
import type { ServiceProblem } from '../../../platform/logging/index.ts'
import { type Store, selectLastDays } from '../../../platform/store/index.ts'
import { CSV, cache, csv } from '../../kernel/replies.ts'
import { get, type Route } from '../../kernel/route.ts'
import {
  Bytes,
  Count,
  CountOf,
  composeExample,
  Day,
  IntegerParameter,
  SuccessReply,
  Text,
  Timestamp,
} from '../../kernel/schemas.ts'
import { ProblemSchema } from '../health.ts'
import { ADOPTION_CSV_EXAMPLE, toAdoptionRows } from '../product/installations.ts'
import { AdoptionReply } from '../product/schemas.ts'
import { readScope, uncachedReply } from './scopes.ts'

/** Ten years bound the size of the reply; no report looks back further. */
const DAYS = { minimum: 1, maximum: 3660, default: 3660 }

const format = Type.Enum(['json', 'csv'], { description: 'Format of the reply. Default: json.' })

const Version = Type.String({ examples: ['2.2.0'] })

const Published = Type.Object({ version: Version, date: Timestamp })
const file = {
  bytes: Type.Integer({ ...Bytes, examples: [84_200_000] }),
  file: Type.Optional(Text('Name of a file that this service serves.')),
  url: Type.Optional(
    Text('Download URL, if the file is on another server.', 'https://downloads.example.org/launcher-2.2.0.exe'),
  ),
}
const Ramp = Type.Object(
  {
    steps: Type.Array(Type.Integer({ minimum: 1, maximum: 100 })),
    every: Text('Time between two steps.', '24h'),
    state: Type.Enum([...rampStates], {
      description: '`stopped`: paused by the service, because more than `maxFailures` failed.',
    }),
    nextStep: Type.Optional(Type.Object({ percent: Type.Integer(), date: Timestamp })),
    pausedAt: Type.Optional(Timestamp),
    maxFailures: Type.Optional(
      Type.Number({ description: 'Percentage of failed installations above which the ramp is paused.' }),
    ),
    failures: Type.Optional(
      Type.Object(
        { failed: Count, total: Count },
        {
          description:
            'The last report since the ramp was started or resumed: installations that failed, and all that tried.',
        },
      ),
    ),
  },
  {
    component: 'Ramp',
    description: 'Percentages that the rollout reaches one after the other, at an interval.',
    examples: [{ steps: [10, 50, 100], every: '24h', state: 'running' }],
  },
)
const Release = Type.Object({
  ...Published.properties,
  bytes: CountOf('Size of all assets.', 84_200_000),
  minimum: Type.Optional(Text('Installations below this version must update.')),
  assets: Type.Array(
    Type.Object({
      platform: Type.String({ examples: ['windows'] }),
      arch: Type.String({ examples: ['x64'] }),
      kind: Type.String({ examples: ['nsis'] }),
      name: Type.String({ examples: ['launcher-2.2.0.exe'] }),
      ...file,
    }),
  ),
  beta: Type.Boolean(),
  rollout: Type.Number({
    description: 'Percentage of installations that are offered the release now.',
    examples: [50],
  }),
  ramp: Type.Optional(Ramp),
  withdrawn: Type.Boolean(),
})

const ContentReply = SuccessReply({
  problems: Type.Array(ProblemSchema),
  releases: Type.Record(Type.String(), Type.Array(Release), {
    description: 'Releases by application, including scheduled and withdrawn ones.',
    examples: [{ launcher: [composeExample(Release)] }],
  }),
  resources: Type.Array(Type.Object({ ...Published.properties, ...file, withdrawn: Type.Boolean() })),
  news: Type.Array(
    Type.Object({
      id: Type.String({ examples: ['launcher-2-2'] }),
      title: Type.String({ examples: ['Launcher 2.2'] }),
      date: Timestamp,
      file: Type.String({ examples: ['news/launcher-2-2.md'] }),
    }),
  ),
  tiers: Type.Array(Type.Enum(Object.keys(tierNames).map(Number))),
})

const DownloadsReply = SuccessReply({
  downloads: Type.Array(
    Type.Object({ day: Day, application: Type.String({ examples: ['launcher'] }), version: Version, count: Count }),
  ),
})

export interface ReleaseServices {
  readonly releases: Releases
  readonly statistics: Statistics
  readonly store: Store
  readonly problems: () => readonly ServiceProblem[]
}

/** What is published for the product, and how often it was downloaded. */
export const buildReleaseRoutes = ({ releases, statistics, store, problems }: ReleaseServices): Route[] => [
  get('/content', {
    ...readScope,
    summary: 'Published releases, resources, news and tiers',
    reply: ContentReply,
    handle: () => uncachedReply({ problems: problems(), ...toCatalogueJson(releases.catalogue()) }),
  }),
  get('/downloads', {
    ...readScope,
    summary: 'Download counts by day, application and version',
    query: { days: IntegerParameter('Number of days, including today (UTC).', DAYS), format },
    reply: DownloadsReply,
    otherTypes: [CSV],
    textExamples: { [CSV]: 'day,application,version,count\r\n2026-12-01,launcher,2.2.0,12\r\n' },
    handle: async ({ query }) => {
      const rows = selectLastDays(await store.downloads.rows(), query.days ?? DAYS.default)
      if (query.format !== 'csv') return uncachedReply({ downloads: rows })
      const cells = rows.map(({ day, application, version, count }) => [day, application, version, count])
      return csv('downloads.csv', [['day', 'application', 'version', 'count'], ...cells], { cache: cache.none })
    },
  }),
  get('/adoption', {
    ...readScope,
    summary: 'Update checks by version, and installations',
    description: 'As `stats/adoption`, without a client key.',
    query: { format },
    reply: AdoptionReply,
    otherTypes: [CSV],
    textExamples: ADOPTION_CSV_EXAMPLE,
    handle: async ({ query }) => {
      const daily = await statistics.adoption.read()
      if (query.format !== 'csv') return uncachedReply({ daily })
      return csv('adoption.csv', toAdoptionRows(daily), { cache: cache.none })
    },
  }),
]

const toCatalogueJson = ({ releases, resources, news, tiers }: ReturnType<Releases['catalogue']>) => ({
  releases: Object.fromEntries(
    Object.entries(releases).map(([application, list]) => [
      application,
      list.map(({ version, date, beta, rollout, ramp, withdrawn, minimum, assets }) => ({
        version,
        date,
        beta,
        rollout: getRollout({ rollout, ramp }, Date.now()),
        ramp: describeRamp({ rollout, ramp }, Date.now()),
        withdrawn,
        ...(minimum && { minimum: minimum.text }),
        bytes: assets.reduce((sum, { bytes }) => sum + bytes, 0),
        assets: assets.map(({ platform, arch, kind, name, bytes, source }) => {
          return { platform, arch, kind, name, bytes, ...source }
        }),
      })),
    ]),
  ),
  resources: resources.map(({ version, date, bytes, withdrawn, source }) => {
    return { version, date, bytes, withdrawn, ...source }
  }),
  news: news.map(({ id, title, date, file }) => ({ id, title, date, file })),
  tiers: Object.keys(tiers).map(Number),
})

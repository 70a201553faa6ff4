import Type from 'typebox'
import { InvalidParameter } from '../../../errors/index.ts'
import { listUsageCells, type readUsageDays, summarizeUsage } from '../../../features/usage/index.ts'
import { MAX_USAGE_DAYS } from '../../../platform/store/index.ts'
import { CSV, cache, csv } from '../../kernel/replies.ts'
import { get, type Route } from '../../kernel/route.ts'
import { Count, CountOf, composeExample, Day, IntegerParameter, OrNull, SuccessReply } from '../../kernel/schemas.ts'
import { readScope, uncachedReply } from './scopes.ts'

/** The ranges of the charts in the dashboard. */
export const recentMinutes = [5, 15, 60] as const
const DAYS = { minimum: 1, maximum: MAX_USAGE_DAYS, default: 30 }

export type UsageQuery = { readonly days: number; readonly minutes?: number | undefined }

export type ReadUsage = (query: UsageQuery) => ReturnType<typeof readUsageDays>

const outcomes = {
  requests: Count,
  served: CountOf('Replies with a status below 400.', 11),
  refused: CountOf('Status 4xx: the request was wrong, or not allowed.', 1),
  sourceFailed: CountOf('Status 502 and 504: the URL of an image that a client sent cannot be fetched.', 0),
  failed: CountOf('Any other status 5xx: the service failed, or was overloaded.', 0),
}
const Milliseconds = OrNull(Type.Number({ minimum: 0, examples: [3.75] }))
const figures = {
  ...outcomes,
  latency: Type.Object(
    { p50: Milliseconds, p95: Milliseconds, p99: Milliseconds },
    { description: 'In milliseconds, estimated from a histogram. Null if there were no requests.' },
  ),
  cache: Type.Object({ hit: Count, miss: Count, shared: Count }, { description: 'Filter replies by `X-Cache`.' }),
}
const UsageEntry = Type.Object({ name: Type.String(), ...outcomes }, { component: 'UsageEntry' })
const Named = (description: string, name: string) =>
  Type.Array(UsageEntry, {
    description: `${description} Most requests first.`,
    examples: [[{ name, ...(composeExample(UsageEntry) as object) }]],
  })

const Row = Type.Object(
  {
    dimension: Type.String({ examples: ['version'] }),
    name: Type.String({ examples: ['v2'] }),
    counts: Type.Array(Count, {
      description: 'Requests by outcome, in this order: served, refused, source failed, failed.',
    }),
  },
  { component: 'UsageRow' },
)

const UsageReply = SuccessReply({
  days: Type.Optional(
    Type.Array(Type.Object({ day: Day, rows: Type.Array(Row) }), { description: 'Only with `format=rows`.' }),
  ),
  usage: Type.Object({
    ...figures,
    daily: Type.Array(
      Type.Object({
        date: Day,
        ...figures,
        filters: Type.Record(Type.String(), Count, { description: 'Requests by filter.', examples: [{ blur: 12 }] }),
      }),
      { description: 'One entry per day, oldest first, also for days without requests.' },
    ),
    groups: Named('By endpoint group.', 'Random content, v2'),
    endpoints: Named('By method and route.', 'GET /api/v2/random/animal/:kind'),
    versions: Named('By version of the API.', 'v2'),
    statuses: Named('By status of the reply.', '200'),
    kinds: Named('Random content by category and kind.', 'animals/cat'),
    filters: Named('By filter.', 'blur'),
    referrers: Named('Requests that were served, by the host of the referring site.', 'example.org'),
    agents: Named('By family of the user agent.', 'curl'),
  }),
})

const CSV_EXAMPLE =
  'date,dimension,name,requests,served,refused,source_failed,failed\r\n2026-12-01,version,v2,12,11,1,0,0\r\n'

export const buildUsageRoutes = (readUsage: ReadUsage): Route[] => [
  get('/usage', {
    ...readScope,
    summary: 'Usage history',
    description:
      `Client requests by day, summed over all nodes. The last ${MAX_USAGE_DAYS} days are kept. The figures of a node are ` +
      'at most ten seconds old. Requests to operator endpoints, health checks and metrics are not counted. Each ' +
      'list has at most 200 names per day; further ones are counted as `others`. Only hosts of referring sites and ' +
      'families of user agents are stored: no address, path or query.',
    query: {
      days: IntegerParameter('Number of days, including today (UTC).', DAYS),
      minutes: Type.Enum(recentMinutes.map(String), {
        description: 'Returns the last minutes instead of days, only of the node that replies and since its start.',
      }),
      format: Type.Enum(['json', 'csv', 'rows'], {
        description:
          'Format of the reply. `csv` has one row per day, dimension and name; `rows` adds the same to the JSON as ' +
          '`days`. Default: json.',
      }),
    },
    reply: UsageReply,
    example: () => ({ days: undefined }),
    otherTypes: [CSV],
    textExamples: { [CSV]: CSV_EXAMPLE },
    handle: async ({ query: { days, minutes, format } }) => {
      if (days !== undefined && minutes !== undefined) throw new InvalidParameter('minutes', 'omitted with days')
      const read = await readUsage({ days: days ?? DAYS.default, minutes: minutes ? Number(minutes) : undefined })
      return format === 'csv'
        ? csv('usage.csv', listUsageCells(read), { cache: cache.none })
        : uncachedReply({ usage: summarizeUsage(read), ...(format === 'rows' && { days: read }) })
    },
  }),
]

import Type from 'typebox'
import type { Sample } from '../../../platform/metrics/index.ts'
import type { Route } from '../../kernel/route.ts'
import { AnyFields, Count, CountOf, OrNull, SuccessReply, Text, Timestamp } from '../../kernel/schemas.ts'
import { ProblemSchema } from '../health.ts'
import { cacheOutcomesText } from './recent-activity.ts'

const Fields = (description: string, example?: object) =>
  AnyFields({ description, ...(example && { examples: [example] }) })
const CountsBy = (description: string, example: object) =>
  Type.Record(Type.String(), Count, { description, examples: [example] })

const counter = {
  counted: Count,
  waiting: Count,
  lost: Count,
  storeProblem: Type.Optional(
    Text('Why waiting counts cannot be saved to the store. The error of one worker, if several have errors.'),
  ),
  diskProblem: Type.Optional(
    Text('Code of the error, if the journal (the file with waiting counts) cannot be written.'),
  ),
}

const pipeline = {
  running: CountOf('Filter jobs in progress.', 0),
  waiting: CountOf('Filter jobs that wait in the queue.', 0),
  overdue: CountOf('Filter jobs that have run for more than 60 seconds.', 0),
  caches: Type.Record(Type.String(), Type.Object({ entries: Count, bytes: Count }), {
    description: 'In memory: `sources` (images as fetched), `records` (caching headers of sources), `results`.',
    examples: [{ sources: { entries: 12, bytes: 3_481_220 }, results: { entries: 40, bytes: 9_118_004 } }],
  }),
  replies: CountsBy(`Replies since the start, by ${cacheOutcomesText}`, { hit: 310, miss: 96, shared: 4 }),
  sourceReads: CountsBy('Reads of sources since the start: `hit` (in memory), `miss` (fetched), `revalidated`.', {
    hit: 51,
    miss: 38,
    revalidated: 7,
  }),
}

export const OverviewReply = SuccessReply({
  overview: Type.Object({
    version: Fields('Version of the service and of its runtime.', { version: '1.4.0', node: '26.10.0', commit: null }),
    time: Text('Uptime as hh:mm:ss.', '26:03:09'),
    full: Text('Uptime in words.', '1 day, 2 hours, 3 minutes and 9 seconds'),
    uptime: Type.Number({ minimum: 0, description: 'Seconds since the service started.', examples: [93_789.4] }),
    startedAt: Timestamp,
    traffic: Fields(
      'Requests to all workers of the node since the start: their number (`requests`), by status class (`statuses`), and ' +
        'by endpoint group (`groups`).',
      {
        requests: 5120,
        statuses: { '2xx': 5011, '3xx': 60, '4xx': 49, '5xx': 0 },
        groups: { 'Random content, v2': 3904, 'Image filters, v2': 410, Pictures: 806 },
      },
    ),
    downloads: OrNull(
      Fields(
        'Download counts of all nodes, as in `stats/downloads`. While the store is unavailable: the last known counts, ' +
          'or null if there are none.',
        { total: 12, applications: { launcher: { total: 12, versions: { '2.1.0': 12 } } }, daily: [] },
      ),
    ),
    adoption: OrNull(
      Type.Array(
        Fields('As in `stats/adoption`.', {
          date: '2026-12-01',
          checks: 12,
          installations: 9,
          versions: { '2.1.0': 12 },
        }),
        {
          description:
            'Update checks and installations of all nodes. While the store is unavailable: the last known ones, or null.',
        },
      ),
    ),
    counter: Type.Object(counter, {
      description:
        'Download counter of all workers of the node. `counted`: since the start. `waiting`: not in the store yet. ' +
        '`lost`: not counted, because the journal was full.',
    }),
    pipeline: Type.Object(pipeline, { description: 'Image filters of all workers of the node.' }),
    sharedResults: OrNull(
      Fields(
        'Cache of filter results in Redis or, with SQLite, on disk, as seen by the worker that replied. Null if ' +
          '`FILTER_STORE_CACHE_BYTES` is 0.',
      ),
    ),
    limits: Fields('State of the shared rate limits, as seen by the worker that replied.', {}),
    store: OrNull(Fields('State of the store, as seen by the worker that replied.')),
    blocklists: Type.Array(
      Fields('As in `/api/v1/static/cache`.', { path: 'blocklist.txt', entries: 62, source: 'content' }),
      { description: 'The blocklists in use.' },
    ),
    access: Type.Enum(['open', 'registered'], { description: 'The setting `V5_ACCESS`.' }),
    isApplicationConfigured: Type.Boolean({
      description: 'Whether the v5 API is in use: there are releases other than the examples, or it requires keys.',
    }),
    content: Fields('Kinds of random content by category, with their number of items.', {
      kaomoji: [{ kind: 'cat', count: 80, drawn: false, types: {} }],
    }),
    problems: Type.Array(ProblemSchema, { description: 'Current problems of all workers of the node.' }),
    advice: Type.Array(ProblemSchema, {
      description:
        'Recommendations for the operator, such as to replace the example releases. The service works without them.',
    }),
  }),
})

/** Sums up the request metric, whose labels are route, method and status. Groups are OpenAPI tags. */
export function countTraffic(samples: readonly Sample[], routes: readonly Pick<Route, 'path' | 'tag'>[]) {
  const tags = new Map(routes.map(({ path, tag }) => [path, tag]))
  let requests = 0
  const statuses: Record<string, number> = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 }
  const groups: Record<string, number> = {}
  for (const [[path = '', , status = ''], value] of samples) {
    const count = Number(value)
    const statusClass = `${status[0]}xx`
    const group = tags.get(path) ?? 'none'
    requests += count
    if (statusClass in statuses) statuses[statusClass] = (statuses[statusClass] ?? 0) + count
    groups[group] = (groups[group] ?? 0) + count
  }
  return { requests, statuses, groups }
}

import Type from 'typebox'
import type { Sample } from '../../../platform/metrics/index.ts'
import type { Route } from '../../kernel/route.ts'
import { Count, OrNull, SuccessReply, Timestamp } from '../../kernel/schemas.ts'
import { ProblemSchema } from '../health.ts'
import { cacheOutcomesText } from './recent-activity.ts'

const AnyFields = (description: string) => Type.Object({}, { additionalProperties: true, description })
const CountOf = (description: string) => Type.Integer({ minimum: 0, description })
const CountsBy = (description: string) => Type.Record(Type.String(), Count, { description })

const counter = {
  counted: Count,
  waiting: Count,
  lost: Count,
  storeProblem: Type.Optional(
    Type.String({
      description: 'Why waiting counts cannot be saved to the store. The error of one worker, if several have errors.',
    }),
  ),
  diskProblem: Type.Optional(
    Type.String({
      description: 'Code of the error, if the file for counts that are not in the store yet cannot be written.',
    }),
  ),
}

const pipeline = {
  running: CountOf('Filter jobs in progress.'),
  waiting: CountOf('Filter jobs that wait in the queue.'),
  overdue: CountOf('Filter jobs that have run for more than 60 seconds.'),
  caches: Type.Record(Type.String(), Type.Object({ entries: Count, bytes: Count }), {
    description: 'In memory: `sources` (images as fetched), `records` (caching headers of sources), `results`.',
  }),
  replies: CountsBy(`Replies since the start, by ${cacheOutcomesText}`),
  sourceReads: CountsBy('Reads of sources since the start: `hit` (in memory), `miss` (fetched), `revalidated`.'),
}

export const OverviewReply = SuccessReply({
  overview: Type.Object({
    version: AnyFields('Version of the service and of its runtime.'),
    time: Type.String({ description: 'Uptime as hh:mm:ss.' }),
    full: Type.String({ description: 'Uptime in words.' }),
    uptime: Type.Number({ minimum: 0, description: 'Seconds since the service started.' }),
    startedAt: Timestamp,
    traffic: AnyFields(
      'Requests to all workers of the node since the start: their number (`requests`), by status class (`statuses`), and ' +
        'by endpoint group (`groups`).',
    ),
    downloads: OrNull(
      AnyFields(
        'Download counts of all nodes, as in `stats/downloads`. While the store is unavailable: the last known counts, ' +
          'or null if there are none.',
      ),
    ),
    adoption: OrNull(
      Type.Array(AnyFields('As in `stats/adoption`.'), {
        description:
          'Update checks and installations of all nodes. While the store is unavailable: the last known ones, or null.',
      }),
    ),
    counter: Type.Object(counter, {
      description:
        'Download counter of all workers of the node. `counted`: since the start. `waiting`: not in the store yet. ' +
        '`lost`: not counted, because the file for counts that are not in the store yet was full.',
    }),
    pipeline: Type.Object(pipeline, {
      description: 'Image filters of all workers of the node.',
    }),
    sharedResults: OrNull(
      AnyFields(
        'Cache of filter results in Redis or, with SQLite, on disk, as seen by the worker that replied. Null if ' +
          '`FILTER_SHARED_BYTES` is 0.',
      ),
    ),
    limits: AnyFields('State of the shared rate limits, as seen by the worker that replied.'),
    store: OrNull(AnyFields('State of the store, as seen by the worker that replied.')),
    blocklists: Type.Array(AnyFields('As in `/api/v1/static/cache`.'), { description: 'The blocklists in force.' }),
    access: Type.Enum(['open', 'registered'], { description: 'The setting `V5_ACCESS`.' }),
    content: AnyFields('Kinds of random content by category.'),
    problems: Type.Array(ProblemSchema, { description: 'Current problems, as seen by the worker that replied.' }),
    advice: Type.Array(ProblemSchema, {
      description:
        'What the operator should do, although the service works: for example, replace the example releases.',
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

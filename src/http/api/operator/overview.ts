import Type from 'typebox'
import type { Sample } from '../../../platform/metrics/index.ts'
import type { Route } from '../../kernel/route.ts'
import { Count, OrNull, SuccessReply, Timestamp } from '../../kernel/schemas.ts'
import { ProblemSchema } from '../health.ts'

const AnyFields = (description: string) => Type.Object({}, { additionalProperties: true, description })
const Counts = Type.Record(Type.String(), Count)

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
    Type.String({ description: 'Why counts cannot be written to the journal: the code of the error.' }),
  ),
}

const pipeline = {
  running: Count,
  waiting: Count,
  overdue: Count,
  caches: Type.Record(Type.String(), Type.Object({ entries: Count, bytes: Count })),
  replies: Counts,
  sourceReads: Counts,
}

export const OverviewReply = SuccessReply({
  overview: Type.Object({
    version: AnyFields('Version of the service and of its runtime.'),
    time: Type.String({ description: 'Uptime as hh:mm:ss.' }),
    full: Type.String({ description: 'Uptime in words.' }),
    uptime: Type.Number({ minimum: 0, description: 'Seconds since the service started.' }),
    startedAt: Timestamp,
    traffic: AnyFields('Requests to all workers of the node since the start, by status class and by endpoint group.'),
    downloads: OrNull(
      AnyFields(
        'Download counts of all nodes, as in `stats/downloads`. While the store is unavailable: the last known counts, ' +
          'or null if there are none.',
      ),
    ),
    counter: Type.Object(counter, {
      description:
        'Download counter of all workers of the node. `counted`: since the start. `waiting`: not in the store yet. ' +
        '`lost`: not counted, because the journal was full.',
    }),
    pipeline: Type.Object(pipeline, {
      description: 'Image filters of all workers of the node. `replies` and `sourceReads` count since the start.',
    }),
    sharedResults: OrNull(
      AnyFields(
        'Cache of filter results in Redis or, with SQLite, on disk, as seen by the worker that replied. Null if ' +
          '`FILTER_SHARED_BYTES` is 0.',
      ),
    ),
    limits: AnyFields('State of the shared rate limits, as seen by the worker that replied.'),
    store: OrNull(AnyFields('State of the store, as seen by the worker that replied.')),
    blocklist: OrNull(AnyFields('The blocklist in use.')),
    access: Type.Enum(['open', 'registered'], { description: 'The setting `V5_ACCESS`.' }),
    content: AnyFields('Kinds of random content by category.'),
    problems: Type.Array(ProblemSchema, { description: 'Current problems, as seen by the worker that replied.' }),
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

// The reply of GET …/operator/live: the recent slots of the metrics history as columns.
import Type, { type Static } from 'typebox'
import * as metrics from '../../../platform/metrics/index.ts'
import { usageOutcomes } from '../../../platform/store/index.ts'
import type { WorkerContext } from '../../../platform/workers/index.ts'
import { Count, OrNull, Text, Timestamp } from '../../kernel/schemas.ts'

const Counts = Type.Array(Count)
const Measures = Type.Array(Type.Number({ minimum: 0, examples: [0.224] }))
const ByName = (description: string, name: string) =>
  Type.Record(Type.String(), Counts, { description, examples: [{ [name]: [12] }] })

const Milliseconds = Type.Array(OrNull(Type.Number({ minimum: 0, examples: [3.75] })))
const Percentiles = (description: string) =>
  Type.Object(
    { p50: Milliseconds, p95: Milliseconds, p99: Milliseconds },
    { description: `${description} in milliseconds, estimated from a histogram. Null if there were no requests.` },
  )

const statusClasses = ['2xx', '3xx', '4xx', '5xx'] as const
const cacheOutcomes = ['hit', 'miss', 'shared'] as const
export const cacheOutcomesText =
  'the value of `X-Cache`: `hit` (from a cache), `miss` (computed for this request), `shared` (computed for another ' +
  'request at the same time).'

/** The nth entry of each list belongs to the nth slot. */
const columns = {
  at: Type.Array(Type.Integer({ examples: [1_796_117_400_000] }), {
    description: 'Start of each slot, in milliseconds since 1970.',
  }),
  seconds: Type.Array(Count, {
    description: 'Seconds of each slot that have passed. The last slot may be incomplete.',
  }),
  statuses: Type.Object(
    { '2xx': Counts, '3xx': Counts, '4xx': Counts, '5xx': Counts },
    { description: 'Requests by status class of the reply.' },
  ),
  outcomes: Type.Object(
    { served: Counts, refused: Counts, sourceFailed: Counts, failed: Counts },
    { description: 'Requests of clients by outcome, as in `usage`.' },
  ),
  groups: ByName('Requests by endpoint group.', 'Random content, v2'),
  filters: ByName('Requests by filter.', 'blur'),
  latency: Percentiles('Duration of all requests'),
  filterLatency: Percentiles('Duration of filter requests'),
  cache: Type.Object(
    { hit: Counts, miss: Counts, shared: Counts },
    { description: `Filter replies by ${cacheOutcomesText}` },
  ),
  bytes: Type.Array(Count, { description: 'Bytes of reply bodies.' }),
  measures: Type.Object(
    { running: Counts, waiting: Counts, cacheBytes: Counts, memory: Counts, lag: Measures, cpu: Measures },
    {
      description:
        'Highest value in each slot: running filter jobs, waiting filter jobs, bytes in the filter caches, resident ' +
        'memory in bytes, event loop delay in milliseconds, share of one CPU core.',
    },
  ),
}
const Columns = Type.Object(columns)

export const LiveShape = Type.Object(
  {
    node: Text(
      'Id of the node that replied. It changes when the service restarts. The history includes all workers of this ' +
        'node, but no other nodes.',
      'mwkfabmm',
    ),
    now: Type.String({ ...Timestamp, description: 'Time of the reply, by the clock of the node.' }),
    step: Type.Integer({ description: 'Length of a slot in seconds.', examples: [60] }),
    ...columns,
  },
  { component: 'Live' },
)
export type Live = Static<typeof LiveShape>

export interface LiveQuery {
  /** Only slots from this time on, in milliseconds since 1970. */
  readonly since?: number | undefined
  /** Length of a slot in seconds. */
  readonly step?: number | undefined
}

/** One history for all workers of the node, whichever of them answers. */
export function createLive(history: metrics.History, worker: Pick<WorkerContext, 'provide' | 'collect'>, node: string) {
  const topicOf = (step: number) => `history in slots of ${step} s`
  for (const step of metrics.slotSeconds) worker.provide(topicOf(step), () => history.slots(step))
  return async ({ since = 0, step = metrics.slotSeconds[0] }: LiveQuery): Promise<Live> => {
    // The first answer is this worker's own.
    const [, ...others] = await worker.collect(topicOf(step))
    const stepMs = step * 1000
    const from = Math.floor(since / stepMs) * stepMs
    const slots = metrics.addWorkers(history.slots(step), others as metrics.Slot[][]).filter(({ at }) => at >= from)
    return { node, now: new Date(history.now()).toISOString(), step, ...toColumns(slots) }
  }
}

export const isFilterGroup = (group: string) => group.startsWith('Image filters')

function toColumns(slots: readonly metrics.Slot[]): Static<typeof Columns> {
  const column = <T>(read: (slot: metrics.Slot) => T) => slots.map(read)
  const byName = <Name extends string>(names: readonly Name[], read: (slot: metrics.Slot) => Record<string, number>) =>
    columnsFor(names, (name) => column((slot) => read(slot)[name] ?? 0))
  const byNamesInSlots = (read: (slot: metrics.Slot) => Record<string, number>) =>
    byName([...new Set(slots.flatMap((slot) => Object.keys(read(slot))))].sort(), read)
  const percentiles = (isIncluded?: (group: string) => boolean) =>
    columnsFor(['p50', 'p95', 'p99'], (name) =>
      column((slot) => metrics.estimateDuration(slot, Number(name.slice(1)) / 100, isIncluded)),
    )
  return {
    at: column(({ at }) => at),
    seconds: column(({ seconds }) => seconds),
    statuses: byName(statusClasses, ({ statuses }) => statuses),
    outcomes: byName(usageOutcomes, ({ outcomes }) => outcomes),
    groups: byNamesInSlots(metrics.countByGroup),
    filters: byNamesInSlots(({ filters }) => filters),
    latency: percentiles(),
    filterLatency: percentiles(isFilterGroup),
    cache: byName(cacheOutcomes, ({ cache }) => cache),
    bytes: column(({ bytes }) => bytes),
    measures: columnsFor(metrics.slotGauges, (name) => column(({ peaks }) => Math.round(peaks[name] * 1000) / 1000)),
  }
}

const columnsFor = <Name extends string, T>(names: readonly Name[], read: (name: Name) => T) =>
  Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, T>

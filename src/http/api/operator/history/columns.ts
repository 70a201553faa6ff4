import type { Static } from 'typebox'
import Type from 'typebox'
import { percentile } from './latency.ts'
import { cacheKinds, gauges, type Slot } from './slot.ts'

const Counts = Type.Array(Type.Integer({ minimum: 0 }))
const Measures = Type.Array(Type.Number({ minimum: 0 }))
const ByName = (description: string) => Type.Record(Type.String(), Counts, { description })

const SHARES = { p50: 0.5, p95: 0.95, p99: 0.99 }
const times = Type.Array(Type.Union([Type.Number({ minimum: 0 }), Type.Null()]))
const Percentiles = (of: string) =>
  Type.Object({ p50: times, p95: times, p99: times }, { description: `${of}, in ms; null where there were none.` })

const statusClasses = ['2xx', '3xx', '4xx', '5xx'] as const
const Status = Type.Object({ '2xx': Counts, '3xx': Counts, '4xx': Counts, '5xx': Counts })

/** Slots side by side: the nth entry of each list is of the nth slot. */
const columns = {
  at: Type.Array(Type.Integer(), { description: 'When each slot begins: ms since 1970.' }),
  seconds: Type.Array(Type.Integer({ minimum: 0 }), {
    description: 'How much of each slot is counted; the last may be under way.',
  }),
  statuses: Status,
  groups: ByName('Requests by group of endpoints, as the reference names them.'),
  filters: ByName('Requests by filter.'),
  latency: Percentiles('How long replies took'),
  filterLatency: Percentiles('How long image filters took'),
  cache: Type.Object({ hit: Counts, miss: Counts, shared: Counts }, { description: 'Filter replies by X-Cache.' }),
  bytes: Counts,
  measures: Type.Object(
    { running: Counts, waiting: Counts, cacheBytes: Counts, memory: Counts, lag: Measures, cpu: Measures },
    {
      description:
        'The highest in each slot: filter jobs, jobs that wait, bytes in the caches of filters, bytes of memory, ms that the event loop was late, share of a core.',
    },
  ),
}
const Columns = Type.Object(columns)

export const LiveShape = Type.Object({
  node: Type.String({ description: 'The node that answers, with all its processes; each has a history of its own.' }),
  now: Type.String({ format: 'date-time' }),
  step: Type.Integer({ description: 'Seconds of a slot.' }),
  ...columns,
})
export type Live = Static<typeof LiveShape>

export function columnsOf(slots: readonly Slot[]): Static<typeof Columns> {
  const times = (of: 'latency' | 'filterLatency') => {
    const column = (share: number) => slots.map((slot) => percentile(slot[of], share))
    return { p50: column(SHARES.p50), p95: column(SHARES.p95), p99: column(SHARES.p99) }
  }
  const named = (of: 'groups' | 'filters') => {
    const names = new Set(slots.flatMap((slot) => [...slot[of].keys()]))
    return keyed([...names].sort(), (name) => slots.map((slot) => slot[of].get(name) ?? 0))
  }
  return {
    at: slots.map(({ at }) => at),
    seconds: slots.map(({ seconds }) => seconds),
    statuses: keyed(statusClasses, (name) => slots.map(({ statuses }) => statuses[Number(name[0])] ?? 0)),
    groups: named('groups'),
    filters: named('filters'),
    latency: times('latency'),
    filterLatency: times('filterLatency'),
    cache: keyed(cacheKinds, (kind) => slots.map(({ cache }) => cache[kind])),
    bytes: slots.map(({ bytes }) => bytes),
    measures: keyed(gauges, (name) => slots.map(({ highest }) => Math.round(highest[name] * 1000) / 1000)),
  }
}

const keyed = <Name extends string, T>(names: readonly Name[], make: (name: Name) => T) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, T>

import type { ObservedRequest } from '../../../kernel/batch-requests.ts'
import { BUCKETS, bucketOf } from './latency.ts'

/** What is measured rather than counted; of several measurements the highest is kept. */
export const gauges = ['running', 'waiting', 'cacheBytes', 'memory', 'lag', 'cpu'] as const
export type Gauges = Record<(typeof gauges)[number], number>

export const cacheKinds = ['hit', 'miss', 'shared'] as const
export type CacheReplies = Record<(typeof cacheKinds)[number], number>

const FILTERS = 'Image filters'
const add = (map: Map<string, number>, name: string, count: number) => map.set(name, (map.get(name) ?? 0) + count)

/** What happened in a few seconds. Its names are those of our tables, so it cannot grow. */
export class Slot {
  at: number
  seconds = 0
  bytes = 0
  /** By class: the fifth counts 5xx. */
  readonly statuses = new Uint32Array(6)
  readonly groups = new Map<string, number>()
  readonly filters = new Map<string, number>()
  readonly latency = new Uint32Array(BUCKETS)
  readonly filterLatency = new Uint32Array(BUCKETS)
  readonly cache: CacheReplies = { hit: 0, miss: 0, shared: 0 }
  readonly highest: Gauges = { running: 0, waiting: 0, cacheBytes: 0, memory: 0, lag: 0, cpu: 0 }

  constructor(at: number) {
    this.at = at
  }

  count({ tag = 'none', url, status, bytes, ms }: ObservedRequest, filterNames: readonly string[]): void {
    const kind = Math.floor(status / 100)
    const bucket = bucketOf(ms)
    this.statuses[kind] = (this.statuses[kind] ?? 0) + 1
    this.latency[bucket] = (this.latency[bucket] ?? 0) + 1
    this.bytes += bytes
    add(this.groups, tag, 1)
    if (!tag.startsWith(FILTERS)) return
    this.filterLatency[bucket] = (this.filterLatency[bucket] ?? 0) + 1
    const path = url.split('?', 1)[0] ?? ''
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (filterNames.includes(name)) add(this.filters, name, 1)
  }

  measure(measured: Gauges): void {
    for (const name of gauges) this.highest[name] = Math.max(this.highest[name], measured[name])
  }

  /** Adds what happened in a later or earlier one. */
  take(other: Slot): void {
    this.seconds += other.seconds
    this.#addCounts(other)
    this.measure(other.highest)
  }

  /** Adds what happened in the same time in another process. */
  takeBeside(other: Slot): void {
    this.seconds = Math.max(this.seconds, other.seconds)
    this.#addCounts(other)
    for (const name of gauges) {
      const [mine, theirs] = [this.highest[name], other.highest[name]]
      this.highest[name] = name === 'lag' ? Math.max(mine, theirs) : mine + theirs
    }
  }

  #addCounts(other: Slot): void {
    this.bytes += other.bytes
    for (const name of ['statuses', 'latency', 'filterLatency'] as const) {
      const mine = this[name]
      for (const [n, count] of other[name].entries()) mine[n] = (mine[n] ?? 0) + count
    }
    for (const [name, count] of other.groups) add(this.groups, name, count)
    for (const [name, count] of other.filters) add(this.filters, name, count)
    for (const kind of cacheKinds) this.cache[kind] += other.cache[kind]
  }
}

/** A slot on its way between processes. */
export type PackedSlot = ReturnType<typeof packed>

export const packed = ({ at, seconds, bytes, statuses, groups, filters, latency, filterLatency, ...rest }: Slot) => ({
  at,
  seconds,
  bytes,
  statuses: [...statuses],
  groups: [...groups],
  filters: [...filters],
  latency: [...latency],
  filterLatency: [...filterLatency],
  cache: rest.cache,
  highest: rest.highest,
})

export function unpacked({ at, seconds, bytes, groups, filters, cache, highest, ...buckets }: PackedSlot): Slot {
  const slot = new Slot(at)
  Object.assign(slot, { seconds, bytes })
  for (const name of ['statuses', 'latency', 'filterLatency'] as const) slot[name].set(buckets[name])
  for (const [name, count] of groups) slot.groups.set(name, count)
  for (const [name, count] of filters) slot.filters.set(name, count)
  Object.assign(slot.cache, cache)
  slot.measure(highest)
  return slot
}

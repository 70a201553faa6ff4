// The last hour for the dashboard: differences between regular samples of the metrics, in slots of five seconds.
import { definitions } from './definitions.ts'
import type { EventLoopMonitor } from './runtime.ts'
import type { Distribution, Sample, Snapshot } from './snapshot.ts'

/** Seconds of a slot, and of the longer slots that a reader can choose. */
export const slotSeconds = [5, 15, 60] as const
const SLOT_MS = slotSeconds[0] * 1000
/** One hour, in one or two megabytes. */
const MAX_SLOTS = 720
/** A chart has no space for more columns. */
export const MAX_SHOWN_SLOTS = 60
/** Gauges are read several times per slot, so that short peaks show. */
const SAMPLE_INTERVAL_MS = 1000

type Counts = Record<string, number>

export const slotGauges = ['running', 'waiting', 'cacheBytes', 'memory', 'lag', 'cpu'] as const
export type SlotGauges = Record<(typeof slotGauges)[number], number>
const NO_PEAKS: SlotGauges = { running: 0, waiting: 0, cacheBytes: 0, memory: 0, lag: 0, cpu: 0 }

/** What happened in a few seconds. Plain JSON: it can be sent to another process. */
export interface Slot {
  /** Start of the slot, in milliseconds since 1970. */
  readonly at: number
  readonly seconds: number
  /** By status class: "2xx", "4xx" … */
  readonly statuses: Counts
  /** Requests of clients by outcome. */
  readonly outcomes: Counts
  /** Counts of the buckets of `requestSeconds`, by endpoint group. */
  readonly durations: Readonly<Record<string, readonly number[]>>
  readonly filters: Counts
  /** Reads of the result cache, by outcome. */
  readonly cache: Counts
  readonly bytes: number
  /** The highest value of each gauge; `lag` in milliseconds. */
  readonly peaks: SlotGauges
}

type NameLabels = (labels: readonly string[]) => string | undefined

type SlotCounts = Omit<Slot, 'at' | 'seconds' | 'peaks'>

interface HistoryOptions {
  readCounters(): Snapshot
  readGauges(): Omit<SlotGauges, 'lag'>
  readonly eventLoop: Pick<EventLoopMonitor, 'endWindow'>
  /** The outcome of a request, by the labels of `requests`. Undefined if it is not from a client. */
  readonly nameOutcome: NameLabels
  readonly clock?: () => number
}

export type History = ReturnType<typeof createHistory>

/** The wall clock at the start plus elapsed time: setting the clock must not repeat slots. */
const steadyClock = () => performance.timeOrigin + performance.now()

export function createHistory(options: HistoryOptions) {
  const { readGauges, eventLoop, clock = steadyClock } = options
  const readTotals = () => sumUp(options.readCounters(), options.nameOutcome)
  const slots: Slot[] = []
  let totals = readTotals()
  let startedAt = clock()
  let peaks = NO_PEAKS

  const endSlot = (now: number) => {
    const newTotals = readTotals()
    const lag = eventLoop.endWindow().max * 1000
    slots.push({
      at: roundToSlot(startedAt),
      seconds: Math.max(1, Math.round((now - startedAt) / 1000)),
      ...combineCounts(newTotals, totals, (after, before) => after - before),
      peaks: { ...peaks, lag },
    })
    if (slots.length > MAX_SLOTS) slots.shift()
    totals = newTotals
    startedAt = now
    peaks = NO_PEAKS
  }

  /** Reads the gauges and ends the slot if its time is over. A timer calls it every second. */
  const sample = () => {
    peaks = combineGauges(peaks, { ...readGauges(), lag: 0 }, Math.max)
    const now = clock()
    if (now >= roundToSlot(startedAt) + SLOT_MS) endSlot(now)
  }

  // On the full second, so that slots have their exact length. A timer may fire slightly early, but must not fire twice.
  const untilNextSample = () => {
    const left = SAMPLE_INTERVAL_MS - (clock() % SAMPLE_INTERVAL_MS)
    return left < SAMPLE_INTERVAL_MS / 2 ? left + SAMPLE_INTERVAL_MS : left
  }
  const sampleAgain = () => {
    sample()
    timer = setTimeout(sampleAgain, untilNextSample()).unref()
  }
  let timer = setTimeout(sampleAgain, untilNextSample()).unref()

  return {
    sample,
    /** The last finished slots, each `seconds` long. */
    slots: (seconds: number): Slot[] => {
      const lengthMs = seconds * 1000
      const from = roundToSlot(slots.at(-1)?.at ?? 0, lengthMs) - (MAX_SHOWN_SLOTS - 1) * lengthMs
      const longer = new Map<number, Slot>()
      for (const slot of slots) {
        const at = roundToSlot(slot.at, lengthMs)
        if (at < from) continue
        const other = longer.get(at)
        longer.set(at, other ? joinInTime(other, slot) : { ...slot, at })
      }
      return [...longer.values()]
    },
    now: clock,
    close: () => clearTimeout(timer),
  }
}

/** Adds the slots of other workers to those of this one that have the same start. */
export function addWorkers(own: readonly Slot[], others: readonly (readonly Slot[])[]): Slot[] {
  const all = new Map(own.map((slot) => [slot.at, slot]))
  for (const slot of others.flat()) {
    const same = all.get(slot.at)
    if (same) all.set(slot.at, joinWorkers(same, slot))
  }
  return [...all.values()]
}

const roundToSlot = (ms: number, lengthMs = SLOT_MS) => Math.floor(ms / lengthMs) * lengthMs
const add = (a: number, b: number) => a + b

const joinInTime = (a: Slot, b: Slot): Slot => ({
  at: a.at,
  seconds: a.seconds + b.seconds,
  ...combineCounts(a, b, add),
  peaks: combineGauges(a.peaks, b.peaks, Math.max),
})

const joinWorkers = (a: Slot, b: Slot): Slot => ({
  at: a.at,
  seconds: Math.max(a.seconds, b.seconds),
  ...combineCounts(a, b, add),
  peaks: { ...combineGauges(a.peaks, b.peaks, add), lag: Math.max(a.peaks.lag, b.peaks.lag) },
})

type Combine = (a: number, b: number) => number

const combineGauges = (a: SlotGauges, b: SlotGauges, combine: Combine) =>
  Object.fromEntries(slotGauges.map((name) => [name, combine(a[name], b[name])])) as SlotGauges

const BUCKETS = definitions.requestSeconds.bounds.length + 1
const listNames = (a: object, b: object) => [...new Set([...Object.keys(a), ...Object.keys(b)])]

function combineCounts(a: SlotCounts, b: SlotCounts, combine: Combine): SlotCounts {
  const groups = listNames(a.durations, b.durations)
  const combineBuckets = (group: string): [string, number[]] => [
    group,
    Array.from({ length: BUCKETS }, (_, i) => combine(a.durations[group]?.[i] ?? 0, b.durations[group]?.[i] ?? 0)),
  ]
  return {
    statuses: combineRecords(a.statuses, b.statuses, combine),
    outcomes: combineRecords(a.outcomes, b.outcomes, combine),
    durations: Object.fromEntries(groups.map(combineBuckets).filter(([, buckets]) => buckets.some(Boolean))),
    filters: combineRecords(a.filters, b.filters, combine),
    cache: combineRecords(a.cache, b.cache, combine),
    bytes: combine(a.bytes, b.bytes),
  }
}

/** Leaves out zeros, so that quiet slots take little memory. */
const combineRecords = (a: Counts, b: Counts, combine: Combine): Counts =>
  Object.fromEntries(
    listNames(a, b)
      .map((name): [string, number] => [name, combine(a[name] ?? 0, b[name] ?? 0)])
      .filter(([, count]) => count !== 0),
  )

function sumUp(snapshot: Snapshot, nameOutcome: NameLabels): SlotCounts {
  const { requests, requestSeconds, replyBytes, filterRequests, cacheReads } = snapshot
  return {
    statuses: sumBy(requests, ([, , status = '']) => `${status[0]}xx`),
    outcomes: sumBy(requests, nameOutcome),
    durations: Object.fromEntries(
      (requestSeconds ?? []).map(([[group = ''], value]) => [group, (value as Distribution).counts]),
    ),
    filters: sumBy(filterRequests, ([filter = '']) => filter),
    cache: sumBy(
      cacheReads?.filter(([[cache]]) => cache === 'results'),
      ([, outcome = '']) => outcome,
    ),
    bytes: Number(replyBytes?.[0]?.[1] ?? 0),
  }
}

/** Samples without a name are left out. */
function sumBy(samples: readonly Sample[] = [], nameOf: NameLabels): Counts {
  const counts: Counts = {}
  for (const [labels, value] of samples) {
    const name = nameOf(labels)
    if (name !== undefined) counts[name] = (counts[name] ?? 0) + Number(value)
  }
  return counts
}

export const countByGroup = ({ durations }: Slot): Counts =>
  Object.fromEntries(Object.entries(durations).map(([group, buckets]) => [group, buckets.reduce(add, 0)]))

/**
 * Estimates a percentile of request durations in milliseconds; null without requests. Interpolates within the bucket, as
 * Prometheus does. `quantile` is between 0 and 1.
 */
export function estimateDuration(slot: Slot, quantile: number, isIncluded = (_group: string) => true): number | null {
  const included = Object.entries(slot.durations).filter(([group]) => isIncluded(group))
  const counts = Array.from({ length: BUCKETS }, (_, bucket) =>
    included.reduce((sum, [, buckets]) => sum + (buckets[bucket] ?? 0), 0),
  )
  return estimatePercentile(counts, quantile)
}

/** `counts`: of the buckets of `requestSeconds`. */
export function estimatePercentile(counts: readonly number[], quantile: number): number | null {
  const { bounds } = definitions.requestSeconds
  const rank = counts.reduce(add, 0) * quantile
  if (rank === 0) return null
  let below = 0
  for (const [bucket, count] of counts.entries()) {
    if (below + count >= rank) {
      const lower = bounds[bucket - 1] ?? 0
      const upper = bounds[bucket] ?? lower
      return Number(((lower + ((upper - lower) * (rank - below)) / count) * 1000).toPrecision(3))
    }
    below += count
  }
  return null
}

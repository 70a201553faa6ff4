// Values of metrics: how they are counted, and how the values of several processes are merged.
import { type Definition, definitionList, type Metric } from './definitions.ts'

/** The counts of a histogram's buckets, the last one for values above all bounds, and the sum of the values. */
export interface Distribution {
  readonly counts: readonly number[]
  readonly sum: number
}

/** The label values in the order of the definition, and the value. */
export type Sample = readonly [labels: readonly string[], value: number | Distribution]

/** All metrics at one moment. Plain JSON: it can be sent to another process. */
export type Snapshot = { readonly [Name in Metric]?: readonly Sample[] }

/** Samples of a metric without labels. */
export const single = (value: number): Sample[] => [[[], value]]

/** Samples of a metric with one label. */
export const byLabel = (values: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(values).map(([label, value]) => [[label], value])

export interface Tally {
  add(...labels: string[]): void
  samples(): Sample[]
}

/** Counts by labels. Every call builds a key from the labels, so it is not for the path of every request. */
export function createTally(): Tally {
  const counts = new Map<string, { readonly labels: string[]; count: number }>()
  return {
    add(...labels) {
      const key = labels.join('\0')
      const entry = counts.get(key)
      if (entry) entry.count++
      else counts.set(key, { labels, count: 1 })
    },
    samples: () => [...counts.values()].map(({ labels, count }) => [labels, count]),
  }
}

/** Fixed buckets: observing costs a few comparisons and two additions. */
export class Histogram {
  readonly #bounds: readonly number[]
  readonly #counts: Float64Array
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    const bounds = this.#bounds
    let bucket = 0
    while (bucket < bounds.length && value > bounds[bucket]!) bucket++
    this.#counts[bucket]!++
    this.#sum += value
  }

  distribution() {
    return { counts: [...this.#counts], sum: this.#sum }
  }
}

export interface Histograms {
  /** Returns the same histogram for the same label. Hot paths should keep it. */
  of(label: string): Histogram
  samples(): Sample[]
}

/** One histogram per value of the label. */
export function createHistograms({ bounds }: { readonly bounds: readonly number[] }): Histograms {
  const all = new Map<string, Histogram>()
  return {
    of(label) {
      const histogram = all.get(label) ?? new Histogram(bounds)
      all.set(label, histogram)
      return histogram
    },
    samples: () => [...all].map(([label, histogram]) => [[label], histogram.distribution()]),
  }
}

/** Merges the snapshots of several processes into one. */
export const mergeSnapshots = (snapshots: readonly Snapshot[]): Snapshot =>
  mergeMetrics(
    snapshots,
    definitionList().map(([metric, { merge }]) => [metric, merge]),
  )

/** Sums counters without their definitions: the primary may be older than its workers and know fewer metrics. */
export function addCounters(snapshots: readonly Snapshot[]): Snapshot {
  const metrics = new Set(snapshots.flatMap((snapshot) => Object.keys(snapshot) as Metric[]))
  return mergeMetrics(
    snapshots,
    [...metrics].map((metric) => [metric, 'sum']),
  )
}

/** Counters and histograms: they stay valid after the process has exited. */
export const pickCounters = (snapshot: Snapshot) =>
  pickMetrics(
    snapshot,
    ({ type }) => type !== 'gauge',
    ([labels, value]) => [labels, roundToParts(value)],
  )

/** Gauges: they are valid only while the process runs. */
export const pickGauges = (snapshot: Snapshot) => pickMetrics(snapshot, ({ type }) => type === 'gauge')

const pickMetrics = (
  snapshot: Snapshot,
  isPicked: (definition: Definition) => boolean,
  map = (sample: Sample) => sample,
): Snapshot =>
  Object.fromEntries(
    definitionList()
      .filter(([, definition]) => isPicked(definition))
      .map(([metric]) => [metric, (snapshot[metric] ?? []).map(map)]),
  )

/**
 * Seconds are rounded to multiples of 2^-20, about a microsecond. Such numbers add up exactly in any order. Otherwise a
 * sum could fall by its last digit when a process exits, and Prometheus would read that as a restart.
 */
const PARTS = 2 ** 20
const roundDown = (value: number) => Math.floor(value * PARTS) / PARTS
const roundToParts = (value: Sample[1]): Sample[1] =>
  typeof value === 'number' ? roundDown(value) : { counts: value.counts, sum: roundDown(value.sum) }

type Merge = Definition['merge']

const mergeMetrics = (snapshots: readonly Snapshot[], metrics: readonly (readonly [Metric, Merge])[]): Snapshot =>
  Object.fromEntries(
    metrics.map(([metric, merge]) => [
      metric,
      mergeSamples(
        merge,
        snapshots.flatMap((snapshot) => snapshot[metric] ?? []),
      ),
    ]),
  )

function mergeSamples(merge: Merge, samples: readonly Sample[]): Sample[] {
  const merged = new Map<string, Sample>()
  for (const sample of samples) {
    const key = JSON.stringify(sample[0])
    const other = merged.get(key)
    merged.set(key, other ? [sample[0], mergeValues(merge, other[1], sample[1])] : sample)
  }
  return [...merged.values()]
}

function mergeValues(merge: Merge, a: Sample[1], b: Sample[1]): Sample[1] {
  if (typeof a === 'number' && typeof b === 'number') return merge === 'sum' ? a + b : Math[merge](a, b)
  if (typeof a === 'number' || typeof b === 'number') throw new TypeError('Cannot merge a number with a histogram')
  return { counts: a.counts.map((count, i) => count + (b.counts[i] ?? 0)), sum: a.sum + b.sum }
}

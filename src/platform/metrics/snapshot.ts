// Values of metrics: how they are counted, and how the values of several workers are merged.
import { type Definition, definitionList, definitions, type Metric } from './definitions.ts'

/** The counts of a histogram's buckets, the last one for values above all bounds, and the sum of the values. */
export type Distribution = { readonly counts: readonly number[]; readonly sum: number }

/** The label values in the order of the definition, and the value. */
export type Sample = readonly [labels: readonly string[], value: number | Distribution]

/** All metrics at one moment. Plain JSON: it can be sent to another process. */
export type Snapshot = { readonly [Name in Metric]?: readonly Sample[] }

/** Samples of a metric without labels. */
export const single = (value: number): Sample[] => [[[], value]]

/** Samples of a metric with one label. */
export const byLabel = (values: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(values).map(([label, value]) => [[label], value])

/** Counts by the value of one label. */
export function createTally() {
  const counts = new Map<string, number>()
  return {
    add: (label: string) => void counts.set(label, (counts.get(label) ?? 0) + 1),
    samples: () => byLabel(Object.fromEntries(counts)),
  }
}

/** Fixed buckets: observing costs a few comparisons and two additions. */
class Histogram {
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

/** One histogram per value of the label. */
export function createHistograms({ bounds }: Pick<Definition, 'bounds'>) {
  const all = new Map<string, Histogram>()
  /** Returns the same histogram for the same label. Hot paths should keep it. */
  function of(label: string): Histogram {
    const histogram = all.get(label) ?? new Histogram(bounds)
    all.set(label, histogram)
    return histogram
  }
  return {
    of,
    observeMs: (label: string, ms: number) => of(label).observe(ms / 1000),
    samples: (): Sample[] => [...all].map(([label, histogram]) => [[label], histogram.distribution()]),
  }
}

const findDefinition = (metric: string): Definition | undefined => definitions[metric as Metric]

/**
 * Merges the snapshots of several workers into one. Metrics without a definition are summed: the primary merges only
 * counters, and it may be older than its workers.
 */
export function mergeSnapshots(snapshots: readonly Snapshot[]): Snapshot {
  const metrics = new Set(snapshots.flatMap((snapshot) => Object.keys(snapshot) as Metric[]))
  const merge = (metric: Metric) =>
    mergeSamples(
      findDefinition(metric)?.merge ?? 'sum',
      snapshots.flatMap((snapshot) => snapshot[metric] ?? []),
    )
  return Object.fromEntries([...metrics].map((metric) => [metric, merge(metric)]))
}

/** Gauges: they are valid only while the worker runs. */
export const pickGauges = (snapshot: Snapshot): Snapshot =>
  Object.fromEntries(Object.entries(snapshot).filter(([metric]) => isGauge(metric)))

/** Counters and histograms: they stay valid after the worker has exited. */
export const pickCounters = (snapshot: Snapshot): Snapshot =>
  Object.fromEntries(
    Object.entries(snapshot)
      .filter(([metric]) => !isGauge(metric))
      .map(([metric, samples]) => [metric, samples.map(([labels, value]): Sample => [labels, roundToParts(value)])]),
  )

const isGauge = (metric: string) => findDefinition(metric)?.type === 'gauge'

/**
 * Seconds are rounded to multiples of 2^-20, about a microsecond. Such numbers add up exactly in any order. Otherwise a
 * sum could fall by its last digit when a worker exits, and Prometheus would read that as a restart.
 */
const PARTS = 2 ** 20
const roundDown = (value: number) => Math.floor(value * PARTS) / PARTS
const roundToParts = (value: Sample[1]): Sample[1] =>
  typeof value === 'number' ? roundDown(value) : { counts: value.counts, sum: roundDown(value.sum) }

type Merge = Definition['merge']

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
  if (typeof a === 'object' && typeof b === 'object')
    return { counts: a.counts.map((count, i) => count + (b.counts[i] ?? 0)), sum: a.sum + b.sum }
  return merge === 'sum' ? Number(a) + Number(b) : Math[merge](Number(a), Number(b))
}

// Renders a snapshot in the text format of Prometheus.

/** Includes metrics without samples, so that operators see all that exist. */
export function renderMetrics(snapshot: Snapshot): string {
  let text = ''
  for (const [metric, definition] of definitionList()) {
    const { name, type, help } = definition
    text += `# HELP ${name} ${escapeText(help)}\n# TYPE ${name} ${type}\n`
    for (const sample of snapshot[metric] ?? []) text += renderSample(definition, sample)
  }
  return text
}

function renderSample({ name, labels: names, bounds }: Definition, [values, value]: Sample): string {
  const labels = names.map((label, i) => `${label}="${escapeText(values[i] ?? '').replaceAll('"', '\\"')}"`)
  if (typeof value === 'number') return `${name}${formatLabels(labels)} ${value}\n`
  return renderBuckets(name, labels, value, bounds)
}

function renderBuckets(
  name: string,
  labels: readonly string[],
  { counts, sum }: Distribution,
  bounds: readonly number[],
): string {
  let cumulative = 0
  let text = ''
  for (const [i, count] of counts.entries()) {
    cumulative += count
    text += `${name}_bucket${formatLabels([...labels, `le="${bounds[i] ?? '+Inf'}"`])} ${cumulative}\n`
  }
  return `${text}${name}_sum${formatLabels(labels)} ${sum}\n${name}_count${formatLabels(labels)} ${cumulative}\n`
}

const formatLabels = (labels: readonly string[]) => (labels.length > 0 ? `{${labels.join(',')}}` : '')

const escapeText = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')

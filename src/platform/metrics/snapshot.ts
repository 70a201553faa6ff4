import { type Definition, definitionList, type Metric } from './definitions.ts'

/** A histogram's counts, one for each bucket and one for what lies above all bounds, and the sum of what was measured. */
export interface Distribution {
  readonly counts: readonly number[]
  readonly sum: number
}

/** The values of the labels in the order of the definition, and what was measured. */
export type Sample = readonly [labels: readonly string[], value: number | Distribution]

/** All numbers at one moment: plain data, which can be sent from one process to another as JSON. */
export type Snapshot = { readonly [Name in Metric]?: readonly Sample[] }

/** The numbers of several processes as if they were one. */
export const merge = (snapshots: readonly Snapshot[]): Snapshot =>
  mergeEach(
    snapshots,
    definitionList().map(([metric, { together }]) => [metric, together]),
  )

/** What lasts of several processes as one. It looks nothing up: whoever adds may know fewer metrics than they do. */
export function addUp(snapshots: readonly Snapshot[]): Snapshot {
  const metrics = new Set(snapshots.flatMap((snapshot) => Object.keys(snapshot) as Metric[]))
  return mergeEach(
    snapshots,
    [...metrics].map((metric) => [metric, 'sum']),
  )
}

/** What only grows: counted things stay counted when the process that counted them has ended. */
export const lasting = (snapshot: Snapshot) =>
  only(
    snapshot,
    ({ type }) => type !== 'gauge',
    ([labels, value]) => [labels, addable(value)],
  )

/** What is true of a process as long as it runs. */
export const momentary = (snapshot: Snapshot) => only(snapshot, ({ type }) => type === 'gauge')

const only = (
  snapshot: Snapshot,
  isWanted: (definition: Definition) => boolean,
  shown = (sample: Sample) => sample,
): Snapshot =>
  Object.fromEntries(
    definitionList()
      .filter(([, definition]) => isWanted(definition))
      .map(([metric]) => [metric, (snapshot[metric] ?? []).map(shown)]),
  )

/**
 * Seconds in whole parts of 2^20, about a microsecond. Such numbers are added exactly, in whatever order: else a sum could
 * fall by its last digit when a process ends, and Prometheus would take that for a new start.
 */
const PARTS = 2 ** 20
const exact = (value: number) => Math.floor(value * PARTS) / PARTS
const addable = (value: Sample[1]): Sample[1] =>
  typeof value === 'number' ? exact(value) : { counts: value.counts, sum: exact(value.sum) }

type Together = Definition['together']

const mergeEach = (snapshots: readonly Snapshot[], metrics: readonly (readonly [Metric, Together])[]): Snapshot =>
  Object.fromEntries(
    metrics.map(([metric, together]) => [
      metric,
      mergeSamples(
        together,
        snapshots.flatMap((snapshot) => snapshot[metric] ?? []),
      ),
    ]),
  )

function mergeSamples(together: Together, samples: readonly Sample[]): Sample[] {
  const merged = new Map<string, Sample>()
  for (const sample of samples) {
    const key = JSON.stringify(sample[0])
    const known = merged.get(key)
    merged.set(key, known ? [sample[0], joined(together, known[1], sample[1])] : sample)
  }
  return [...merged.values()]
}

function joined(together: Together, a: Sample[1], b: Sample[1]): Sample[1] {
  if (typeof a === 'number' && typeof b === 'number') return together === 'sum' ? a + b : Math[together](a, b)
  if (typeof a === 'number' || typeof b === 'number') throw new TypeError('a number cannot be joined to a histogram')
  return { counts: a.counts.map((count, i) => count + (b.counts[i] ?? 0)), sum: a.sum + b.sum }
}

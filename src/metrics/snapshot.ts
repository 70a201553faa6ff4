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
export function merge(snapshots: readonly Snapshot[]): Snapshot {
  return Object.fromEntries(
    definitionList().map(([metric, definition]) => [
      metric,
      mergeSamples(
        definition,
        snapshots.flatMap((snapshot) => snapshot[metric] ?? []),
      ),
    ]),
  )
}

function mergeSamples({ together }: Definition, samples: readonly Sample[]): Sample[] {
  const merged = new Map<string, Sample>()
  for (const sample of samples) {
    const key = JSON.stringify(sample[0])
    const known = merged.get(key)
    merged.set(key, known ? [sample[0], joined(together, known[1], sample[1])] : sample)
  }
  return [...merged.values()]
}

function joined(together: Definition['together'], a: Sample[1], b: Sample[1]): Sample[1] {
  if (typeof a === 'number' && typeof b === 'number') return together === 'sum' ? a + b : Math[together](a, b)
  if (typeof a === 'number' || typeof b === 'number') throw new TypeError('a number cannot be joined to a histogram')
  return { counts: a.counts.map((count, i) => count + (b.counts[i] ?? 0)), sum: a.sum + b.sum }
}

import type { Sample } from './snapshot.ts'

export interface Tally {
  add(...labels: string[]): void
  samples(): Sample[]
}

/** Counts by labels. Each call looks its labels up, so it is not for what happens at every request. */
export function createTally(): Tally {
  const counts = new Map<string, { readonly labels: string[]; count: number }>()
  return {
    add(...labels) {
      const key = labels.join('\0')
      const known = counts.get(key)
      if (known) known.count++
      else counts.set(key, { labels, count: 1 })
    },
    samples: () => [...counts.values()].map(({ labels, count }) => [labels, count]),
  }
}

/** Measures into slots that are there already: a request costs a few comparisons and two additions. */
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
    let slot = 0
    while (slot < bounds.length && value > bounds[slot]!) slot++
    this.#counts[slot]!++
    this.#sum += value
  }

  distribution() {
    return { counts: [...this.#counts], sum: this.#sum }
  }
}

export interface Histograms {
  /** The same one for the same label; keep it where it is used often. */
  of(label: string): Histogram
  samples(): Sample[]
}

/** One histogram for each value of a label. */
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

// How a metric is defined: as data that the exposition, the documents and the tests read.

export interface Definition {
  /** As Prometheus knows it, in base units: seconds, bytes. */
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  /** How the values of several processes become one; counters and histograms are always summed. */
  readonly together: 'sum' | 'max' | 'min'
  /** Upper bounds of a histogram's buckets, rising; what lies above all of them is counted, too. */
  readonly bounds: readonly number[]
}

export const counter = (name: string, help: string, ...labels: string[]): Definition => ({
  name,
  type: 'counter',
  help,
  labels,
  together: 'sum',
  bounds: [],
})

/** What each process has of its own, so that the sum is what the machine has. */
export const gauge = (name: string, help: string, ...labels: string[]): Definition => ({
  ...counter(name, help, ...labels),
  type: 'gauge',
})

/** What all processes see alike: their sum would count it several times. */
export const common = (together: 'max' | 'min', name: string, help: string, ...labels: string[]): Definition => ({
  ...gauge(name, help, ...labels),
  together,
})

export const histogram = (bounds: readonly number[], name: string, help: string, ...labels: string[]): Definition => ({
  ...counter(name, help, ...labels),
  type: 'histogram',
  bounds,
})

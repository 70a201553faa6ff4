// The numbers of the service: what there is, how it is counted, put together over processes, and written for Prometheus.
export { type Definition, definitionList, definitions, type Metric } from './definitions.ts'
export { type EventLoopWatch, type Lag, watchEventLoop } from './event-loop.ts'
export { createHistograms, createTally, type Histogram, type Histograms, type Tally } from './instruments.ts'
export { type Format, formats, render } from './render.ts'
export { byLabel, type RuntimeWatch, single, watchRuntime } from './runtime.ts'
export { addUp, type Distribution, lasting, merge, momentary, type Sample, type Snapshot } from './snapshot.ts'

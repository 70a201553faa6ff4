// The metrics of the service: their list, how they are counted, merged over processes, kept as history, and rendered.
export { type Definition, definitionList, definitions, type Metric } from './definitions.ts'
export {
  addProcesses,
  countByGroup,
  createHistory,
  estimateDuration,
  type History,
  MAX_SHOWN_SLOTS,
  type SampledCounters,
  type Slot,
  type SlotGauges,
  slotGauges,
  slotSeconds,
} from './history.ts'
export { type Format, formats, renderMetrics } from './render.ts'
export {
  createProcessGauges,
  createRuntimeMetrics,
  type EventLoopMonitor,
  type Lag,
  monitorEventLoop,
  type RuntimeMetrics,
} from './runtime.ts'
export {
  addCounters,
  byLabel,
  createHistograms,
  createTally,
  type Distribution,
  type Histogram,
  type Histograms,
  mergeSnapshots,
  pickCounters,
  pickGauges,
  type Sample,
  type Snapshot,
  single,
  type Tally,
} from './snapshot.ts'

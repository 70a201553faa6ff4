// The metrics of the service: their list, how they are counted, merged over processes, kept as history, and rendered.
export { definitionList, definitions } from './definitions.ts'
export {
  addProcesses,
  countByGroup,
  createHistory,
  estimateDuration,
  type History,
  MAX_SHOWN_SLOTS,
  type Slot,
  type SlotGauges,
  slotGauges,
  slotSeconds,
} from './history.ts'
export { formats, renderMetrics } from './render.ts'
export { createProcessGauges, createRuntimeMetrics, type EventLoopMonitor, monitorEventLoop } from './runtime.ts'
export {
  byLabel,
  createHistograms,
  createTally,
  mergeSnapshots,
  pickCounters,
  pickGauges,
  type Sample,
  type Snapshot,
  single,
} from './snapshot.ts'

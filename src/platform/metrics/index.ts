// The metrics of the service: their list, how they are counted, merged over workers, kept as history, and rendered.
export { definitionList, definitions } from './definitions.ts'
export * from './history.ts'
export { createProcessGauges, createRuntimeMetrics, type EventLoopMonitor, monitorEventLoop } from './runtime.ts'
export * from './snapshot.ts'

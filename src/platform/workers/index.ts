// Several processes as one service: the primary supervises, the workers serve.

export { COUNTERS, type ShutdownOptions } from './messages.ts'
export { type SupervisorOptions, supervise } from './supervisor.ts'
export { connectToPrimary, isWorker, singleProcess, type WorkerContext } from './worker.ts'

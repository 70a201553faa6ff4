// Several processes as one service: the primary supervises, the workers serve.
export type { ShutdownOptions } from './messages.ts'
export { relaxGc } from './node-internals.ts'
export { type Supervisor, type SupervisorOptions, supervise, WorkersFailed } from './supervisor.ts'
export { type ConnectedWorker, connectToPrimary, isWorker, singleProcess, type WorkerContext } from './worker.ts'

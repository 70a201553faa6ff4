export { isWorker, type Joined, joinPrimary } from './joined.ts'
export { alone, type Member } from './member.ts'
export type { ShutdownOptions as Farewell } from './messages.ts'
export { GivenUp, type Supervisor, type SupervisorOptions, supervise } from './supervisor.ts'

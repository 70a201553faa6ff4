export { createFairQueue, type FairQueueOptions, SMALL_SHARE } from './fair-queue.ts'
export { createFairSemaphore, type FairSemaphore } from './fair-semaphore.ts'
export { createProcessPool, type ProcessPoolOptions } from './process-pool.ts'
export { QUICK_MS, type QueuedJob, serveTasks, TaskKilled, type TaskLimits, type TaskOptions } from './serve-tasks.ts'
export {
  cacheByText,
  createFairSingleFlight,
  createPendingCalls,
  createSerialRun,
  createSharedRun,
  measureThreadMs,
  succeeds,
  withTimeout,
} from './single-flight.ts'
export { countBuffersAsHeap, createCollector } from './start-program.ts'
export { createThreadTurns } from './thread-turns.ts'

export * from './fair-queue.ts'
export { createFairSemaphore, type FairSemaphore } from './fair-semaphore.ts'
export * from './single-flight.ts'
export * from './with-timeout.ts'

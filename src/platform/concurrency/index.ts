export * from './fair-queue.ts'
export * from './single-flight.ts'
export * from './slots.ts'
export * from './with-timeout.ts'

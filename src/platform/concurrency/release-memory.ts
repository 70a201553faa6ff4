// Uses a flag of V8 that is not part of its API. Without it, memory is released at some later garbage collection.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A collection pauses the service for 20 to 50 ms. */
const MIN_INTERVAL_MS = 60_000

type CollectGarbage = (options: { type: 'major'; flavor: 'last-resort' }) => void

export function findCollector(): CollectGarbage | undefined {
  try {
    setFlagsFromString('--expose-gc')
    return runInNewContext('gc') as CollectGarbage
  } catch {
    return undefined
  }
}

/** Collects garbage for a service that became idle: V8 would do it at its next allocations, which may be hours later. */
export function createMemoryRelease(collect = findCollector()) {
  let collectedAt = Number.NEGATIVE_INFINITY
  return (): void => {
    if (performance.now() - collectedAt < MIN_INTERVAL_MS) return
    collectedAt = performance.now()
    collect?.({ type: 'major', flavor: 'last-resort' })
  }
}

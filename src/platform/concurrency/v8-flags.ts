// Flags of V8 that are not part of its API. Without them, memory is released later and collections pause more often.
import process from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'major'; flavor: 'last-resort' }) => void

/** Collects all garbage now: V8 would do it at its next allocations, which may be hours later. Pauses for 20 to 50 ms. */
export function createCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('globalThis.gc') as Collect | undefined
  return () => collect?.({ type: 'major', flavor: 'last-resort' })
}

/** Later versions do it by default. */
const LAST_V8_TO_SET = 14

/**
 * Makes V8 count buffers as part of its heap. Otherwise it marks all of the heap whenever 64 MB of buffers were
 * allocated, although most are garbage that a short collection finds (nodejs/node#61967): under a load of filters twice
 * per second, for 10 ms each time.
 */
export function countBuffersAsHeap(): void {
  if (Number.parseInt(process.versions.v8, 10) > LAST_V8_TO_SET) return
  setFlagsFromString('--external-memory-accounted-in-global-limit')
}

import { SMALL_SHARE } from '../../platform/concurrency/index.ts'
import { imagesDefaults } from './images.ts'

/** A process with all services open, the pictures it keeps, and what is known of sources. */
const PROCESS_BYTES = 250 * 2 ** 20
/** What the hungriest encoder (AVIF with alpha) was seen to take with all that lies around it. */
const BYTES_A_PIXEL = 41
/** A picture that arrives is in its buffer and in the larger one that it moves to, or on the wire and decoded. */
const COPIES = 2
/** Results, and half of it again for their sources. */
const CACHES = 1.5
/** Its connection and its head, of which the URL is a part; nothing is fetched for a request before its turn. */
const WAITING_BYTES = 32 * 2 ** 10

interface Limits {
  readonly maxBytes: number
  readonly maxPixels: number
  readonly cacheBytes: number
  readonly waiting: number
  readonly workers: number
}

/**
 * The memory that the service takes at its worst, whatever callers do: pictures that arrive, are worked on, and are
 * kept. Caches, jobs and the queue are divided among the workers; docs/security.md quotes this.
 */
export function memoryAtWorst({ maxBytes, maxPixels, cacheBytes, waiting, workers }: Limits): number {
  const jobs = Math.max(1, Math.floor(imagesDefaults.queue.jobs / workers))
  const ofOne = PROCESS_BYTES + BYTES_A_PIXEL * (1 + SMALL_SHARE) * maxPixels + jobs * COPIES * maxBytes
  return workers * ofOne + CACHES * cacheBytes + WAITING_BYTES * waiting
}

import { SMALL_SHARE } from '../../platform/concurrency/index.ts'
import { BYTES_PER_PIXEL } from './formats.ts'
import { imagesDefaults } from './images.ts'

/** One process with all services open, their caches of pictures, and the records of sources. */
const PROCESS_BYTES = 250 * 2 ** 20
/** While a source arrives, there is its buffer and the larger one it moves to, or its compressed and decompressed bytes. */
const COPIES_PER_SOURCE = 2
/** The result cache, and half as much for the source cache. */
const CACHE_FACTOR = 1.5
/** A connection and its request headers. Nothing is fetched for a request that waits. */
const BYTES_PER_WAITING_REQUEST = 32 * 2 ** 10

/** The budget of replies that clients have not read yet; see http/kernel/reply-budget.ts. */
const UNREAD_REPLY_BYTES = 128 * 2 ** 20
/** A process that decodes, beside the memory for pixels. */
const DECODER_BYTES = 128 * 2 ** 20

interface Limits {
  readonly maxBytes: number
  readonly maxPixels: number
  readonly cacheBytes: number
  readonly waiting: number
  readonly workers: number
  /** Each runs one decoder, and each worker process one more. */
  readonly cores: number
}

/**
 * Computes the most memory that the service takes, whatever clients do. Caches, jobs and the queue are divided among the
 * worker processes. docs/security.md quotes this.
 */
export function computeMemoryBound({ maxBytes, maxPixels, cacheBytes, waiting, workers, cores }: Limits): number {
  const jobs = Math.max(1, Math.floor(imagesDefaults.queue.jobs / workers))
  const pixelBytes = BYTES_PER_PIXEL * (1 + SMALL_SHARE) * maxPixels
  const perWorker = PROCESS_BYTES + UNREAD_REPLY_BYTES + pixelBytes + jobs * COPIES_PER_SOURCE * maxBytes
  const decoders = Math.max(cores, workers) + workers
  return (
    workers * perWorker + decoders * DECODER_BYTES + CACHE_FACTOR * cacheBytes + BYTES_PER_WAITING_REQUEST * waiting
  )
}

import { SMALL_SHARE } from './engine/line.ts'
import { imagesDefaults } from './images.ts'

/** What the hungriest encoder (AVIF with alpha) was seen to take with all that lies around it. */
const BYTES_A_PIXEL = 41
/** The process itself, with what is known of sources. */
const FIXED_BYTES = 200 * 2 ** 20

interface Limits {
  readonly maxBytes: number
  readonly maxPixels: number
  readonly cacheBytes: number
}

/** The memory that filters take at their worst, whatever callers do: pictures that arrive, are worked on, and are kept. */
export const memoryAtWorst = ({ maxBytes, maxPixels, cacheBytes }: Limits): number =>
  FIXED_BYTES +
  imagesDefaults.queue.jobs * 2 * maxBytes +
  BYTES_A_PIXEL * (1 + SMALL_SHARE) * maxPixels +
  1.5 * cacheBytes

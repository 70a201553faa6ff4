import { LRUCache } from 'lru-cache'
import { type AnimalKind, draw, SIZE } from '../../../packages/artist/src/index.ts'
import { createFairSemaphore } from '../../platform/concurrency/index.ts'
import { type PixelFormat, render } from './render-drawing.ts'

export type PictureFormat = 'svg' | PixelFormat

export interface StudioOptions {
  /** Bytes of finished pictures that are kept. */
  maxBytes: number
  /** Renderings at a time. */
  concurrency: number
  /** Renderings that may wait for their turn; those beyond are refused. */
  queue?: number
}

export interface Studio {
  /** The buffer is shared with other callers: do not write to it. */
  picture(kind: AnimalKind, seed: string, format: PictureFormat, size?: number): Promise<Buffer>
}

/** Sides in pixels; 1024 keeps one rendering at 4 MB of pixels. */
export const pictureSizes = { min: 16, max: 1024, default: SIZE } as const

const WAIT_TIMEOUT_MS = 30_000

const isPictureSize = (size: number) => Number.isInteger(size) && size >= pictureSizes.min && size <= pictureSizes.max

export function createStudio({ maxBytes, concurrency, queue = 64 }: StudioOptions): Studio {
  // A key may be as long as a URL, so it counts too.
  const finished = new LRUCache<string, Buffer>({
    maxSize: maxBytes,
    sizeCalculation: (bytes, key) => bytes.length + key.length,
  })
  const underWay = new Map<string, Promise<Buffer>>()
  const semaphore = createFairSemaphore({
    maxRunning: concurrency,
    maxRunningPerKey: concurrency,
    maxWaiting: queue,
    waitTimeoutMs: WAIT_TIMEOUT_MS,
    computeRetryAfter: () => 1,
  })
  const renderInTurn = async (svg: string, format: PixelFormat, size: number) => {
    using _slot = await semaphore.acquire('')
    return await render(svg, format, size)
  }

  return {
    async picture(kind, seed, format, size = pictureSizes.default) {
      if (format === 'svg') return Buffer.from(draw(kind, seed))
      if (!isPictureSize(size))
        throw new RangeError(`A picture's size is a whole number from ${pictureSizes.min} to ${pictureSizes.max}.`)
      const key = `${kind}/${format}/${size}/${seed}`
      const known = finished.get(key) ?? underWay.get(key)
      if (known) return known
      const rendering = renderInTurn(draw(kind, seed), format, size)
        .then((bytes) => {
          finished.set(key, bytes)
          return bytes
        })
        .finally(() => underWay.delete(key))
      underWay.set(key, rendering)
      return rendering
    },
  }
}

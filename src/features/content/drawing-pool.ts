import type { DrawingType } from './drawings.ts'
import { createSeed, type Random } from './random.ts'

/** Rendering takes about 33 ms of CPU time, so filling the pool uses less than a tenth of a core. */
const RENDER_INTERVAL_MS = 500
/** Under load the CPU is needed for replies, and most requests find the pool empty anyway. */
const BUSY_RENDER_INTERVAL_MS = 10_000
/** More requests than this that found the pool empty count as load. */
const BUSY_MISSES = 100
export const POOL_TYPE: DrawingType = 'webp'

/** Renders a drawing into the cache and returns its size in bytes. */
export type RenderDrawing = (kind: string, file: string) => Promise<number>

export type DrawingPool = ReturnType<typeof createDrawingPool>

interface PooledDrawing {
  seed: string
  /** In bytes. */
  size: number
}

interface Options {
  /** Drawings per kind; 0: no pool. */
  sizePerKind: number
  /** The kinds that have drawings now. */
  kinds(): string[]
  render: RenderDrawing
  random: Random
}

/**
 * A few rendered drawings of each kind that nobody has received yet: their size in bytes is known, and following their
 * link is fast. Each is handed out once. When the pool is empty, a drawing is rendered when it is requested. The first
 * request starts the filling: filling at the start would delay the start of all workers of a node.
 */
export function createDrawingPool({ sizePerKind, kinds, render, random }: Options) {
  const drawings = new Map<string, PooledDrawing[]>()
  let timer: NodeJS.Timeout | undefined
  let isRendering = false
  /** Requests since the last rendering that found the pool empty. */
  let misses = 0
  let isClosed = false

  function scheduleRendering(): void {
    if (isClosed || timer || isRendering || sizePerKind === 0) return
    const delay = misses > BUSY_MISSES ? BUSY_RENDER_INTERVAL_MS : RENDER_INTERVAL_MS
    misses = 0
    timer = setTimeout(async () => {
      timer = undefined
      if (await renderOne()) scheduleRendering()
    }, delay)
    timer.unref()
  }

  /** Renders a drawing of the kind that has fewest; false if the pool is full. */
  async function renderOne(): Promise<boolean> {
    const count = (kind: string) => drawings.get(kind)?.length ?? 0
    const kind = kinds().toSorted((a, b) => count(a) - count(b))[0]
    if (isClosed || isRendering || kind === undefined || count(kind) >= sizePerKind) return false
    isRendering = true
    try {
      const seed = createSeed(random)
      const size = await render(kind, `~${seed}.${POOL_TYPE}`)
      drawings.set(kind, [...(drawings.get(kind) ?? []), { seed, size }])
      return true
    } catch {
      // Requests for drawings report the error.
      return false
    } finally {
      isRendering = false
    }
  }

  return {
    take(kind: string): PooledDrawing | undefined {
      const drawing = drawings.get(kind)?.pop()
      if (!drawing) misses++
      scheduleRendering()
      return drawing
    },
    close(): void {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

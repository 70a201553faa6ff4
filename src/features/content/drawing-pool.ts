import { Busy } from '../../errors/index.ts'
import { succeeds, withTimeout } from '../../platform/concurrency/index.ts'
import { Drawing, type DrawingSource } from './drawings.ts'
import type { PictureType } from './kinds.ts'
import { createSeed, type Random, randomBelow, shuffleIndexes } from './random.ts'
import type { PictureItem } from './types.ts'

/** The type that is rendered in advance. */
const POOL_TYPE: PictureType = 'webp'
/** Rendering takes about 33 ms of CPU time: filling uses a quarter of a core, replacing less than a tenth. */
const FILL_INTERVAL_MS = 100
const REPLACE_INTERVAL_MS = 500
const RETRY_INTERVAL_MS = 1000
/** Four requests fill a pool. A crawler that requests each kind once does not have all drawings rendered. */
const DRAWINGS_PER_PICK = 16
/** Above this rate the CPU is needed for replies, and drawings are rendered less often. */
const BUSY_PICKS_PER_SECOND = 1000
const BUSY_FACTOR = 10
/** How long a request waits for a drawing that is not rendered yet. Soon after the start there are none. */
const MAX_WAIT_MS = 3000

export type DrawingPool = ReturnType<typeof createDrawingPool>

interface Options extends DrawingSource {
  /** Drawings per kind; 0: no pool. */
  readonly sizePerKind: number
  /** Renders a drawing, keeps it in memory until `unpin`, and returns its size in bytes. */
  readonly pin: (kind: string, file: string) => Promise<number>
  readonly unpin: (kind: string, file: string) => void
  readonly random: Random
}

/** A drawing of the pool. If it cannot be rendered soon, it becomes an SVG, which needs no image process. */
class PooledDrawing extends Drawing {
  readonly #getSvg: () => Drawing

  constructor(source: DrawingSource, kind: string, seed: string, getSvg: () => Drawing) {
    super(source, kind, { seed, type: POOL_TYPE })
    this.#getSvg = getSvg
  }

  override complete(): Promise<PictureItem> {
    return super.complete().catch(() => this.#getSvg().complete())
  }
}

/** One seed of the pool. Its drawing exists once for each type, so it is described and measured once. */
function createPooledSeed(kind: string, seed: string, { artist, render, pin }: Options) {
  const drawings = new Map<PictureType, Drawing>()
  let rendered = Promise.withResolvers<number>()
  const wait = () =>
    withTimeout(MAX_WAIT_MS, rendered.promise, () => {
      throw new Busy(1)
    })

  function get(type: PictureType): Drawing {
    const existing = drawings.get(type)
    if (existing) return existing
    const drawing =
      type === POOL_TYPE
        ? new PooledDrawing({ artist, render: wait }, kind, seed, () => get('svg'))
        : new Drawing({ artist, render }, kind, { seed, type })
    drawings.set(type, drawing)
    return drawing
  }

  return {
    get,
    async render(): Promise<void> {
      const drawing = get(POOL_TYPE)
      const { resolve, reject } = rendered
      try {
        drawing.size = await pin(kind, drawing.file)
        // Takes milliseconds, which would count as time that the client used whose reply shows the drawing first.
        await drawing.complete()
        resolve(drawing.size)
      } catch (error) {
        // Waiting requests get the SVG.
        rendered.promise.catch(() => {})
        reject(error)
        rendered = Promise.withResolvers()
        throw error
      }
    },
  }
}

interface KindPool {
  /** Oldest first. */
  readonly seeds: ReturnType<typeof createPooledSeed>[]
  /** Number of seeds that are rendered. They are the first of `seeds`. */
  rendered: number
  /** Number of seeds to render without waiting for further requests. */
  wanted: number
  /** Number of drawings that requests wait for. */
  awaited: number
  /** Number of picks since the last replacement. */
  picks: number
}

/**
 * Rendered drawings of each kind: everything about them is known, and their links are served at once. Any number of
 * requests can be answered with them, and while there are requests, the oldest ones are replaced. The first request for
 * a kind starts the filling: at the start of the service it would delay the start of all workers.
 */
export function createDrawingPool(options: Options) {
  const { sizePerKind, unpin, random } = options
  const kinds = new Map<string, KindPool>()
  let timer: NodeJS.Timeout | undefined
  let isRendering = false
  let picks = 0
  let countedAt = performance.now()
  let isBusy = false
  let isClosed = false

  const createPooled = (kind: string) => createPooledSeed(kind, createSeed(random), options)

  function openKind(kind: string): KindPool {
    const existing = kinds.get(kind)
    if (existing) return existing
    const seeds = Array.from({ length: sizePerKind }, () => createPooled(kind))
    const opened = { seeds, rendered: 0, wanted: 0, awaited: 0, picks: 0 }
    kinds.set(kind, opened)
    return opened
  }

  /** What to render next: what requests wait for, then what is missing, then replacements. */
  function chooseNext(): { kind: string; pool: KindPool; delay: number } | undefined {
    const all = [...kinds].map(([kind, pool]) => ({ kind, pool }))
    const byNumber = all.toSorted((a, b) => a.pool.rendered - b.pool.rendered)
    const awaited = byNumber.find(({ pool }) => pool.rendered < pool.awaited)
    if (awaited) return { ...awaited, delay: 0 }
    const missing = byNumber.find(({ pool }) => pool.rendered < pool.wanted)
    if (missing) return { ...missing, delay: FILL_INTERVAL_MS }
    const full = all.filter(({ pool }) => pool.rendered === sizePerKind)
    const [picked] = full.toSorted((a, b) => b.pool.picks - a.pool.picks)
    return picked && picked.pool.picks > 0 ? { ...picked, delay: REPLACE_INTERVAL_MS } : undefined
  }

  function countPick(pool: KindPool): void {
    picks++
    pool.picks++
    pool.wanted = Math.min(sizePerKind, pool.wanted + DRAWINGS_PER_PICK)
  }

  function scheduleRendering({ isUrgent = false, minDelay = 0 } = {}): void {
    if (isClosed || isRendering || (timer && !isUrgent)) return
    const next = chooseNext()
    if (!next) return
    clearTimeout(timer)
    timer = setTimeout(renderNext, Math.max(next.delay * (isBusy ? BUSY_FACTOR : 1), minDelay)).unref()
  }

  async function renderNext(): Promise<void> {
    timer = undefined
    const next = chooseNext()
    if (!next) return
    const now = performance.now()
    isBusy = (picks * 1000) / (now - countedAt) > BUSY_PICKS_PER_SECOND
    picks = 0
    countedAt = now
    isRendering = true
    const hasRendered = await succeeds(renderOne(next.kind, next.pool))
    isRendering = false
    // Requests for drawings report the error.
    scheduleRendering({ minDelay: hasRendered ? 0 : RETRY_INTERVAL_MS })
  }

  async function renderOne(kind: string, pool: KindPool): Promise<void> {
    if (pool.rendered < sizePerKind) {
      await pool.seeds[pool.rendered]!.render()
      pool.rendered++
      return
    }
    pool.picks = 0
    const added = createPooled(kind)
    await added.render()
    pool.seeds.push(added)
    unpin(kind, pool.seeds.shift()!.get(POOL_TYPE).file)
  }

  return {
    /** A rendered drawing, if there is one: most requests want nothing else, and this is much faster than `items`. */
    pick(kind: string, random: Random): PictureItem | undefined {
      const pool = kinds.get(kind)
      if (!pool?.rendered) return undefined
      countPick(pool)
      scheduleRendering()
      return pool.seeds[randomBelow(pool.rendered, random)]!.get(POOL_TYPE)
    },
    /** Different drawings of one kind. */
    *items(kind: string, type: PictureType, random: Random): Generator<PictureItem, void> {
      if (sizePerKind === 0) return
      const pool = openKind(kind)
      countPick(pool)
      // Other types are rendered on request, so any seed will do.
      const usable = type === POOL_TYPE ? pool.rendered : sizePerKind
      scheduleRendering()
      for (const index of shuffleIndexes(usable, random)) yield pool.seeds[index]!.get(type)
      for (const [index, seed] of pool.seeds.slice(usable).entries()) {
        const isUrgent = pool.awaited <= usable + index
        if (isUrgent) pool.awaited = usable + index + 1
        scheduleRendering({ isUrgent })
        yield seed.get(type)
      }
    },
    close(): void {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

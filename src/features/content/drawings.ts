import { SIZE } from '../../../packages/artist/src/index.ts'
import { completeCredit, type PictureCredit } from './credits.ts'
import { type DrawingPool, POOL_TYPE, type RenderDrawing } from './drawing-pool.ts'
import type { PictureType } from './kinds.ts'
import { createSeed, type Random } from './random.ts'
import type { Artist, Collection, PickOptions, PictureItem } from './types.ts'

/** The first type that the options allow is used. */
export const drawingTypes = ['webp', 'png', 'svg'] as const
export type DrawingType = (typeof drawingTypes)[number]

/** The drawing depends only on a hash of the seed, so any text is safe. The length bounds the keys of the cache. */
const DRAWING_NAME = /^~(\P{Cc}{1,200})\.(webp|png|svg)$/u

/** The seed and type in the file name of a drawing. Every such name is a valid picture forever. */
export function parseDrawingName(file: string): { seed: string; type: DrawingType } | undefined {
  const [, seed, type] = DRAWING_NAME.exec(file) ?? []
  return seed && type ? { seed, type: type as DrawingType } : undefined
}

const DRAWING_CREDIT = { author: 'Menagerie', license: 'CC0-1.0' }

/** Returns a function that is true for `maxCalls` calls per time window. */
function createLimiter(maxCalls: number, windowMs: number): () => boolean {
  let startedAt = Number.NEGATIVE_INFINITY
  let calls = 0
  return () => {
    // Not the wall clock: after it was set back, the window would not end.
    const now = performance.now()
    if (now - startedAt >= windowMs) {
      startedAt = now
      calls = 0
    }
    return calls++ < maxCalls
  }
}

/** What the drawings of all kinds share. */
export const createDrawingSource = (artist: Artist, pool: DrawingPool, render: RenderDrawing) => ({
  artist,
  pool,
  render,
  /** A description takes as long as a whole request. Above the limit, the name of the kind is the description. */
  canDescribe: createLimiter(64, 250),
  /** At most 8 drawings per second are rendered only to know their size: about a quarter of a core. */
  canMeasure: createLimiter(8, 1000),
})
export type DrawingSource = ReturnType<typeof createDrawingSource>

/** The drawings of one kind: one for each seed. */
export class Drawings implements Collection<PictureItem> {
  readonly count = 0
  readonly types: ReadonlyMap<PictureType, number> = new Map()
  readonly kind: string
  readonly source: DrawingSource
  /** The credit of drawings without a description. */
  readonly plainCredit: PictureCredit

  constructor(kind: string, source: DrawingSource) {
    this.kind = kind
    this.source = source
    this.plainCredit = completeCredit(kind, DRAWING_CREDIT)
  }

  pick({ types, exclude, seed }: PickOptions, random: Random): PictureItem | undefined {
    const type = drawingTypes.find((type) => (types?.includes(type) ?? true) && !exclude?.includes(type))
    if (!type) return undefined
    const isSeeded = seed !== undefined
    const pooled = !isSeeded && type === POOL_TYPE ? this.source.pool.take(this.kind) : undefined
    return new Drawing(this, type, pooled?.seed ?? createSeed(random), pooled?.size ?? null, isSeeded)
  }

  // Seeds have 64 bits: duplicates are practically impossible.
  *items(options: PickOptions, random: Random): Generator<PictureItem, void> {
    for (let item = this.pick(options, random); item; item = this.pick(options, random)) yield item
  }
}

class Drawing implements PictureItem {
  readonly kind: string
  readonly type: DrawingType
  readonly id: string
  readonly file: string
  readonly width = SIZE
  readonly height = SIZE
  size: number | null
  readonly #drawings: Drawings
  readonly #seed: string
  readonly #isSeeded: boolean

  constructor(drawings: Drawings, type: DrawingType, seed: string, size: number | null, isSeeded: boolean) {
    this.kind = drawings.kind
    this.type = type
    this.id = `~${seed}`
    this.file = `~${seed}.${type}`
    this.size = size
    this.#drawings = drawings
    this.#seed = seed
    this.#isSeeded = isSeeded
  }

  credit(): PictureCredit {
    const { kind, source, plainCredit } = this.#drawings
    // A request with a seed must always get the same reply.
    if (!this.#isSeeded && !source.canDescribe()) return plainCredit
    const { alt, tags } = source.artist.describe(kind, this.#seed)
    return completeCredit(kind, { ...DRAWING_CREDIT, alt, tags })
  }

  async measure(): Promise<void> {
    const { kind, source } = this.#drawings
    if (this.size !== null || !source.canMeasure()) return
    // If rendering fails, a request for the drawing reports the error.
    this.size = await source.render(kind, this.file).catch(() => null)
  }
}

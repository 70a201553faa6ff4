import { NothingMatches } from '../../errors/index.ts'
import { completeCredit, type PictureCredit } from './credits.ts'
import { type DrawingPool, POOL_TYPE } from './drawing-pool.ts'
import type { PictureType } from './kinds.ts'
import { createSeed, type Random } from './random.ts'
import type { Artist, Collection, PickOptions, PictureItem } from './types.ts'

/** Pixels per side. */
export const DRAWING_SIZE = 512

/** The first type that the options allow is used. */
const drawingTypes = ['webp', 'png', 'svg'] as const
export type DrawingType = (typeof drawingTypes)[number]

const DRAWING_NAME = /^~([A-Za-z0-9_-]{1,64})\.(webp|png|svg)$/

/** The seed and type in the file name of a drawing. Every such name is a valid picture forever. */
export function parseDrawingName(file: string): { seed: string; type: DrawingType } | undefined {
  const [, seed, type] = DRAWING_NAME.exec(file) ?? []
  return seed && type ? { seed, type: type as DrawingType } : undefined
}

const DRAWING_CREDIT = { author: 'Menagerie', license: 'CC0-1.0' }

/** Allows a number of calls per time window. */
class WindowLimiter {
  readonly #maxCalls: number
  readonly #windowMs: number
  #startedAt = Number.NEGATIVE_INFINITY
  #calls = 0

  constructor(maxCalls: number, windowMs: number) {
    this.#maxCalls = maxCalls
    this.#windowMs = windowMs
  }

  tryCall(): boolean {
    // Not the wall clock: after it was set back, the window would not end.
    const now = performance.now()
    if (now - this.#startedAt >= this.#windowMs) {
      this.#startedAt = now
      this.#calls = 0
    }
    return this.#calls++ < this.#maxCalls
  }
}

interface Options {
  artist: Artist
  /** Renders a drawing into the cache and returns its size in bytes. */
  render(kind: string, file: string): Promise<number>
  pool: DrawingPool
}

/** What drawings of all kinds share. */
export class DrawingSource {
  readonly artist: Artist
  readonly pool: DrawingPool
  readonly #render: Options['render']
  /** A description takes as long as a whole request. Above the limit, the name of the kind is the description. */
  readonly #descriptions = new WindowLimiter(64, 250)
  /** Rendering takes about 50 ms of CPU time: so many drawings per second are rendered only to know their size. */
  readonly #measurements = new WindowLimiter(8, 1000)

  constructor({ artist, render, pool }: Options) {
    this.artist = artist
    this.pool = pool
    this.#render = render
  }

  /** The size in bytes; null above the limit or if rendering fails. A request for the drawing reports the error. */
  async measure(kind: string, file: string): Promise<number | null> {
    return this.#measurements.tryCall() ? this.#render(kind, file).catch(() => null) : null
  }

  /** Undefined above the limit, unless the description is required. */
  describe(kind: string, seed: string, isRequired: boolean): string | undefined {
    return isRequired || this.#descriptions.tryCall() ? this.artist.describe(kind, seed) : undefined
  }
}

/** The drawings of one kind: one for each seed. */
export class Drawings implements Collection<PictureItem> {
  readonly count = 0
  readonly types: ReadonlyMap<PictureType, number> = new Map()
  readonly kind: string
  readonly #source: DrawingSource
  readonly #plainCredit: PictureCredit

  constructor(kind: string, source: DrawingSource) {
    this.kind = kind
    this.#source = source
    this.#plainCredit = completeCredit(kind, DRAWING_CREDIT)
  }

  pick({ types, exclude, seed }: PickOptions, random: Random): PictureItem {
    const type = drawingTypes.find((type) => (types?.includes(type) ?? true) && !exclude?.includes(type))
    if (!type) throw new NothingMatches([...drawingTypes])
    const isSeeded = seed !== undefined
    const pooled = !isSeeded && type === POOL_TYPE ? this.#source.pool.take(this.kind) : undefined
    return new Drawing(this, type, pooled?.seed ?? createSeed(random), pooled?.size ?? null, isSeeded)
  }

  // Seeds have 64 bits: duplicates are practically impossible.
  pickMany(count: number, options: PickOptions, random: Random): PictureItem[] {
    return Array.from({ length: count }, () => this.pick(options, random))
  }

  measure(file: string): Promise<number | null> {
    return this.#source.measure(this.kind, file)
  }

  creditOf(seed: string, isRequired: boolean): PictureCredit {
    const alt = this.#source.describe(this.kind, seed, isRequired)
    return alt === undefined ? this.#plainCredit : completeCredit(this.kind, { ...DRAWING_CREDIT, alt })
  }
}

class Drawing implements PictureItem {
  readonly type: DrawingType
  readonly width = DRAWING_SIZE
  readonly height = DRAWING_SIZE
  readonly #drawings: Drawings
  readonly #seed: string
  #size: number | null
  /** The same request must always get the same reply. */
  readonly #isSeeded: boolean

  constructor(drawings: Drawings, type: DrawingType, seed: string, size: number | null, isSeeded: boolean) {
    this.type = type
    this.#drawings = drawings
    this.#seed = seed
    this.#size = size
    this.#isSeeded = isSeeded
  }

  get kind() {
    return this.#drawings.kind
  }

  get id() {
    return `~${this.#seed}`
  }

  get file() {
    return `~${this.#seed}.${this.type}`
  }

  get size() {
    return this.#size
  }

  async measure() {
    this.#size ??= await this.#drawings.measure(this.file)
  }

  credit() {
    return this.#drawings.creditOf(this.#seed, this.#isSeeded)
  }
}

import Type from 'typebox'
import { type DrawOptions, EDITION, MAX_SIZE, MIN_SIZE, SIZE } from '../../../packages/artist/src/index.ts'
import { completeCredit, type PictureCredit } from './credits.ts'
import type { DrawingPool } from './drawing-pool.ts'
import type { SeedFinder } from './find-seeds.ts'
import type { PictureType } from './kinds.ts'
import type { Random } from './random.ts'
import type { Artist, Available, Collection, PickOptions, PictureItem } from './types.ts'

/** Picks use the first type that the options allow. */
const drawingTypes = ['webp', 'png', 'svg'] as const satisfies PictureType[]

/** The drawing depends only on a hash of the seed, so any text is safe. The length bounds the keys of the cache. */
const DRAWING_NAME = /^~(\P{Cc}{1,200})\.(svg|png|webp|jpe?g|gif|avif)$/u

export interface DrawingName {
  readonly seed: string
  readonly type: PictureType
}

/** The seed and type in the file name of a drawing. Every such name is a valid picture forever. */
export function parseDrawingName(file: string): DrawingName | undefined {
  const [, seed, extension] = DRAWING_NAME.exec(file) ?? []
  return seed && extension ? { seed, type: extension === 'jpg' ? 'jpeg' : (extension as PictureType) } : undefined
}

/**
 * The work to render a drawing, in units of a usual one: 30 to 50 ms of CPU time. GIF and AVIF take twice as long, and
 * the time grows with the pixels. An SVG takes 3 ms. 0 for other files.
 */
export function computeRenderingCost(file: string, size = SIZE): number {
  const type = parseDrawingName(file)?.type
  if (!type || type === 'svg') return 0
  return Math.ceil(((type === 'gif' || type === 'avif' ? 2 : 1) * size ** 2) / SIZE ** 2)
}

/** The options of a drawing, as query parameters. */
export const drawOptions = {
  size: Type.Integer({
    minimum: MIN_SIZE,
    maximum: MAX_SIZE,
    description: `Width and height of a drawing in pixels. Default: ${SIZE}.`,
  }),
  background: Type.Enum(['scene', 'none'], {
    description: '`none`: only the animal of a drawing, on a transparent background (white in a JPEG). Default: scene.',
  }),
  edition: Type.Integer({
    minimum: 1,
    maximum: EDITION,
    description: 'Edition of the drawings. The drawings of an edition never change. Default: 1.',
  }),
}

const DRAWING_CREDIT = { author: 'Menagerie', license: 'CC0-1.0' }

/** What drawings need. */
export interface DrawingSource {
  readonly artist: Artist
  /** Renders a drawing into the cache and returns its size in bytes. */
  readonly render: (kind: string, file: string, client?: string, options?: DrawOptions) => Promise<number>
}

export class Drawing implements PictureItem {
  readonly kind: string
  readonly type: PictureType
  readonly id: string
  readonly file: string
  readonly width: number
  readonly height: number
  size: number | null = null
  readonly #source: DrawingSource
  readonly #seed: string
  readonly #options: DrawOptions
  #description: { readonly credit: PictureCredit; readonly color: string } | undefined

  constructor(source: DrawingSource, kind: string, { seed, type }: DrawingName, options: DrawOptions = {}) {
    this.kind = kind
    this.type = type
    this.id = `~${seed}`
    this.file = `~${seed}.${type}`
    this.width = options.size ?? SIZE
    this.height = this.width
    this.#source = source
    this.#seed = seed
    this.#options = options
  }

  get color() {
    return this.#describe().color
  }

  credit() {
    return this.#describe().credit
  }

  async complete(client?: string): Promise<PictureItem> {
    this.size ??= await this.#source.render(this.kind, this.file, client, this.#options)
    return this
  }

  /** Takes as long as drawing: only drawings that a reply shows are described, and each once. */
  #describe() {
    if (!this.#description) {
      const { color, ...words } = this.#source.artist.describe(this.kind, this.#seed, this.#options)
      this.#description = { color, credit: completeCredit(this.kind, { ...DRAWING_CREDIT, ...words }) }
    }
    return this.#description
  }
}

/** The drawings of one kind: one for each seed. */
export class Drawings implements Collection<PictureItem> {
  readonly count = 0
  readonly types: ReadonlyMap<PictureType, number> = new Map()
  readonly kind: string
  readonly #source: DrawingSource
  readonly #pool: DrawingPool
  readonly #findSeeds: SeedFinder

  constructor(kind: string, source: DrawingSource, pool: DrawingPool, findSeeds: SeedFinder) {
    this.kind = kind
    this.#source = source
    this.#pool = pool
    this.#findSeeds = findSeeds
  }

  pick(options: PickOptions, random: Random): PictureItem | undefined {
    const { types, exclude, seed, tags, orientation, avoid } = options
    const isPlain = (types ?? exclude ?? seed ?? tags ?? orientation ?? avoid) === undefined
    const ready = isPlain ? this.#pool.pick(this.kind, random) : undefined
    return ready ?? this.items(options, random).next().value ?? undefined
  }

  *items(options: PickOptions, random: Random): Generator<PictureItem, void> {
    const { types, exclude, seed, tags, orientation = 'square', avoid } = options
    const type = drawingTypes.find((type) => (types?.includes(type) ?? true) && !exclude?.includes(type))
    if (!type || orientation !== 'square') return
    if (seed === undefined && !tags) {
      for (const item of this.#pool.items(this.kind, type, random)) if (!avoid?.has(item.id)) yield item
    }
    // Seeds have 64 bits: duplicates are practically impossible.
    for (const seed of this.#findSeeds(this.kind, options, random))
      yield new Drawing(this.#source, this.kind, { seed, type })
  }

  available(): Available {
    return { types: drawingTypes, tags: this.#source.artist.listTags(this.kind), orientations: ['square'] }
  }
}

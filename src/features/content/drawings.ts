import Type from 'typebox'
import { type DrawOptions, EDITION, MAX_SIZE, MIN_SIZE, SIZE } from '../../../packages/artist/src/index.ts'
import { completeCredit, type PictureCredit } from './credits.ts'
import type { DrawingPool } from './drawing-pool.ts'
import type { PictureType } from './kinds.ts'
import { createSeed, type Random } from './random.ts'
import type { Artist, Collection, PickOptions, PictureItem } from './types.ts'

/** Picks use the first type that the options allow. */
const drawingTypes = ['webp', 'png', 'svg'] as const satisfies PictureType[]

/** The drawing depends only on a hash of the seed, so any text is safe. The length bounds the keys of the cache. */
const DRAWING_NAME = /^~(\P{Cc}{1,200})\.(svg|png|webp|jpe?g|gif|avif)$/u

type DrawingName = { readonly seed: string; readonly type: PictureType }

/** The seed and type in the file name of a drawing. Every such name is a valid picture forever. */
export function parseDrawingName(file: string): DrawingName | undefined {
  const [, seed, extension] = DRAWING_NAME.exec(file) ?? []
  return seed && extension ? { seed, type: extension === 'jpg' ? 'jpeg' : (extension as PictureType) } : undefined
}

/**
 * The work to render a drawing, in units of a usual one: 30 to 50 ms of CPU time. GIF and AVIF take twice as long, and
 * the time grows with the pixels. An SVG takes 3 ms, but of the process that serves all requests. 0 for other files.
 */
export function computeRenderingCost(file: string, size = SIZE): number {
  const type = parseDrawingName(file)?.type
  if (!type) return 0
  if (type === 'svg') return 1
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
    // Not when the reply is written: describing 50 drawings at once would keep others waiting.
    this.#describe()
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
export function createDrawings(
  kind: string,
  source: DrawingSource,
  pool: DrawingPool,
  findSeeds: SeedFinder,
): Collection<PictureItem> {
  function* items(options: PickOptions, random: Random): Generator<PictureItem, void> {
    const { types, exclude, seed, tags, orientation = 'square', avoid } = options
    const type = drawingTypes.find((type) => (types?.includes(type) ?? true) && !exclude?.includes(type))
    if (!type || orientation !== 'square') return
    if (seed === undefined && !tags) {
      for (const item of pool.items(kind, type, random)) if (!avoid?.has(item.id)) yield item
    }
    // Seeds have 64 bits: duplicates are practically impossible.
    for (const seed of findSeeds(kind, options, random)) yield new Drawing(source, kind, { seed, type })
  }
  return {
    isDrawn: true,
    count: 0,
    types: new Map(),
    pick(options, random) {
      const { types, exclude, seed, tags, orientation, avoid } = options
      const isPlain = (types ?? exclude ?? seed ?? tags ?? orientation ?? avoid) === undefined
      const ready = isPlain ? pool.pick(kind, random) : undefined
      return ready ?? items(options, random).next().value ?? undefined
    },
    items,
    available: () => ({ types: drawingTypes, tags: source.artist.listTags(kind), orientations: ['square'] }),
  }
}

/** How many seeds the searches of one request may try together. */
export type SearchEffort = { left: number }

/** At most about 20 ms. A search of one kind has half of it, and finds a drawing if one of 3,500 matches. */
const MAX_EFFORT = 32_768
/** A full check takes as long as this many fast ones. */
const CHECK_EFFORT = 50
/** About the time of drawing an SVG. */
const EFFORT_PER_REQUEST = 4096

export const createSearchEffort = (): SearchEffort => ({ left: MAX_EFFORT })

/** The number of requests that the searches count as. */
export const computeSearchCost = ({ left }: SearchEffort) => 1 + Math.floor((MAX_EFFORT - left) / EFFORT_PER_REQUEST)

type SeedFinder = ReturnType<typeof createSeedFinder>

/** Finds seeds of drawings that have the tags, in random order. Ends when a search takes too long. */
export const createSeedFinder = ({ createTagMatcher }: Artist) =>
  function* findSeeds(
    kind: string,
    { tags, avoid, effort = createSearchEffort() }: PickOptions,
    random: Random,
  ): Generator<string, void> {
    const matcher = tags && createTagMatcher(kind, tags.wanted, tags.unwanted)
    if (tags && !matcher) return
    // Half of the rest for each kind: a kind without such a drawing must not use up the effort of the next one.
    let left = Math.ceil(effort.left / 2)
    while (left > 0 && effort.left > 0) {
      const seed = createSeed(random)
      const isCandidate = !avoid?.has(`~${seed}`) && (matcher?.mayMatch(seed) ?? true)
      const cost = isCandidate && matcher ? 1 + CHECK_EFFORT : 1
      left -= cost
      effort.left -= cost
      if (isCandidate && (matcher?.matches(seed) ?? true)) yield seed
    }
  }

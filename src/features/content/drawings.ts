import { NothingMatches } from '../../errors/index.ts'
import { Budget } from './budget.ts'
import { creditJson } from './credits.ts'
import { AHEAD_TYPE, type DrawnAhead } from './drawn-ahead.ts'
import type { PictureType } from './picture-types.ts'
import { type Draw, shortSeed } from './random.ts'
import type { Artist, Collection, Item, Wish } from './types.ts'

/** Pixels a side. */
export const DRAWN_SIZE = 512

/** The first that the wish allows is taken. */
const drawnTypes = ['webp', 'png', 'svg'] as const
export type DrawnType = (typeof drawnTypes)[number]

const DRAWN_FILE = /^~([A-Za-z0-9_-]{1,64})\.(webp|png|svg)$/

/** The seed and type in the name of a drawing's file; every such name is a picture, for ever. */
export function drawingOfName(file: string): { seed: string; type: DrawnType } | undefined {
  const [, seed, type] = DRAWN_FILE.exec(file) ?? []
  return seed && type ? { seed, type: type as DrawnType } : undefined
}

const MADE_BY = { author: 'Menagerie', license: 'CC0-1.0' }

/**
 * To describe a drawing takes as long as to answer a request. So many are described; who asks for more at a time gets
 * the name of the kind.
 */
export const descriptionBudget = () => new Budget(64, 250)

/** A drawing takes some 50 ms of a core: so many a second are made for those who only ask how large they are. */
export const measureBudget = () => new Budget(8, 1000)

interface Studio {
  artist: Artist
  /** Draws a picture, keeps it, and tells its size in bytes. */
  drawn(kind: string, file: string): Promise<number>
  measures: Budget
  ahead: DrawnAhead
  descriptions: Budget
}

/** What the artist draws of one kind: as many as there are seeds. */
export class Drawings implements Collection {
  readonly count = 0
  readonly types: ReadonlyMap<PictureType, number> = new Map()
  readonly #studio: Studio
  readonly kind: string
  readonly #plainCredit: string

  constructor(kind: string, studio: Studio) {
    this.kind = kind
    this.#studio = studio
    this.#plainCredit = creditJson(kind, MADE_BY)
  }

  pick({ types, exclude, seed }: Wish, draw: Draw): Item {
    const type = drawnTypes.find((type) => (types?.includes(type) ?? true) && !exclude?.includes(type))
    if (!type) throw new NothingMatches([...drawnTypes])
    const isRepeatable = seed !== undefined
    const ready = !isRepeatable && type === AHEAD_TYPE ? this.#studio.ahead.take(this.kind) : undefined
    return new Drawing(this, type, ready?.seed ?? shortSeed(draw), ready?.size ?? null, isRepeatable)
  }

  // 64 bits a seed: two alike are not to be expected in a lifetime of picks.
  pickMany(count: number, wish: Wish, draw: Draw): Item[] {
    return Array.from({ length: count }, () => this.pick(wish, draw))
  }

  /** Its size in bytes; null where the budget is spent, or it cannot be drawn: who asks for it hears why. */
  async sizeOf(file: string): Promise<number | null> {
    const { measures, drawn } = this.#studio
    return measures.isGranted() ? drawn(this.kind, file).catch(() => null) : null
  }

  /** What is told of a drawing; at length always, or within the budget. */
  credit(seed: string, always: boolean): string {
    const { artist, descriptions } = this.#studio
    if (!always && !descriptions.isGranted()) return this.#plainCredit
    return creditJson(this.kind, { ...MADE_BY, alt: artist.describe(this.kind, seed) })
  }
}

class Drawing implements Item {
  readonly file: string
  readonly message: string
  readonly #of: Drawings
  readonly #type: DrawnType
  readonly #seed: string
  /** In bytes; null where the picture was not drawn yet: that waits until somebody looks at it. */
  #size: number | null
  readonly #isRepeatable: boolean

  constructor(of: Drawings, type: DrawnType, seed: string, size: number | null, isRepeatable: boolean) {
    this.file = `~${seed}.${type}`
    this.message = `/media/animals/${of.kind}/${this.file}`
    this.#of = of
    this.#type = type
    this.#seed = seed
    this.#size = size
    this.#isRepeatable = isRepeatable
  }

  get messageJson() {
    return this.message
  }

  async measure() {
    this.#size ??= await this.#of.sizeOf(this.file)
  }

  get itemJson() {
    const credit = this.#of.credit(this.#seed, this.#isRepeatable)
    return `{"id":"~${this.#seed}","type":"${this.#type}","width":${DRAWN_SIZE},"height":${DRAWN_SIZE},"size":${this.#size},${credit}}`
  }
}

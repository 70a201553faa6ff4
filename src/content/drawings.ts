import { NothingMatches } from '../errors.ts'
import { creditJson } from './credits.ts'
import { AHEAD_TYPE, type DrawnAhead } from './drawn-ahead.ts'
import type { PictureType } from './picture-types.ts'
import { type Draw, shortSeed } from './random.ts'
import type { Artist, Collection, Item, Wish } from './types.ts'

/** Pixels a side. */
export const DRAWN_SIZE = 512

/** The first that the wish allows is taken. */
export const drawnTypes = ['webp', 'png', 'svg'] as const
export type DrawnType = (typeof drawnTypes)[number]

const DRAWN_FILE = /^~([A-Za-z0-9_-]{1,64})\.(webp|png|svg)$/

/** The seed and type in the name of a drawing's file; every such name is a picture, for ever. */
export function drawingOfName(file: string): { seed: string; type: DrawnType } | undefined {
  const [, seed, type] = DRAWN_FILE.exec(file) ?? []
  return seed && type ? { seed, type: type as DrawnType } : undefined
}

/** What the artist draws of one kind: as many as there are seeds. */
export class Drawings implements Collection {
  readonly count = 0
  readonly types: ReadonlyMap<PictureType, number> = new Map()
  readonly #artist: Artist
  readonly #kind: string
  readonly #ahead: DrawnAhead

  constructor(artist: Artist, kind: string, ahead: DrawnAhead) {
    this.#artist = artist
    this.#kind = kind
    this.#ahead = ahead
  }

  pick({ types, exclude, seed }: Wish, draw: Draw): Item {
    const type = drawnTypes.find((type) => (types?.includes(type) ?? true) && !exclude?.includes(type))
    if (!type) throw new NothingMatches([...drawnTypes])
    const ready = seed === undefined && type === AHEAD_TYPE ? this.#ahead.take(this.#kind) : undefined
    return new Drawing(this.#artist, this.#kind, type, ready ?? { seed: shortSeed(draw), size: null })
  }

  // 64 bits a seed: two alike are not to be expected in a lifetime of picks.
  pickMany(count: number, wish: Wish, draw: Draw): Item[] {
    return Array.from({ length: count }, () => this.pick(wish, draw))
  }
}

class Drawing implements Item {
  readonly file: string
  readonly message: string
  readonly #artist: Artist
  readonly #kind: string
  readonly #type: DrawnType
  readonly #seed: string
  /** In bytes; null where the picture was not drawn yet: that waits until somebody looks at it. */
  readonly #size: number | null

  constructor(artist: Artist, kind: string, type: DrawnType, { seed, size }: { seed: string; size: number | null }) {
    this.file = `~${seed}.${type}`
    this.message = `/media/animals/${kind}/${this.file}`
    this.#artist = artist
    this.#kind = kind
    this.#type = type
    this.#seed = seed
    this.#size = size
  }

  get messageJson() {
    return this.message
  }

  get itemJson() {
    const alt = this.#artist.describe(this.#kind, this.#seed)
    const credit = creditJson(this.#kind, { alt, author: 'Menagerie', license: 'CC0-1.0' })
    return `{"id":"~${this.#seed}","type":"${this.#type}","width":${DRAWN_SIZE},"height":${DRAWN_SIZE},"size":${this.#size},${credit}}`
  }
}

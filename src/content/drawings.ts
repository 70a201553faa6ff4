import { NothingMatches } from '../errors.ts'
import { creditJson } from './credits.ts'
import type { PictureType } from './picture-types.ts'
import type { Draw } from './random.ts'
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

  constructor(artist: Artist, kind: string) {
    this.#artist = artist
    this.#kind = kind
  }

  pick({ types, exclude }: Wish, draw: Draw): Item {
    const type = drawnTypes.find((type) => (types?.includes(type) ?? true) && !exclude?.includes(type))
    if (!type) throw new NothingMatches([...drawnTypes])
    return new Drawing(this.#artist, this.#kind, shortSeed(draw), type)
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
  readonly #seed: string
  readonly #type: DrawnType

  constructor(artist: Artist, kind: string, seed: string, type: DrawnType) {
    this.file = `~${seed}.${type}`
    this.message = `/media/animals/${kind}/${this.file}`
    this.#artist = artist
    this.#kind = kind
    this.#seed = seed
    this.#type = type
  }

  get messageJson() {
    return this.message
  }

  /** `size` is null: it is known once the picture is drawn, and that waits until somebody looks at it. */
  get itemJson() {
    const alt = this.#artist.describe(this.#kind, this.#seed)
    const credit = creditJson(this.#kind, { alt, author: 'Menagerie', license: 'CC0-1.0' })
    return `{"id":"~${this.#seed}","type":"${this.#type}","width":${DRAWN_SIZE},"height":${DRAWN_SIZE},"size":null,${credit}}`
  }
}

const shortSeed = (draw: Draw) => word(draw()) + word(draw())
const word = (bits: number) => bits.toString(36).padStart(7, '0')

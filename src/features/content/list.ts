import { NothingMatches } from '../../errors/index.ts'
import { jsonBytes } from './json-bytes.ts'
import type { PictureType } from './picture-types.ts'
import { below, choose, type Draw } from './random.ts'
import type { Collection, Item, Wish } from './types.ts'

/** The items of a text or video list, in the order of the file. */
export class List implements Collection {
  readonly types: ReadonlyMap<PictureType, number> = new Map()
  readonly #items: readonly Item[]

  constructor(items: readonly Item[]) {
    this.#items = items
  }

  get count() {
    return this.#items.length
  }

  pick(_wish: Wish, draw: Draw): Item {
    return this.#items[below(this.#size(), draw)]!
  }

  pickMany(count: number, _wish: Wish, draw: Draw): Item[] {
    return choose(count, this.#size(), draw).map((place) => this.#items[place]!)
  }

  #size() {
    if (this.count === 0) throw new NothingMatches([])
    return this.count
  }
}

export function textItem(message: string, item?: object): Item {
  const text = { message, messageJson: jsonBytes(message).slice(1, -1) }
  return item ? { ...text, itemJson: jsonBytes(item) } : text
}

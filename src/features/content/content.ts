import { UnknownKind } from '../../errors/index.ts'
import type { Animals } from './animals.ts'
import { Drawings, descriptionBudget, measureBudget } from './drawings.ts'
import { DrawnAhead } from './drawn-ahead.ts'
import { type Category, categories, inOrder } from './kinds.ts'
import { List } from './list.ts'
import type { ListFolder } from './list-folder.ts'
import { MediaDesk } from './media.ts'
import type { PictureType } from './picture-types.ts'
import { type Draw, repeatableDraw, unpredictableDraw } from './random.ts'
import type { Artist, Collection, Item, Media, Problem, Progress, Wish } from './types.ts'

export interface KindSummary {
  kind: string
  count: number
  /** The artist draws this kind: there are as many as there are seeds, and `count` is 0. */
  drawn: boolean
  types: Partial<Record<PictureType, number>>
}

interface Parts {
  artist: Artist
  animals: Animals
  lists: ListFolder[]
  /** The shipped lists, for built-in kinds of which the operator has none. */
  starters: ListFolder[]
  cacheBytes: number
  drawAhead: number
  problems(): Problem[]
  dispose(): Promise<void>
}

/** Everything that is picked from, as it is now. */
export class Content {
  readonly #parts: Parts
  readonly #desk: MediaDesk
  readonly #ahead: DrawnAhead
  readonly #descriptions = descriptionBudget()
  readonly #measures = measureBudget()
  readonly #drawn = async (kind: string, file: string) => (await this.#desk.media(kind, file)).size
  readonly #draw: Draw = unpredictableDraw()
  readonly #listeners = new Set<() => void>()
  #revision = 0
  #collections = new Map<Category, Map<string, Collection>>()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#desk = new MediaDesk(parts.artist, parts.animals.folders, parts.cacheBytes)
    this.#ahead = new DrawnAhead({
      perKind: parts.drawAhead,
      kinds: () => this.catalogue().animals.flatMap(({ kind, drawn }) => (drawn ? [kind] : [])),
      drawn: this.#drawn,
      draw: this.#draw,
    })
  }

  kinds(category: Category): string[] {
    return [...this.#collections.get(category)!.keys()]
  }

  pick(category: Category, kind: string, wish: Wish = {}): Item {
    return this.#collection(category, kind).pick(wish, this.#drawFor(category, kind, wish))
  }

  /** No item comes twice before all of the collection have come. */
  pickMany(category: Category, kind: string, count: number, wish: Wish = {}): Item[] {
    return this.#collection(category, kind).pickMany(count, wish, this.#drawFor(category, kind, wish))
  }

  /** The picture under `/media/animals/{kind}/{file}`; `file` is the decoded name. */
  media(kind: string, file: string): Media | Promise<Media> {
    return this.#desk.media(kind, file)
  }

  problems(): Problem[] {
    return this.#parts.problems()
  }

  catalogue(): Record<Category, KindSummary[]> {
    const summary = ([kind, collection]: [string, Collection]): KindSummary => ({
      kind,
      count: collection.count,
      drawn: collection instanceof Drawings,
      types: Object.fromEntries(collection.types),
    })
    const entries = categories.map((category) => [category, [...this.#collections.get(category)!].map(summary)])
    return Object.fromEntries(entries)
  }

  /** Every picture of a file, with its digest; `file` is relative to the content folder. */
  *pictures(): Generator<{ kind: string; id: string; file: string }> {
    for (const { kind, shelf } of this.#parts.animals.folders.values()) {
      for (const { name, facts } of shelf.pictures) yield { kind, id: facts.id, file: `animals/${kind}/${name}` }
    }
  }

  /** How many files were read of those that wait to be; both 0 when none does. */
  get indexing(): Progress {
    return this.#parts.animals.jobs.progress
  }

  /** Resolves when no file waits to be read. */
  settled(): Promise<void> {
    return this.#parts.animals.jobs.idle()
  }

  /** Calls `listener` after each change of what can be picked; the result ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Another number after each change of what can be picked. */
  get revision(): number {
    return this.#revision
  }

  /** Prepares the collections anew; a pick then only looks into them. */
  refresh(): void {
    this.#revision++
    this.#collections = new Map(
      categories.map((category) => {
        const found = category === 'animals' ? this.#animalCollections() : this.#listCollections(category)
        const ordered = inOrder(category, found.keys()).map((kind) => [kind, found.get(kind) ?? new List([])] as const)
        return [category, new Map(ordered)]
      }),
    )
    for (const listener of this.#listeners) listener()
  }

  /** Draws the first pictures that will be asked for; resolves when there is one of each kind. */
  drawAhead(): Promise<void> {
    return this.#ahead.start()
  }

  async close(): Promise<void> {
    this.#listeners.clear()
    this.#ahead.close()
    await this.#parts.dispose()
  }

  #animalCollections(): Map<string, Collection> {
    const { artist, animals } = this.#parts
    const spent = { descriptions: this.#descriptions, measures: this.#measures }
    const studio = { artist, ahead: this.#ahead, drawn: this.#drawn, ...spent }
    const found = new Map<string, Collection>(artist.kinds.map((kind) => [kind, new Drawings(kind, studio)]))
    for (const { kind, shelf } of animals.folders.values()) if (shelf.count > 0) found.set(kind, shelf)
    return found
  }

  #listCollections(category: Category): Map<string, Collection> {
    const listsOf = (folders: ListFolder[]) => folders.find((folder) => folder.category === category)?.lists ?? []
    return new Map<string, Collection>([...listsOf(this.#parts.starters), ...listsOf(this.#parts.lists)])
  }

  #collection(category: Category, kind: string): Collection {
    const collections = this.#collections.get(category)!
    const collection = collections.get(kind)
    if (!collection) throw new UnknownKind(kind, [...collections.keys()])
    return collection
  }

  // The kind is part of it: one seed for a page of all kinds is not to draw the same coat six times.
  #drawFor(category: Category, kind: string, { seed }: Wish): Draw {
    return seed === undefined ? this.#draw : repeatableDraw(`${category}/${kind}/${seed}`)
  }
}

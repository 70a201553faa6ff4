import { UnknownKind } from '../../errors/index.ts'
import type { Problem } from '../../platform/logging/index.ts'
import { DrawingPool } from './drawing-pool.ts'
import { DrawingSource, Drawings } from './drawings.ts'
import { type Category, categories, type PictureType, sortKinds } from './kinds.ts'
import { List, type ListFolder } from './lists.ts'
import { MediaReader } from './media-reader.ts'
import type { PictureFolders } from './picture-folders.ts'
import { createSecureRandom, createSeededRandom, type Random } from './random.ts'
import type { Artist, Collection, ItemOf, Media, PickOptions, Progress } from './types.ts'

export interface KindSummary {
  kind: string
  count: number
  /** Drawings are generated for this kind; `count` is 0. */
  drawn: boolean
  types: Partial<Record<PictureType, number>>
}

interface ContentParts {
  artist: Artist
  pictures: PictureFolders
  lists(): readonly ListFolder[]
  /** The shipped lists, for built-in kinds without a list of the operator. */
  starterLists: readonly ListFolder[]
  cacheBytes: number
  pooledDrawings: number
  problems(): Problem[]
  dispose(): Promise<void>
}

/** All random content. */
export class Content {
  readonly #parts: ContentParts
  readonly #media: MediaReader
  readonly #pool: DrawingPool
  readonly #drawingSource: DrawingSource
  readonly #random: Random = createSecureRandom()
  readonly #listeners = new Set<() => void>()
  #revision = 0
  #collections = new Map<Category, Map<string, Collection>>()

  constructor(parts: ContentParts) {
    this.#parts = parts
    this.#media = new MediaReader(parts.artist, parts.pictures.folders, parts.cacheBytes)
    const render = async (kind: string, file: string) => (await this.#media.read(kind, file)).size
    this.#pool = new DrawingPool({
      sizePerKind: parts.pooledDrawings,
      kinds: () => this.catalogue().animals.flatMap(({ kind, drawn }) => (drawn ? [kind] : [])),
      render,
      random: this.#random,
    })
    this.#drawingSource = new DrawingSource({ artist: parts.artist, render, pool: this.#pool })
  }

  kinds(category: Category): string[] {
    return [...this.#collections.get(category)!.keys()]
  }

  pick<C extends Category>(category: C, kind: string, options: PickOptions = {}): ItemOf<C> {
    return this.#collection(category, kind).pick(options, this.#randomFor(category, kind, options)) as ItemOf<C>
  }

  /** No item repeats before all items of the collection were picked. */
  pickMany<C extends Category>(category: C, kind: string, count: number, options: PickOptions = {}): ItemOf<C>[] {
    const random = this.#randomFor(category, kind, options)
    return this.#collection(category, kind).pickMany(count, options, random) as ItemOf<C>[]
  }

  /** The picture with this decoded file name. */
  media(kind: string, file: string): Media | Promise<Media> {
    return this.#media.read(kind, file)
  }

  problems(): Problem[] {
    return this.#parts.problems()
  }

  catalogue(): Record<Category, KindSummary[]> {
    const summarize = ([kind, collection]: [string, Collection]): KindSummary => ({
      kind,
      count: collection.count,
      drawn: collection instanceof Drawings,
      types: Object.fromEntries(collection.types),
    })
    const entries = categories.map((category) => [category, [...this.#collections.get(category)!].map(summarize)])
    return Object.fromEntries(entries)
  }

  /** All picture files with their digests; `file` is relative to the content folder. */
  *pictures(): Generator<{ kind: string; id: string; file: string }> {
    for (const { kind, index } of this.#parts.pictures.folders.values()) {
      for (const { name, id } of index.pictures) yield { kind, id, file: `animals/${kind}/${name}` }
    }
  }

  /** Progress of reading files; both numbers are 0 when no file waits. */
  get indexing(): Progress {
    return this.#parts.pictures.queue.progress
  }

  /** Resolves when no file waits to be read. */
  whenIndexed(): Promise<void> {
    return this.#parts.pictures.queue.whenIdle()
  }

  /** Calls `listener` after each change of the content; returns a function that removes it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Increases with each change of the content. */
  get revision(): number {
    return this.#revision
  }

  /** Builds the collections, so that a pick is only a lookup. */
  refresh(): void {
    this.#revision++
    this.#collections = new Map(
      categories.map((category) => {
        const found = category === 'animals' ? this.#pictureCollections() : this.#listCollections(category)
        const kinds = sortKinds(category, found.keys())
        return [category, new Map(kinds.map((kind) => [kind, found.get(kind) ?? new List([])]))]
      }),
    )
    for (const listener of this.#listeners) listener()
  }

  /** Resolves when one drawing of each kind is rendered. */
  fillDrawingPool(): Promise<void> {
    return this.#pool.fill()
  }

  async close(): Promise<void> {
    this.#listeners.clear()
    this.#pool.close()
    await this.#parts.dispose()
  }

  #pictureCollections(): Map<string, Collection> {
    const { artist, pictures } = this.#parts
    const drawings = artist.kinds.map((kind) => [kind, new Drawings(kind, this.#drawingSource)] as const)
    const found = new Map<string, Collection>(drawings)
    for (const { kind, index } of pictures.folders.values()) if (index.count > 0) found.set(kind, index)
    return found
  }

  #listCollections(category: Category): Map<string, Collection> {
    const { starterLists, lists } = this.#parts
    const find = (folders: readonly ListFolder[]) => folders.find((folder) => folder.category === category)?.lists ?? []
    return new Map<string, Collection>([...find(starterLists), ...find(lists())])
  }

  #collection(category: Category, kind: string): Collection {
    const collections = this.#collections.get(category)!
    const collection = collections.get(kind)
    if (!collection) throw new UnknownKind(kind, [...collections.keys()])
    return collection
  }

  // Includes the kind: with one seed for a page of all kinds, the animals should not all have the same coat.
  #randomFor(category: Category, kind: string, { seed }: PickOptions): Random {
    return seed === undefined ? this.#random : createSeededRandom(`${category}/${kind}/${seed}`)
  }
}

import { access, constants } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { NothingMatches, UnknownKind } from '../../errors/index.ts'
import { withTimeout } from '../../platform/concurrency/index.ts'
import { type EntryCounts, type FolderWatcher, type LastGoodFolder, watchFolder } from '../../platform/files/index.ts'
import type { Log, Problem } from '../../platform/logging/index.ts'
import { type AnimalsFolder, createAnimalsFolder } from './animals-folder.ts'
import { createDrawingPool, type DrawingPool, type RenderDrawing } from './drawing-pool.ts'
import { createDrawingSource, type DrawingSource, Drawings, drawingTypes } from './drawings.ts'
import { type FileCache, openFileCache } from './file-cache.ts'
import { ANY_KIND, type Category, categories, type ListCategory, type PictureType, sortKinds } from './kinds.ts'
import { List, type ListFiles, openLists, starterDir } from './lists.ts'
import { createMediaReader } from './media-reader.ts'
import { MixedCollection } from './mixed-collection.ts'
import { createProblemLog } from './problem-log.ts'
import { createSecureRandom, createSeededRandom, type Random, shuffleIndexes } from './random.ts'
import type { FileEntry } from './read-picture-file.ts'
import type { OnProgress } from './read-queue.ts'
import type { Artist, Collection, ItemOf, Media, PickOptions, PictureItem } from './types.ts'

const READ_TIMEOUT_MS = 10_000

export interface ContentOptions {
  /** CONTENT_DIR; it may be missing, appear, disappear or change at any time. */
  dir: string
  /** Stores results of reading files, so that the next start is fast. */
  cacheFile?: string | undefined
  /** False if another process writes the cache file. */
  writesCache?: boolean
  /** Returns where the last good state of a part is kept for the next start. */
  lastGoodFolder?: ((part: string) => LastGoodFolder) | undefined
  artist: Artist
  log: Log
  onProgress?: OnProgress | undefined
  /** How long the start waits for pictures to be read. The rest is added later. */
  startTimeoutMs?: number
  /** Of pictures and drawings in memory. */
  cacheBytes?: number
  /** Number of drawings of each kind that are rendered in advance. */
  pooledDrawings?: number
  /** Has the lists of built-in kinds that `dir` does not have. */
  starterDir?: string | undefined
}

export type KindSummary = ReturnType<typeof summarizeKind>

const MISSING: Problem = {
  file: '.',
  rule: 'missing',
  message: 'The folder is missing or cannot be read. Drawings and the last good lists are served.',
}

export class Content {
  readonly #dir: string
  readonly #cache: FileCache<FileEntry>
  readonly #problemLog: ReturnType<typeof createProblemLog>
  readonly #pictures: AnimalsFolder
  readonly #readMedia: ReturnType<typeof createMediaReader>
  readonly #pool: DrawingPool
  readonly #artist: Artist
  readonly #drawingSource: DrawingSource
  readonly #random: Random = createSecureRandom()
  readonly #listeners = new Set<() => void>()
  #lists!: ListFiles
  /** The shipped lists, for built-in kinds without a list of the operator. */
  #starterLists!: ListFiles
  #watcher: FolderWatcher | undefined
  #isMissing = false
  #revision = 0
  #collections = new Map<Category, Map<string, Collection>>()
  /** All kinds of a category, in equal shares. */
  #anyKind = new Map<Category, MixedCollection>()

  private constructor(options: ContentOptions, cache: FileCache<FileEntry>) {
    const { artist, log, onProgress, cacheBytes = 64 * 2 ** 20, pooledDrawings = 8 } = options
    this.#dir = resolve(options.dir)
    this.#cache = cache
    this.#artist = artist
    this.#problemLog = createProblemLog(log, this.#dir)
    this.#pictures = createAnimalsFolder({
      path: join(this.#dir, 'animals'),
      lastGoodFolder: options.lastGoodFolder?.('pictures'),
      cache,
      onPublish: () => this.#refresh(),
      onProblem: this.#problemLog.add,
      onProgress,
    })
    this.#readMedia = createMediaReader(artist, this.#pictures.folders, cacheBytes)
    const render: RenderDrawing = async (kind, file) => (await this.#readMedia(kind, file)).size
    this.#pool = createDrawingPool({
      sizePerKind: pooledDrawings,
      kinds: () => this.catalogue().animals.flatMap(({ kind, drawn }) => (drawn ? [kind] : [])),
      render,
      random: this.#random,
    })
    this.#drawingSource = createDrawingSource(artist, this.#pool, render)
  }

  static async open(options: ContentOptions): Promise<Content> {
    const { startTimeoutMs = READ_TIMEOUT_MS } = options
    const cache = await openFileCache<FileEntry>(options.cacheFile, options.log, { isWritable: options.writesCache })
    const content = new Content(options, cache)
    const listOptions = { onChange: () => content.#showLists(), lastGoodFolder: options.lastGoodFolder?.('lists') }
    content.#starterLists = await openLists(options.starterDir ?? starterDir)
    content.#lists = await openLists(content.#dir, listOptions)
    await content.#check()
    content.#showLists()
    content.#watcher = watchFolder(content.#dir, () => content.#check())
    await withTimeout(startTimeoutMs, content.whenIndexed(), () => {})
    void content.whenIndexed().then(() => cache.dropRest())
    return content
  }

  kinds(category: Category): string[] {
    return [...this.#collections.get(category)!.keys()]
  }

  pick<C extends Category>(category: C, kind: string, options: PickOptions = {}): ItemOf<C> {
    const collection = this.#collection(category, kind, options)
    const item = collection.pick(options, this.#randomFor(category, kind, options))
    if (!item) throw new NothingMatches(listTypes(collection))
    return item as ItemOf<C>
  }

  /** No item repeats before all that match were picked. */
  pickMany<C extends Category>(category: C, kind: string, count: number, options: PickOptions = {}): ItemOf<C>[] {
    const collection = this.#collection(category, kind, options)
    const random = this.#randomFor(category, kind, options)
    const found = [...collection.items(options, random).take(count)]
    if (found.length === 0) throw new NothingMatches(listTypes(collection))
    const items = [...found]
    while (items.length < count)
      for (const index of shuffleIndexes(found.length, random).take(count - items.length)) items.push(found[index]!)
    return items as ItemOf<C>[]
  }

  /** The picture with this decoded file name. Clients take turns. */
  media(kind: string, file: string, client?: string): Media | Promise<Media> {
    return this.#readMedia(kind, file, client)
  }

  problems(): Problem[] {
    const problems = [...this.#lists.problems(), ...this.#pictures.problems()]
    // Without the folder, everything has shrunk.
    return this.#isMissing ? [MISSING, ...problems.filter(({ rule }) => rule !== 'shrunk')] : problems
  }

  /** The lists and the kinds of pictures with their numbers of entries, now and when they were last good. */
  entryCounts(): EntryCounts[] {
    return [...this.#lists.entryCounts(), ...this.#pictures.entryCounts()]
  }

  catalogue(): Record<Category, KindSummary[]> {
    const entries = categories.map((category) => [category, [...this.#collections.get(category)!].map(summarizeKind)])
    return Object.fromEntries(entries)
  }

  /** All picture files with their digests; `file` is relative to the content folder. */
  *pictures(): Generator<{ kind: string; id: string; file: string }> {
    for (const { kind, index } of this.#pictures.folders.values()) {
      for (const { name, id } of index.pictures) yield { kind, id, file: `animals/${kind}/${name}` }
    }
  }

  /** Resolves when no file waits to be read. */
  whenIndexed(): Promise<void> {
    return this.#pictures.whenIndexed()
  }

  /** Checks all files now. Pictures that cannot be read within ten seconds are added later. */
  async reload(): Promise<void> {
    await Promise.all([this.#check(), this.#lists.reload()])
    await Promise.all([...this.#pictures.folders.values()].map((folder) => folder.scan()))
    await withTimeout(READ_TIMEOUT_MS, this.whenIndexed(), () => {})
    await this.#pictures.scan()
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

  async close(): Promise<void> {
    this.#listeners.clear()
    this.#pool.close()
    this.#watcher?.close()
    this.#problemLog.close()
    await this.#lists.close()
    await this.#pictures.close()
    await this.#cache.close()
  }

  #showLists(): void {
    this.#lists.problems().forEach(this.#problemLog.add)
    this.#refresh()
  }

  /** Finds added and removed kinds of pictures, and checks whether the folder exists. */
  async #check(): Promise<void> {
    await this.#pictures.scan()
    const wasMissing = this.#isMissing
    this.#isMissing = await access(this.#dir, constants.R_OK).then(
      () => false,
      () => true,
    )
    if (this.#isMissing && !wasMissing) this.#problemLog.add(MISSING)
  }

  /** Builds the collections, so that a pick is only a lookup. */
  #refresh(): void {
    this.#revision++
    this.#collections = new Map(
      categories.map((category) => {
        const found = category === 'animals' ? this.#pictureCollections() : this.#listCollections(category)
        const kinds = sortKinds(category, found.keys())
        return [category, new Map(kinds.map((kind) => [kind, found.get(kind) ?? new List([])]))]
      }),
    )
    this.#anyKind = new Map(
      [...this.#collections].map(([category, collections]) => [
        category,
        new MixedCollection([...collections.values()]),
      ]),
    )
    for (const listener of this.#listeners) listener()
  }

  #pictureCollections(): Map<string, Collection> {
    const drawings = new Map(this.#artist.kinds.map((kind) => [kind, new Drawings(kind, this.#drawingSource)]))
    const found = new Map<string, Collection>(drawings)
    for (const { kind, index, hasDrawings } of this.#pictures.folders.values()) {
      const drawn = hasDrawings ? drawings.get(kind) : undefined
      if (index.count > 0) found.set(kind, drawn ? new MixedCollection<PictureItem>([index, drawn]) : index)
    }
    return found
  }

  #listCollections(category: ListCategory): Map<string, Collection> {
    // The operator's lists replace the shipped ones.
    return new Map([this.#starterLists, this.#lists].flatMap(({ listsByKind }) => [...listsByKind(category)]))
  }

  #collection(category: Category, kind: string, { acceptsAny }: PickOptions): Collection {
    const collections = this.#collections.get(category)!
    const collection = collections.get(kind)
    if (collection) return collection
    if (acceptsAny && kind === ANY_KIND) return this.#anyKind.get(category)!
    throw new UnknownKind('kind', kind, [...collections.keys(), ...(acceptsAny ? [ANY_KIND] : [])])
  }

  // Includes the kind: with one seed for a page of all kinds, the animals should not all have the same coat.
  #randomFor(category: Category, kind: string, { seed }: PickOptions): Random {
    return seed === undefined ? this.#random : createSeededRandom(`${category}/${kind}/${seed}`)
  }
}

/** Of the pictures and drawings of a collection. */
function listTypes(collection: Collection): PictureType[] {
  if (collection instanceof MixedCollection) return [...new Set(collection.parts.flatMap(listTypes))]
  return collection instanceof Drawings ? [...drawingTypes] : [...collection.types.keys()]
}

const summarizeKind = ([kind, collection]: [string, Collection]) => ({
  kind,
  count: collection.count,
  /** Drawings are generated for this kind; `count` is 0. */
  drawn: collection instanceof Drawings,
  types: Object.fromEntries(collection.types) as Partial<Record<PictureType, number>>,
})

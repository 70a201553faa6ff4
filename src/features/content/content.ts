import { access, constants } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { withTimeout } from '../../platform/concurrency/index.ts'
import { type EntryCounts, type FolderWatcher, type LastGoodFolder, watchFolder } from '../../platform/files/index.ts'
import type { Log, Problem } from '../../platform/logging/index.ts'
import { type AnimalsFolder, createAnimalsFolder } from './animals-folder.ts'
import { Catalogue, type KindSummary, MixedCollection } from './catalogue.ts'
import { createDrawingPool, type DrawingPool } from './drawing-pool.ts'
import { createSeedFinder, Drawings, type SeedFinder } from './drawings.ts'
import { type FileCache, openFileCache } from './file-cache.ts'
import type { Category, ListCategory } from './kinds.ts'
import { type ListFiles, openLists, starterDir } from './lists.ts'
import { type AnalyseColor, createColorFinder, createMediaReader, type MediaReader } from './media-reader.ts'
import { createProblemLog } from './problem-log.ts'
import { createSecureRandom, type Random } from './random.ts'
import type { FileEntry } from './read-picture-file.ts'
import type { OnProgress } from './read-queue.ts'
import type { Artist, Collection, ItemOf, PickOptions, PictureItem } from './types.ts'

const READ_TIMEOUT_MS = 10_000
/** More than a reply may have, so that no drawing repeats in it; about 6 MB for all kinds. */
const POOLED_DRAWINGS = 64

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
  /** Default: the colours of pictures are not known. */
  analyseColor?: AnalyseColor | undefined
  log: Log
  onProgress?: OnProgress | undefined
  /** How long the start waits for pictures to be read. The rest is added later. */
  startTimeoutMs?: number
  /** Bytes of pictures and drawings to keep in memory. */
  cacheBytes?: number
  /** Number of drawings of each kind that are rendered in advance. */
  pooledDrawings?: number
  /** Has the lists of built-in kinds that `dir` does not have. */
  starterDir?: string | undefined
}

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
  readonly #media: MediaReader
  /** Pictures by their decoded file name. */
  readonly media: MediaReader['read']
  readonly readItem: MediaReader['readItem']
  readonly findPictureFile: MediaReader['findPictureFile']
  readonly #pool: DrawingPool
  readonly #findSeeds: SeedFinder
  readonly #random: Random = createSecureRandom()
  readonly #listeners = new Set<() => void>()
  #lists!: ListFiles
  /** The shipped lists, for built-in kinds without a list of the operator. */
  #starterLists!: ListFiles
  #watcher: FolderWatcher | undefined
  #isMissing = false
  #revision = 0
  #catalogue: Catalogue

  private constructor(options: ContentOptions, cache: FileCache<FileEntry>) {
    const { artist, log, onProgress, cacheBytes = 64 * 2 ** 20, pooledDrawings = POOLED_DRAWINGS } = options
    this.#dir = resolve(options.dir)
    this.#cache = cache
    this.#catalogue = new Catalogue(() => new Map(), this.#random)
    this.#problemLog = createProblemLog(log, this.#dir)
    this.#pictures = createAnimalsFolder({
      path: join(this.#dir, 'animals'),
      lastGoodFolder: options.lastGoodFolder?.('pictures'),
      cache,
      findColor: options.analyseColor && createColorFinder(options.analyseColor, cache),
      onPublish: () => this.#refresh(),
      onProblem: this.#problemLog.add,
      onProgress,
    })
    this.#media = createMediaReader(artist, this.#pictures.folders, cacheBytes)
    this.media = this.#media.read
    this.readItem = this.#media.readItem
    this.findPictureFile = this.#media.findPictureFile
    this.#pool = createDrawingPool({ ...this.#media, sizePerKind: pooledDrawings, random: this.#random })
    this.#findSeeds = createSeedFinder(artist)
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
    return this.#catalogue.kinds(category)
  }

  pick<C extends Category>(category: C, kind: string, options: PickOptions = {}): ItemOf<C> {
    return this.#catalogue.pick(category, kind, options)
  }

  /** No item repeats before all that match were picked. */
  pickMany<C extends Category>(category: C, kind: string, count: number, options: PickOptions = {}): ItemOf<C>[] {
    return this.#catalogue.pickMany(category, kind, count, options)
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
    return this.#catalogue.summarize()
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

  #refresh(): void {
    this.#revision++
    const find = (category: Category) =>
      category === 'animals' ? this.#pictureCollections() : this.#listCollections(category)
    this.#catalogue = new Catalogue(find, this.#random)
    for (const listener of this.#listeners) listener()
  }

  #pictureCollections(): Map<string, Collection> {
    const { kinds } = this.#media.artist
    const create = (kind: string) => new Drawings(kind, this.#media, this.#pool, this.#findSeeds)
    const drawings = new Map(kinds.map((kind) => [kind, create(kind)]))
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
}

import { access, constants } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { succeeds, withTimeout } from '../../platform/concurrency/index.ts'
import { type LastGoodFolder, watchFolder } from '../../platform/files/index.ts'
import { type Log, type Problem, silentLog } from '../../platform/logging/index.ts'
import { createAnimalsFolder } from './animals-folder.ts'
import { createArtist } from './artist.ts'
import { createCatalogue, mixCollections } from './catalogue.ts'
import type { FileEntry } from './content-file.ts'
import { createDrawingPool } from './drawing-pool.ts'
import { createDrawings, createSeedFinder } from './drawings.ts'
import { openFileCache } from './file-cache.ts'
import type { Category, ListCategory } from './kinds.ts'
import { openLists, starterDir } from './lists.ts'
import { type AnalyseColor, createColorFinder, createMediaReader } from './media-reader.ts'
import { createSecureRandom } from './random.ts'
import type { OnProgress } from './read-queue.ts'
import type { Artist, Collection, ItemOf, PickOptions, PictureItem } from './types.ts'

const READ_TIMEOUT_MS = 10_000
/** More than a reply may have, so that no drawing repeats in it; about 6 MB for all kinds. */
const POOLED_DRAWINGS = 64
const CACHE_BYTES = 64 * 2 ** 20

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
  message: 'CONTENT_DIR is missing or cannot be read. Drawings and the last good lists are served.',
}

export type Content = Awaited<ReturnType<typeof openContent>>

export async function openContent(options: ContentOptions) {
  const { artist, log, onProgress, lastGoodFolder, analyseColor, startTimeoutMs = READ_TIMEOUT_MS } = options
  const dir = resolve(options.dir)
  const cache = await openFileCache<FileEntry>(options.cacheFile, log, { isWritable: options.writesCache })
  const random = createSecureRandom()
  const problemLog = createProblemLog(log)
  const listeners = new Set<() => void>()
  let isMissing = false
  let revision = 0
  let catalogue = createCatalogue(() => new Map(), random)

  const animals = createAnimalsFolder({
    path: join(dir, 'animals'),
    lastGoodFolder: lastGoodFolder?.('pictures'),
    cache,
    findColor: analyseColor && createColorFinder(analyseColor, cache),
    onPublish: refresh,
    onProblem: problemLog.add,
    onProgress,
  })
  const media = createMediaReader(artist, animals.folders, options.cacheBytes ?? CACHE_BYTES)
  const pool = createDrawingPool({ ...media, sizePerKind: options.pooledDrawings ?? POOLED_DRAWINGS, random })
  const findSeeds = createSeedFinder(artist)
  /** The shipped lists, for built-in kinds without a list of the operator. */
  const starterLists = await openLists(options.starterDir ?? starterDir)
  const lists = await openLists(dir, { onChange: showLists, lastGoodFolder: lastGoodFolder?.('lists') })
  await check()
  showLists()
  const watcher = watchFolder(dir, check)
  await withTimeout(startTimeoutMs, animals.whenIndexed(), () => {})
  void animals.whenIndexed().then(() => cache.dropRest())

  function showLists(): void {
    lists.problems().forEach(problemLog.add)
    refresh()
  }

  /** Finds added and removed kinds of pictures, and checks whether the folder exists. */
  async function check(): Promise<void> {
    await animals.scan()
    const wasMissing = isMissing
    isMissing = !(await succeeds(access(dir, constants.R_OK)))
    if (isMissing && !wasMissing) problemLog.add(MISSING)
  }

  function refresh(): void {
    revision++
    const find = (category: Category) => (category === 'animals' ? findPictures() : findLists(category))
    catalogue = createCatalogue(find, random)
    for (const listener of listeners) listener()
  }

  function findPictures(): Map<string, Collection> {
    const drawings = new Map(artist.kinds.map((kind) => [kind, createDrawings(kind, media, pool, findSeeds)]))
    const found = new Map<string, Collection>(drawings)
    for (const { kind, index, hasDrawings } of animals.folders.values()) {
      const drawn = hasDrawings ? drawings.get(kind) : undefined
      if (index.count > 0) found.set(kind, drawn ? mixCollections<PictureItem>([index, drawn]) : index)
    }
    return found
  }

  /** The operator's lists replace the shipped ones. */
  function findLists(category: ListCategory): Map<string, Collection> {
    return new Map([starterLists, lists].flatMap(({ listsByKind }) => [...listsByKind(category)]))
  }

  return {
    kinds: (category: Category) => catalogue.kinds(category),
    pick: <C extends Category>(category: C, kind: string, options: PickOptions = {}): ItemOf<C> =>
      catalogue.pick(category, kind, options),
    /** No item repeats before all that match were picked. */
    pickMany: <C extends Category>(category: C, kind: string, count: number, options: PickOptions = {}): ItemOf<C>[] =>
      catalogue.pickMany(category, kind, count, options),
    catalogue: () => catalogue.summarize(),
    /** Pictures by their decoded file name. */
    media: media.read,
    readItem: media.readItem,
    findPictureFile: media.findPictureFile,

    problems(): Problem[] {
      const problems = [...lists.problems(), ...animals.problems()]
      // Without the folder, everything has shrunk.
      return isMissing ? [MISSING, ...problems.filter(({ rule }) => rule !== 'shrunk')] : problems
    },
    /** The lists and the kinds of pictures with their numbers of entries, now and when they were last good. */
    entryCounts: () => [...lists.entryCounts(), ...animals.entryCounts()],
    /** All picture files with their digests; `file` is relative to the content folder. */
    *pictures(): Generator<{ kind: string; id: string; file: string }> {
      for (const { kind, index } of animals.folders.values()) {
        for (const { name, id } of index.pictures) yield { kind, id, file: `animals/${kind}/${name}` }
      }
    },

    /** Resolves when no file waits to be read. */
    whenIndexed: animals.whenIndexed,
    /** Checks all files now. Pictures that cannot be read within ten seconds are added later. */
    async reload(): Promise<void> {
      await Promise.all([check(), lists.reload()])
      // The watcher of a folder repeats a scan that fails.
      await Promise.all([...animals.folders.values()].map((folder) => succeeds(folder.scan())))
      await withTimeout(READ_TIMEOUT_MS, animals.whenIndexed(), () => {})
      await animals.scan()
    },
    /** Calls `listener` after each change of the content; returns a function that removes it. */
    onChange(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    /** Increases with each change of the content. */
    get revision(): number {
      return revision
    },
    async close(): Promise<void> {
      listeners.clear()
      pool.close()
      watcher.close()
      problemLog.close()
      await lists.close()
      await animals.close()
      await cache.close()
    },
  }
}

const LOG_DELAY_MS = 1000
const MAX_LOGGED_PROBLEMS = 20

/** Logs problems in batches, and not all of them: 100,000 broken files must not fill the disk with log lines. */
export function createProblemLog(log: Log) {
  let problems: Problem[] = []
  let timer: NodeJS.Timeout | undefined

  const flush = () => {
    timer = undefined
    for (const { message, ...place } of problems.slice(0, MAX_LOGGED_PROBLEMS)) {
      const subject = place.file === MISSING.file ? '' : `${place.file} has a problem: `
      log.warn(place, `content: ${subject}${message}`)
    }
    const more = problems.length - MAX_LOGGED_PROBLEMS
    if (more > 0) log.warn({ more }, 'content: more files have problems; `content check` lists all of them')
    problems = []
  }

  return {
    add(problem: Problem) {
      problems.push(problem)
      timer ??= setTimeout(flush, LOG_DELAY_MS).unref()
    },
    close() {
      clearTimeout(timer)
      flush()
    },
  }
}

/** Reads all files of a content folder, without a cache, and finds their problems. */
export async function checkContent(
  dir: string,
  { onProgress, lastGoodFolder }: Pick<ContentOptions, 'onProgress' | 'lastGoodFolder'> = {},
) {
  // No starter lists: they would hide that a list of this folder is missing or wrong.
  const options = { dir, starterDir: dir, artist: createArtist(), pooledDrawings: 0, log: silentLog }
  const content = await openContent({ ...options, onProgress, lastGoodFolder })
  try {
    await content.whenIndexed()
    await content.reload()
    const problems = [...content.problems(), ...findDuplicates(content)]
    return { catalogue: content.catalogue(), problems, entryCounts: content.entryCounts() }
  } finally {
    await content.close()
  }
}

function findDuplicates(content: Content): Problem[] {
  const first = new Map<string, string>()
  return [...content.pictures()].flatMap(({ kind, id, file }) => {
    const original = first.get(`${kind}/${id}`)
    if (original) return [{ file, rule: 'duplicate', message: `The same picture as ${original}.` }]
    first.set(`${kind}/${id}`, file)
    return []
  })
}

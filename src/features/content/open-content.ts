import { access, constants } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../../config/root.ts'
import { watchFolder } from '../../platform/files/index.ts'
import type { Log, Problem } from '../../platform/logging/index.ts'
import { Content } from './content.ts'
import { openFileCache } from './file-cache.ts'
import { listCategories } from './kinds.ts'
import { ListFolder } from './lists.ts'
import type { Entry } from './picture-files.ts'
import { PictureFolders } from './picture-folders.ts'
import type { Artist, Progress } from './types.ts'

/** The content that is shipped with the service. */
export const starterDir = join(ROOT, 'content')

const LOG_DELAY_MS = 1000
const MAX_LOGGED_PROBLEMS = 20

export interface ContentOptions {
  /** CONTENT_DIR; it may be missing, appear, disappear or change at any time. */
  dir: string
  /** Stores results of reading files, so that the next start is fast. */
  cacheFile?: string | undefined
  /** False if another process writes the cache file. */
  writesCache?: boolean
  artist: Artist
  log: Log
  onProgress?: ((progress: Progress) => void) | undefined
  /** How long the start waits for pictures to be read; others are added later. */
  startTimeoutMs?: number
  /** Of pictures in memory. */
  cacheBytes?: number
  /** Rendered drawings that are kept ready for each kind. */
  pooledDrawings?: number
  /** Has the lists of built-in kinds that `dir` does not have. */
  starterDir?: string | undefined
}

const MISSING: Problem = {
  file: '.',
  rule: 'missing',
  message: 'The folder is missing or cannot be read. Drawings and the last good lists are served.',
}

const isReadable = (dir: string) =>
  access(dir, constants.R_OK).then(
    () => true,
    () => false,
  )

export async function openContent(options: ContentOptions): Promise<Content> {
  const { artist, log, onProgress, startTimeoutMs = 10_000, cacheBytes = 64 * 2 ** 20, pooledDrawings = 8 } = options
  const { writesCache = true } = options
  const dir = resolve(options.dir)
  const cache = await openFileCache<Entry>(options.cacheFile, log, { isWritable: writesCache })
  const problemLog = createProblemLog(log, dir)
  const pictures = new PictureFolders({
    path: join(dir, 'animals'),
    cache,
    onPublish: () => content.refresh(),
    onProblem: problemLog.add,
    onProgress,
  })
  const starterLists = await Promise.all(
    listCategories.map((category) => ListFolder.open(category, options.starterDir ?? starterDir)),
  )
  let lists: ListFolder[] = []
  let missing: Problem[] = []

  const check = async () => {
    await pictures.scan()
    const wasMissing = missing.length > 0
    missing = (await isReadable(dir)) ? [] : [MISSING]
    if (!wasMissing) missing.forEach(problemLog.add)
  }

  const content = new Content({
    artist,
    pictures,
    lists: () => lists,
    starterLists,
    cacheBytes,
    pooledDrawings,
    problems: () => [...missing, ...lists.flatMap(({ problems }) => problems), ...pictures.problems],
    async dispose() {
      watcher.close()
      problemLog.close()
      await Promise.all(lists.map((list) => list.close()))
      await pictures.close()
      await cache.close()
    },
  })

  const handleListChange = (list: ListFolder) => {
    list.problems.forEach(problemLog.add)
    content.refresh()
  }

  // The timers of watchers do not keep a process alive; a command must wait for the first scan.
  const keepAlive = setInterval(() => {}, 2 ** 30)
  try {
    content.refresh()
    const opened = listCategories.map((category) => ListFolder.open(category, dir, handleListChange))
    lists = await Promise.all(opened)
    await check()
    for (const list of lists) list.problems.forEach(problemLog.add)
    content.refresh()
  } finally {
    clearInterval(keepAlive)
  }
  const watcher = watchFolder(dir, check)
  const timeout = new AbortController()
  const waiting = sleep(startTimeoutMs, undefined, { signal: timeout.signal }).catch(() => {})
  await Promise.race([content.whenIndexed(), waiting])
  timeout.abort()
  void content.fillDrawingPool()
  void content.whenIndexed().then(() => cache.dropRest())
  return content
}

/** Logs problems in batches, and not all of them: 100,000 broken files must not fill the disk with log lines. */
export function createProblemLog(log: Log, dir: string) {
  let problems: Problem[] = []
  let timer: NodeJS.Timeout | undefined

  const flush = () => {
    timer = undefined
    for (const { message, ...place } of problems.slice(0, MAX_LOGGED_PROBLEMS)) {
      const what = place.file === '.' ? `the folder ${dir}` : place.file
      log.warn(place, `content: ${what} has a problem: ${message}`)
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

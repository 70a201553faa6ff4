import { access, constants } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ROOT } from '../../config/root.ts'
import { watchFolder } from '../../platform/files/index.ts'
import { Animals } from './animals.ts'
import { Content } from './content.ts'
import { listCategories } from './kinds.ts'
import { ListFolder } from './list-folder.ts'
import { openMemory } from './memory.ts'
import { problemLog } from './problem-log.ts'
import type { Found } from './read-entry.ts'
import type { Artist, Log, Problem, Progress } from './types.ts'

/** The content that comes with the service. */
export const starterDir = join(ROOT, 'content')

export interface ContentOptions {
  /** CONTENT_DIR; it may be missing, and come, go or change at any time. */
  dir: string
  /** Where to keep what was found out about files, so that the next start need not read them; without it nothing is kept. */
  cacheFile?: string | undefined
  /** False where another process keeps that file: it is read at the start and left as it is. */
  writesCache?: boolean
  artist: Artist
  log: Log
  onProgress?: ((progress: Progress) => void) | undefined
  /** The start waits this long for pictures to be read; the others join while it serves. */
  startWithinMs?: number
  /** Memory for the bytes of pictures in demand. */
  cacheBytes?: number
  /** How many drawings of each kind wait for somebody to ask for them. */
  drawAhead?: number
  /** Lists of built-in kinds that `dir` has not are taken from here. */
  starterDir?: string | undefined
}

const AWAY: Problem = {
  file: '.',
  rule: 'missing',
  message: 'The folder is missing or cannot be read; drawings are served, and the lists as they were read last.',
}

const isReadable = (dir: string) =>
  access(dir, constants.R_OK).then(
    () => true,
    () => false,
  )

export async function openContent(options: ContentOptions): Promise<Content> {
  const { artist, log, onProgress, startWithinMs = 10_000, cacheBytes = 64 * 2 ** 20, drawAhead = 8 } = options
  const { writesCache = true } = options
  const dir = resolve(options.dir)
  const memory = await openMemory<Found>(options.cacheFile, log, { writes: writesCache })
  const problems = problemLog(log, dir)
  const animals = new Animals({
    path: join(dir, 'animals'),
    memory,
    changed: () => content.refresh(),
    noticed: problems.notice,
    onProgress,
  })
  const lists = listCategories.map((category) => new ListFolder(category, dir))
  const starters = listCategories.map((category) => new ListFolder(category, options.starterDir ?? starterDir))

  let away: Problem[] = []
  const look = async () => {
    const [changed] = await Promise.all([Promise.all(lists.map((list) => list.look())), animals.look()])
    const wasAway = away.length > 0
    away = (await isReadable(dir)) ? [] : [AWAY]
    if (!wasAway) away.forEach(problems.notice)
    if (!changed.includes(true)) return
    for (const { problems: found } of lists) found.forEach(problems.notice)
    content.refresh()
  }

  const content = new Content({
    artist,
    animals,
    lists,
    starters,
    cacheBytes,
    drawAhead,
    problems: () => [...away, ...lists.flatMap(({ problems }) => problems), ...animals.problems],
    async dispose() {
      watching.close()
      problems.close()
      await animals.close()
      await memory.close()
    },
  })

  // The first looks hang on timers of the watching, which do not keep a process alive; a command waits for them.
  const awake = setInterval(() => {}, 2 ** 30)
  try {
    await Promise.all(starters.map((list) => list.look()))
    content.refresh()
    await look()
  } finally {
    clearInterval(awake)
  }
  const watching = watchFolder(dir, look)
  const patience = new AbortController()
  await Promise.race([
    content.settled(),
    setTimeout(startWithinMs, undefined, { signal: patience.signal }).catch(() => {}),
  ])
  patience.abort()
  void content.drawAhead()
  void content.settled().then(() => memory.forgetRest())
  return content
}

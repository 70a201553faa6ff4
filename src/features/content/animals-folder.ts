import { opendir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  describeShrink,
  type FolderWatcher,
  hasLastGoodState,
  isExhausted,
  isFolder,
  type LastGoodFolder,
  readLastGoodState,
  ShrinkGuard,
  watchFolder,
  writeLastGoodState,
} from '../../platform/files/index.ts'
import type { Problem } from '../../platform/logging/index.ts'
import { listVisibleNames } from './content-file.ts'
import { KindFolder, type KindFolderOptions } from './kind-folder.ts'
import { invalidKindName, isKindName } from './kinds.ts'
import { createReadQueue, type OnProgress } from './read-queue.ts'

interface Options extends Omit<KindFolderOptions, 'queue'> {
  /** `animals` in the content folder. */
  path: string
  lastGoodFolder?: LastGoodFolder | undefined
  onProgress?: OnProgress | undefined
}

/** The folders of pictures, one per kind. Each has its own watcher, so a change is searched only in its folder. */
export function createAnimalsFolder({ path, lastGoodFolder, onProgress, ...options }: Options) {
  const guard = createPictureGuard({ contentDir: dirname(path), lastGoodFolder, onProblem: options.onProblem })
  const folders = new Map<string, KindFolder>()
  const watchers = new Map<string, FolderWatcher>()
  const queue = createReadQueue(() => {
    for (const folder of folders.values()) if (folder.hasUnpublished) folder.publish()
  }, onProgress)
  let invalidNames: Problem[] = []
  let unreadable: Problem[] = []

  /** Resolves when the folder was scanned once. */
  function add(kind: string): Promise<void> {
    const folder = new KindFolder(kind, join(path, kind), { ...options, queue })
    folders.set(kind, folder)
    const firstCheck = Promise.withResolvers<void>()
    const check = (hasChanged: boolean) =>
      (hasChanged ? folder.scan() : folder.checkSample()).finally(firstCheck.resolve)
    watchers.set(
      kind,
      watchFolder(folder.path, check, (names) => folder.checkNames(names)),
    )
    return firstCheck.promise
  }

  function remove(kind: string): void {
    watchers.get(kind)?.close()
    watchers.delete(kind)
    folders.get(kind)?.close()
    folders.delete(kind)
    options.onPublish()
  }

  async function findUnreadable(names: readonly string[]): Promise<void> {
    const known = new Set(unreadable.map(({ file }) => file))
    const found = await Promise.all(names.map((name) => findFolderProblem(dirname(path), join('animals', name))))
    unreadable = found.filter((problem) => problem !== undefined)
    for (const problem of unreadable) if (!known.has(problem.file)) options.onProblem(problem)
  }

  return {
    folders: folders as ReadonlyMap<string, KindFolder>,
    whenIndexed: queue.whenIdle,
    entryCounts: guard.entryCounts,
    problems: (): Problem[] => [
      ...guard.problems(),
      ...unreadable,
      ...invalidNames,
      ...[...folders.values()].flatMap(({ problems }) => problems),
    ],
    /** Finds kinds that were added, removed or lost pictures; resolves when the added ones were scanned once. */
    async scan(): Promise<void> {
      const names = await listFolders(path).catch(() => [...folders.keys()])
      invalidNames = names.filter((name) => !isKindName(name)).map((name) => invalidKindName(`animals/${name}`))
      const kinds = new Set(names.filter(isKindName))
      for (const kind of folders.keys()) if (!kinds.has(kind)) remove(kind)
      await Promise.all([...kinds].filter((kind) => !folders.has(kind)).map(add))
      await findUnreadable(['', ...kinds])
      if (queue.isIdle()) await guard.check(folders.values())
    },
    async close(): Promise<void> {
      for (const kind of folders.keys()) remove(kind)
      await queue.close()
    },
  }
}

/** Undefined if the folder can be listed, or does not exist. */
async function findFolderProblem(contentDir: string, file: string): Promise<Problem | undefined> {
  try {
    await (await opendir(join(contentDir, file))).close()
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    const effect = isExhausted(error) ? 'New pictures are not found.' : 'Its pictures are not served.'
    return { file, rule: 'readable', message: `The folder cannot be read (${code}). ${effect}` }
  }
}

/** Includes links to folders. */
async function listFolders(path: string): Promise<string[]> {
  const names = await listVisibleNames(path)
  const areFolders = await Promise.all(names.map((name) => isFolder(join(path, name))))
  return names.filter((_, index) => areFolders[index])
}

/** One picture may always be deleted. */
const MIN_LOST = 2

interface PictureGuardOptions {
  contentDir: string
  lastGoodFolder?: LastGoodFolder | undefined
  onProblem(problem: Problem): void
}

/** Reports kinds that lost all or most of their pictures. No copies of pictures are kept, so these are not served. */
function createPictureGuard({ contentDir, lastGoodFolder, onProblem }: PictureGuardOptions) {
  let guard: ShrinkGuard | undefined
  let problems: Problem[] = []
  let saved = ''

  async function save(options: LastGoodFolder, state: Parameters<typeof writeLastGoodState>[1]): Promise<void> {
    const text = JSON.stringify(state)
    if (text === saved && (await hasLastGoodState(options))) return
    try {
      await writeLastGoodState(options, state)
      saved = text
      options.onSave?.(options.dir)
    } catch (error) {
      // The next check tries again, also if the state that was saved before is back.
      saved = ''
      options.onSave?.(options.dir, error as NodeJS.ErrnoException)
    }
  }

  return {
    problems: () => problems,
    entryCounts: () => [...(guard?.entryCounts.values() ?? [])],
    /** Call it when no picture waits to be read. */
    async check(folders: Iterable<KindFolder>): Promise<void> {
      const state = guard ? undefined : lastGoodFolder && (await readLastGoodState(lastGoodFolder))
      guard ??= new ShrinkGuard({ folder: contentDir, minLost: MIN_LOST }, state?.baselines)
      const groups = new Map([...folders].map((folder) => [`animals/${folder.kind}`, folder]))
      const counts = new Map([...groups].map(([name, { index }]) => [name, index.count]))
      await guard.check(counts, Date.now(), (name) => groups.get(name)?.foundAt)
      const known = new Set(problems.map(({ file }) => file))
      problems = guard.shrunk.map((group) => describeShrink(group, 'Pictures that are gone are not served.'))
      for (const problem of problems) if (!known.has(problem.file)) onProblem(problem)
      if (lastGoodFolder?.isWriter) await save(lastGoodFolder, { baselines: guard.baselines, copies: {} })
    },
  }
}

import {
  describeShrink,
  hasLastGoodState,
  type LastGoodFolder,
  readLastGoodState,
  ShrinkGuard,
  writeLastGoodState,
} from '../../platform/files/index.ts'
import type { Problem } from '../../platform/logging/index.ts'
import type { KindFolder } from './kind-folder.ts'

/** One picture may always be deleted. */
const MIN_LOST = 2

interface PictureGuardOptions {
  contentDir: string
  lastGoodFolder?: LastGoodFolder | undefined
  onProblem(problem: Problem): void
}

/** Reports kinds that lost all or most of their pictures. No copies of pictures are kept, so these are not served. */
export function createPictureGuard({ contentDir, lastGoodFolder, onProblem }: PictureGuardOptions) {
  let guard: ShrinkGuard | undefined
  let problems: Problem[] = []
  let saved = ''

  async function save(options: LastGoodFolder, state: Parameters<typeof writeLastGoodState>[1]): Promise<void> {
    const text = JSON.stringify(state)
    if (text === saved && (await hasLastGoodState(options))) return
    try {
      await writeLastGoodState(options, state)
      saved = text
    } catch {
      // The next check tries again. Other parts report that the data folder cannot be written.
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

// The folder as it is served now: follows the edits and the clock, and swaps the whole state at once.
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { watchFolder } from '../../platform/files/index.ts'
import type { Log, Problem } from '../../platform/logging/index.ts'
import { lookForFiles, type Present } from './downloads.ts'
import { type Catalogue, catalogueOf, type Published, publishedAt } from './published.ts'
import { openFolder } from './read/folder.ts'
import { statOf } from './read/stats.ts'

const CLOCK_LOOK_MS = 1000
const FEW_FILES = 250

export interface ReleasesOptions {
  /** The folder with releases.yaml, resources.yaml, tiers.yaml, news/ and files/. */
  readonly dir: string
  readonly log: Log
  /** The title of the feeds. */
  readonly title?: string
  readonly now?: () => number
}

interface State {
  readonly catalogue: Catalogue
  readonly published: Published
  readonly present: Present
  readonly problems: readonly Problem[]
  /** Counts the changes of what is public. */
  readonly revision: number
}

const nothing = { releases: {}, resources: {}, tiers: {}, news: [] }

export async function openLive({ dir, log, now = Date.now }: ReleasesOptions) {
  const folder = openFolder(dir)
  let contentProblems: readonly Problem[] = []
  let filesMark: string | undefined
  let queue = Promise.resolve()

  const stateOf = (catalogue: Catalogue, rest: Omit<State, 'catalogue' | 'published'>): State => {
    const published = publishedAt(catalogue, now())
    return { ...rest, catalogue, published }
  }
  let state = stateOf(catalogueOf(nothing), { present: new Map(), problems: [], revision: 0 })

  const look = async (surely: boolean) => {
    const mark = (await statOf(join(dir, 'files')))?.mark
    const content = await folder.look(surely)
    const lookAtFiles = surely || content || mark !== filesMark || state.present.size <= FEW_FILES
    filesMark = mark
    if (!lookAtFiles) return
    const catalogue = content ? catalogueOf(content) : state.catalogue
    if (content) contentProblems = content.problems
    const { present, problems: missing } = await lookForFiles(dir, catalogue)
    tell([...contentProblems, ...missing])
    const rest = { present, problems: [...contentProblems, ...missing] }
    state = content ? stateOf(catalogue, { ...rest, revision: state.revision + 1 }) : { ...state, ...rest }
    if (content) log.info({ revision: state.revision, problems: state.problems.length }, 'Releases and news are read')
  }

  const tell = (problems: Problem[]) => {
    const isNew = (problem: Problem) => !state.problems.some((known) => isDeepStrictEqual(known, problem))
    for (const problem of problems.filter(isNew)) log.warn({ problem }, `${problem.file}: ${problem.message}`)
  }

  /** One look at a time. A look that fails changes nothing that is served. */
  const refresh = (surely: boolean): Promise<void> => {
    queue = queue
      .then(() => look(surely))
      .catch((error: NodeJS.ErrnoException) => {
        const message = `The folder cannot be read (${error.code ?? error.message})`
        const problem: Problem = { file: '.', line: 1, rule: 'readable', message }
        tell([problem])
        filesMark = ''
        state = { ...state, problems: [...contentProblems, problem] }
      })
    return queue
  }

  await refresh(true)
  const watching = watchFolder(dir, refresh)

  // A timer set for the due time would be wrong after the clock was set or the machine slept.
  const clock = setInterval(() => {
    const { catalogue, published, present, problems, revision } = state
    if (now() >= published.from && now() < published.until) return
    state = stateOf(catalogue, { present, problems, revision: revision + 1 })
  }, CLOCK_LOOK_MS)
  clock.unref()

  return {
    state: () => state,
    reload: () => refresh(true),
    close: async () => {
      watching.close()
      clearInterval(clock)
      await queue
      await folder.close()
    },
  }
}

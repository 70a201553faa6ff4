// The releases folder as it is served now. Follows edits of the files and the clock, and replaces the state as a whole.
import { isDeepStrictEqual } from 'node:util'
import { FileGone } from '../../errors/index.ts'
import { createSerialRun } from '../../platform/concurrency/index.ts'
import { type LastGoodFolder, WatchedFiles, watchFolder } from '../../platform/files/index.ts'
import type { Log, Problem } from '../../platform/logging/index.ts'
import type { PublishedFile } from './asset.ts'
import { buildCatalogue, type Catalogue, type Published, selectPublished } from './catalogue.ts'
import { joinNews, type NewsText } from './news.ts'
import { findStoppedRamps } from './ramp.ts'
import { createFileReader, type FileValue, listContentFiles, NEWS_DIR } from './read/read-files.ts'
import { countEntries, isDataFile, type ReleasesFile, type ResourcesFile, type TiersFile } from './read/schemas.ts'
import type { AvailableFiles, Downloader, FileDownload } from './release-files.ts'
import { createDigests, findFiles, openFile, verifyChanges } from './release-files.ts'

const CLOCK_INTERVAL_MS = 1000
/** Checking this many files takes about 10 ms. More are checked only after a file event. */
const MAX_ROUTINE_FILES = 250

export interface ReleasesOptions {
  /** The folder with releases.yaml, resources.yaml, tiers.yaml, news/ and files/. */
  readonly dir: string
  readonly log: Log
  /** Where the last good state is kept for the next start. */
  readonly lastGoodFolder?: LastGoodFolder | undefined
  /** The title of the feeds. */
  readonly title?: string
  readonly now?: () => number
}

interface State {
  readonly catalogue: Catalogue
  readonly published: Published
  readonly availableFiles: AvailableFiles
  readonly problems: readonly Problem[]
  /** Counts the changes of the published content. */
  readonly revision: number
}

export async function watchReleases({ dir, log, lastGoodFolder, now = Date.now }: ReleasesOptions) {
  const reader = createFileReader()
  const files = await WatchedFiles.open<FileValue, Problem>({
    folder: dir,
    list: () => listContentFiles(dir),
    read: reader.read,
    groupOf: (name) => (isDataFile(name) ? name : NEWS_DIR),
    countEntries: (value) => (isNews(value) ? 1 : countEntries(value)),
    lastGoodFolder,
  })
  const digests = createDigests()
  const newsOwners = new Map<string, string>()
  const emptyCatalogue = buildCatalogue({})
  let isClosed = false
  let contentProblems: readonly Problem[] = []
  let state: State = {
    catalogue: emptyCatalogue,
    published: selectPublished(emptyCatalogue, now()),
    availableFiles: new Map(),
    problems: [],
    revision: 0,
  }

  const readContent = (): Catalogue => {
    const { values, error } = files
    const { items, problems } = joinNews([...values.values()].filter(isNews), newsOwners)
    const folderProblems = [...files.lastGood.problems, ...(error ? [describeFolderError(error)] : [])]
    const catalogue = buildCatalogue({
      releases: values.get('releases.yaml') as ReleasesFile | undefined,
      resources: values.get('resources.yaml') as ResourcesFile | undefined,
      tiers: values.get('tiers.yaml') as TiersFile | undefined,
      news: items,
    })
    const stoppedRamps = findStoppedRamps(Object.values(catalogue.releases).flat())
    contentProblems = [...folderProblems, ...files.problems, ...problems, ...stoppedRamps]
    return catalogue
  }

  const update = async (isContentChanged: boolean) => {
    const catalogue = isContentChanged ? readContent() : state.catalogue
    const { availableFiles, problems: fileProblems } = await findFiles(dir, catalogue, digests)
    const problems = [...contentProblems, ...fileProblems]
    logNewProblems(problems)
    const before = state
    if (isContentChanged || !hasSameNames(availableFiles, before.availableFiles)) {
      const published = selectPublished(catalogue, now(), createAvailability(availableFiles))
      state = { catalogue, published, availableFiles, problems, revision: before.revision + 1 }
    } else {
      state = { ...before, availableFiles, problems }
    }
    if (isContentChanged) log.info({ revision: state.revision, problems: problems.length }, 'releases and news loaded')
    // At the start there may be many large files: each is read at its first download.
    if (before.revision > 0) void verify(before.availableFiles)
  }

  const verify = async (before: AvailableFiles) => {
    if ((await verifyChanges(digests, before, state.availableFiles)) && !isClosed) await reload()
  }

  const logNewProblems = (problems: readonly Problem[]) => {
    const isNew = (problem: Problem) => !state.problems.some((other) => isDeepStrictEqual(other, problem))
    for (const problem of problems.filter(isNew)) log.warn({ problem }, `${problem.file}: ${problem.message}`)
  }

  /** Whether files were changed since the last check began. */
  let hasEvent = false
  const checks = createSerialRun(async () => {
    const hasChanged = hasEvent
    hasEvent = false
    const isContentChanged = await files.reload(hasChanged)
    if (isContentChanged || hasChanged || state.availableFiles.size <= MAX_ROUTINE_FILES) await update(isContentChanged)
  })
  function reload(hasChanged = true): Promise<void> {
    hasEvent ||= hasChanged
    return checks.run()
  }

  await update(true)
  const watcher = watchFolder(dir, reload)

  // A timer for the next scheduled date would be wrong after the clock was set or the machine was suspended.
  const clock = setInterval(() => {
    const { catalogue, published, availableFiles, revision } = state
    if (now() >= published.validFrom && now() < published.validUntil) return
    const selected = selectPublished(catalogue, now(), createAvailability(availableFiles))
    state = { ...state, published: selected, revision: revision + 1 }
  }, CLOCK_INTERVAL_MS).unref()

  return {
    state: () => state,
    /** Throws if it is not the published file any more. */
    async openFile(download: FileDownload, downloader: Downloader) {
      const stream = await openFile(digests, download, downloader)
      if (stream) return stream
      // Reports the problem.
      void reload()
      throw new FileGone(download.version)
    },
    entryCounts: () => files.lastGood.entryCounts,
    reload: () => reload(),
    close: async () => {
      isClosed = true
      watcher.close()
      clearInterval(clock)
      await files.close()
      await checks.whenIdle()
      await reader.close()
    },
  }
}

const hasSameNames = (a: AvailableFiles, b: AvailableFiles) =>
  a.size === b.size && [...a.keys()].every((name) => b.has(name))

const createAvailability =
  (availableFiles: AvailableFiles) =>
  ({ source }: PublishedFile) =>
    source.url !== undefined || availableFiles.has(source.file)

const describeFolderError = (error: NodeJS.ErrnoException): Problem => ({
  file: '.',
  line: 1,
  rule: 'readable',
  message: `The folder cannot be read (${error.code ?? error.message})`,
})

const isNews = (value: FileValue): value is NewsText => 'html' in value

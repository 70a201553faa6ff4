import { basename, dirname } from 'node:path'
import { describeWithoutPath, type FileReading, type FileState, WatchedFiles } from '../../platform/files/index.ts'
import type { Log } from '../../platform/logging/index.ts'
import { HostIndex } from './host-index.ts'
import { type ListSource, OWN_LIST, readOrigin } from './list-files.ts'
import { readList } from './read-list.ts'

export {
  acceptList,
  blocklistSources,
  CONTENT_LIST,
  contentListFile,
  downloadedListFile,
  editBlocklist,
  putBlocklist,
  readOrigin,
} from './list-files.ts'
export { scheduleUpdates, UpdateError, type UpdateOptions, updateBlocklist } from './update.ts'

export interface BlocklistInfo {
  readonly path: string
  /** SHA-256 of the file, as `sha256sum` prints it. */
  readonly sha256: string
  readonly size: number
  readonly entries: number
  readonly modifiedAt: string
  /** The host that the list was fetched from, or the name of its source. */
  readonly source: string
}

interface BlocklistOptions {
  /** All of them are used. */
  readonly sources: readonly ListSource[]
  readonly log: Log
}

type LoadedList = { readonly info: BlocklistInfo; readonly ignored: number; readonly index: HostIndex }

type Lists = WatchedFiles<LoadedList, string>

export type Blocklist = Awaited<ReturnType<typeof openBlocklist>>

/** The hosts from which no image is fetched. Follows changes of its files within two seconds. */
export async function openBlocklist({ sources, log }: BlocklistOptions) {
  let files: readonly Lists[] = []
  let active: readonly LoadedList[] = []
  let own: readonly LoadedList[] = []
  let problem: string | undefined

  function activate(): void {
    const loaded = files.flatMap(({ values }) => [...values.values()])
    for (const { info, ignored } of loaded.filter((list) => !active.includes(list))) {
      const { entries, sha256, source } = info
      log.info({ entries, ignored, sha256, source }, 'the blocklist is active')
    }
    active = loaded
    own = files.flatMap(({ values }, index) => (sources[index]?.source === OWN_LIST ? [...values.values()] : []))
    const problems = files.map((list, index) => describeProblem(list, sources[index]?.source))
    const first = problems.find((message) => message !== undefined)
    if (first && first !== problem) log.warn({}, first)
    problem = first
  }

  files = await Promise.all(sources.map((source) => openFile(source, activate)))
  activate()

  /** Exceptions of the operator's list apply to all lists: with them an operator corrects a downloaded list. */
  const isAllowed = (host: string) => own.some(({ index }) => index.allows(host))

  return {
    /** True if the host or one of its parent domains is listed. */
    blocks: (host: string): boolean => active.some(({ index }) => index.has(host)) && !isAllowed(host),
    /** The entry that blocks a host. */
    entryFor: (host: string) =>
      isAllowed(host)
        ? undefined
        : active.map(({ index }) => index.entryFor(host)).find((entry) => entry !== undefined),
    /**
     * All lists. The first one is always `blocklist.txt`: the downloaded list or, without one, the operator's list. If
     * there are both, the operator's list is `content/blocklist.txt`.
     */
    infos: (): BlocklistInfo[] =>
      active.map(({ info }, i) => (i === 0 ? info : { ...info, path: `${info.source}/${info.path}` })),
    problem: () => problem,
    /** For each source: the number of entries now, and when the list was last good. */
    entryCounts: () => files.map(({ lastGood }) => lastGood.entryCounts),
    /** Reads the lists now if they changed. */
    async reload(): Promise<void> {
      await Promise.all(files.map((file) => file.reload()))
    },
    async close(): Promise<void> {
      await Promise.all(files.map((file) => file.close()))
    },
  }
}

function describeProblem({ problems, unsettled, lastGood }: Lists, source?: string): string | undefined {
  const name = source === OWN_LIST ? 'the blocklist' : 'the downloaded blocklist'
  const message = problems[0] ?? (unsettled.length > 0 ? cannotBeRead('it is being written') : undefined)
  if (message) return `${name} ${message}`
  return lastGood.problems[0] && `${name} has shrunk. ${lastGood.problems[0].message}`
}

const cannotBeRead = (reason: string) => `cannot be read: ${reason}`

const openFile = ({ file, source, lastGoodFolder }: ListSource, onChange: () => void): Promise<Lists> =>
  WatchedFiles.open<LoadedList, string>({
    folder: dirname(file),
    watch: [dirname(file)],
    list: async () => [basename(file)],
    read: async (files, { signal, pathOf }) => {
      const readings = await Array.fromAsync(files, async ([name, state]) => {
        const reading = await readListFile(pathOf(name), state, signal, async (list) => {
          const origin = await readOrigin(file, list.sha256)
          return { path: name, ...list, modifiedAt: state.modifiedAt.toISOString(), source: origin?.source ?? source }
        })
        return [name, reading] as const
      })
      return new Map(readings)
    },
    countEntries: ({ info }) => info.entries,
    lastGoodFolder,
    onChange,
  })

async function readListFile(
  path: string,
  { isFile, error }: FileState,
  signal: AbortSignal,
  describe: (list: Pick<BlocklistInfo, 'sha256' | 'size' | 'entries'>) => Promise<BlocklistInfo>,
): Promise<FileReading<LoadedList, string>> {
  if (!isFile) return { problems: [cannotBeRead(error ?? 'it is not a file')] }
  try {
    const result = await readList(path, signal)
    if ('rejected' in result) return { problems: [cannotBeRead(result.rejected)] }
    const { index, ignored, invalidLine, ...list } = result.list
    const info = await describe(list)
    // The lines of a downloaded list are not those of the operator.
    const problems =
      info.source === OWN_LIST && invalidLine ? [`blocks nothing with line ${invalidLine}, which names no host`] : []
    return { value: { info, ignored, index: new HostIndex(index) }, problems }
  } catch (error) {
    signal.throwIfAborted()
    return { problems: [cannotBeRead(describeWithoutPath(error as Error))], isTemporary: true }
  }
}

import { basename, dirname } from 'node:path'
import { type EntryCounts, type FileReading, type FileState, WatchedFiles } from '../../platform/files/index.ts'
import type { Log } from '../../platform/logging/index.ts'
import { HostIndex } from './host-index.ts'
import { type ListSource, readOrigin } from './list-files.ts'
import { readList } from './read-list.ts'

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

interface LoadedList {
  readonly info: BlocklistInfo
  readonly ignored: number
  readonly index: HostIndex
}

type Lists = WatchedFiles<LoadedList, string>

/** The hosts from which no image is fetched. Follows changes of its files within two seconds. */
export class Blocklist {
  readonly #options: BlocklistOptions
  #files: readonly Lists[] = []
  #active: readonly LoadedList[] = []
  #problem: string | undefined

  private constructor(options: BlocklistOptions) {
    this.#options = options
  }

  static async open(options: BlocklistOptions): Promise<Blocklist> {
    const list = new Blocklist(options)
    list.#files = await Promise.all(options.sources.map((source) => openFile(source, () => list.#activate())))
    list.#activate()
    return list
  }

  /** True if the host or one of its parent domains is listed. */
  readonly blocks = (host: string): boolean => this.#active.some(({ index }) => index.has(host))

  /** The entry that blocks a host. */
  entryFor(host: string): string | undefined {
    return this.#active.map(({ index }) => index.entryFor(host)).find((entry) => entry !== undefined)
  }

  /** The first list. Undefined if there is none. */
  info(): BlocklistInfo | undefined {
    return this.#active[0]?.info
  }

  /**
   * All lists. The first one is always `blocklist.txt`: the fetched list or, if there is none, the operator's list. If
   * there are both, the operator's list is `content/blocklist.txt`.
   */
  infos(): BlocklistInfo[] {
    return this.#active.map(({ info }, i) => (i === 0 ? info : { ...info, path: `${info.source}/${info.path}` }))
  }

  problem(): string | undefined {
    return this.#problem
  }

  /** For each source: the number of entries now, and when the list was last good. */
  entryCounts(): EntryCounts[][] {
    return this.#files.map(({ lastGood }) => lastGood.entryCounts)
  }

  async close(): Promise<void> {
    await Promise.all(this.#files.map((file) => file.close()))
  }

  /** Reads the lists now if they changed. */
  async reload(): Promise<void> {
    await Promise.all(this.#files.map((file) => file.reload()))
  }

  #activate(): void {
    const { sources, log } = this.#options
    const active = this.#files.flatMap(({ values }) => [...values.values()])
    for (const { info, ignored } of active.filter((list) => !this.#active.includes(list))) {
      const { entries, sha256, source } = info
      log.info({ entries, ignored, sha256, source }, 'the blocklist is active')
    }
    this.#active = active
    const problems = this.#files.map((files, index) => describeProblem(files, sources[index]?.source))
    const problem = problems.find((message) => message !== undefined)
    if (problem && problem !== this.#problem) log.warn({}, problem)
    this.#problem = problem
  }
}

function describeProblem({ problems, unsettled, lastGood }: Lists, source?: string): string | undefined {
  const name = source === 'content' ? 'the blocklist' : 'the fetched blocklist'
  const message = problems[0] ?? (unsettled.length > 0 ? 'it is being written' : undefined)
  if (message) return `${name} cannot be read: ${message}`
  return lastGood.problems[0] && `${name} has shrunk. ${lastGood.problems[0].message}`
}

const openFile = ({ file, source, lastGoodFolder }: ListSource, onChange: () => void): Promise<Lists> =>
  WatchedFiles.open<LoadedList, string>({
    folder: dirname(file),
    watch: [dirname(file)],
    list: async () => [basename(file)],
    read: async (files, { signal, pathOf }) => {
      const readings = new Map<string, FileReading<LoadedList, string>>()
      for (const [name, state] of files) {
        const reading = await readListFile(pathOf(name), state, signal, async (list) => {
          const origin = await readOrigin(file, list.sha256)
          return { path: name, ...list, modifiedAt: state.modifiedAt.toISOString(), source: origin?.source ?? source }
        })
        readings.set(name, reading)
      }
      return readings
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
  if (!isFile) return { problems: [error ?? 'it is not a file'] }
  try {
    const result = await readList(path, signal)
    if ('rejected' in result) return { problems: [result.rejected] }
    const { index, ignored, ...list } = result.list
    return { value: { info: await describe(list), ignored, index: new HostIndex(index) }, problems: [] }
  } catch (error) {
    signal.throwIfAborted()
    return { problems: [(error as Error).message], isTemporary: true }
  }
}

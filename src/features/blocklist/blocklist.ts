import { basename, dirname } from 'node:path'
import { type FileReading, type FileState, statFile, WatchedFiles } from '../../platform/files/index.ts'
import type { Log, Problem } from '../../platform/logging/index.ts'
import { HostIndex } from './host-index.ts'
import { type Candidate, readOrigin } from './list-files.ts'
import { readList } from './read-list.ts'

export interface BlocklistInfo {
  readonly path: string
  /** Of the bytes of the file, as `sha256sum` prints it. */
  readonly sha256: string
  readonly size: number
  readonly entries: number
  readonly modifiedAt: string
  /** The host that the list was fetched from, or the name of the candidate. */
  readonly source: string
}

interface BlocklistOptions {
  /** The first one that exists is used. */
  readonly candidates: readonly Candidate[]
  readonly log: Log
}

interface LoadedList {
  readonly info: BlocklistInfo
  readonly ignored: number
  readonly index: HostIndex
}

type ListProblem = Pick<Problem, 'file' | 'message'>
type Lists = WatchedFiles<LoadedList, ListProblem>
type Reading = FileReading<LoadedList, ListProblem>

/** The hosts from which no image is fetched. Follows changes of its file within two seconds. */
export class Blocklist {
  readonly #options: BlocklistOptions
  #lists: Lists | undefined
  #active: LoadedList | undefined
  #problem: string | undefined

  private constructor(options: BlocklistOptions) {
    this.#options = options
  }

  static async open(options: BlocklistOptions): Promise<Blocklist> {
    const list = new Blocklist(options)
    list.#lists = await WatchedFiles.open<LoadedList, ListProblem>({
      folder: '.',
      watch: [...new Set(options.candidates.map(({ file }) => dirname(file)))],
      list: (lists) => list.#selectFiles(lists),
      read: (files, signal) => list.#readFiles(files, signal),
      onChange: (lists) => list.#activate(lists),
    })
    // If the first list cannot be used, the next one is better than none.
    if (!list.#active && list.#lists.problems.length > 0) await list.reload()
    return list
  }

  /** True if the host or one of its parent domains is listed. */
  readonly blocks = (host: string): boolean => this.#active?.index.has(host) ?? false

  /** The entry that blocks a host. */
  entryFor(host: string): string | undefined {
    return this.#active?.index.entryFor(host)
  }

  /** Undefined if there is no list. */
  info(): BlocklistInfo | undefined {
    return this.#active?.info
  }

  problem(): string | undefined {
    return this.#problem
  }

  close(): void {
    void this.#lists?.close()
  }

  /** Reads the list now if it changed. */
  async reload(): Promise<void> {
    await this.#lists?.reload()
  }

  /** The candidates up to the first one that exists and was not rejected: each loaded list takes memory. */
  async #selectFiles(lists: Lists): Promise<string[]> {
    const rejected = new Set(lists.problems.map(({ file }) => file))
    const files: string[] = []
    for (const { file } of this.#options.candidates) {
      files.push(file)
      if ((await statFile(file)) && (lists.values.has(file) || !rejected.has(file))) break
    }
    return files
  }

  async #readFiles(files: ReadonlyMap<string, FileState>, signal: AbortSignal) {
    const readings = new Map<string, Reading>()
    for (const [file, state] of files) readings.set(file, await this.#readFile(file, state, signal))
    return readings
  }

  async #readFile(file: string, { isFile, error, modifiedAt }: FileState, signal: AbortSignal): Promise<Reading> {
    if (!isFile) return { problems: [{ file, message: error ?? 'it is not a file' }] }
    try {
      const result = await readList(file, signal)
      if ('rejected' in result) return { problems: [{ file, message: result.rejected }] }
      const { index, ignored, ...rest } = result.list
      const origin = await readOrigin(file, rest.sha256)
      const source = origin?.source ?? this.#options.candidates.find((candidate) => candidate.file === file)!.source
      const info = { path: basename(file), ...rest, modifiedAt: modifiedAt.toISOString(), source }
      return { value: { info, ignored, index: new HostIndex(index) }, problems: [] }
    } catch (error) {
      signal.throwIfAborted()
      return { problems: [{ file, message: (error as Error).message }], isTemporary: true }
    }
  }

  #activate({ values, problems, unsettled }: Lists): void {
    const { candidates, log } = this.#options
    const active = candidates.map(({ file }) => values.get(file)).find((list) => list !== undefined)
    if (active && active !== this.#active) {
      const { entries, sha256, source } = active.info
      log.info({ entries, ignored: active.ignored, sha256, source }, 'the blocklist is active')
    }
    this.#active = active
    const message = problems[0]?.message ?? (unsettled.length > 0 ? 'it is being written' : undefined)
    const problem = message && `the blocklist cannot be read: ${message}`
    if (problem && problem !== this.#problem) log.warn({}, problem)
    this.#problem = problem
  }
}

// The last good state of a folder: in memory while the service runs, and as copies in the data folder for the next start.
import { hash } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log, Problem } from '../logging/index.ts'
import { type FileState, statFile, statFiles, toFileState } from './file-changes.ts'
import { computeSha256, copyContent, readRegularFile, writeAtomically } from './safe-files.ts'
import { type Baseline, describeShrink, type EntryCounts, ShrinkGuard } from './shrink-guard.ts'

const STATE_FILE = 'state.json'

/** Where the last good state is kept. */
export interface LastGoodFolder {
  readonly dir: string
  /** False if another process writes it. */
  readonly isWriter: boolean
  readonly log: Pick<Log, 'warn'>
  /** Called after each attempt to save the state; with the error if it failed. */
  readonly onSave?: ((dir: string, error?: NodeJS.ErrnoException) => void) | undefined
}

/** Returns, for each part of the service, where its last good state is kept. */
export const lastGoodFoldersIn =
  (dataDir: string, options: Omit<LastGoodFolder, 'dir'>) =>
  (part: string): LastGoodFolder => ({ dir: join(dataDir, 'last-good', part), ...options })

/** A copy is named by its digest. */
interface Copy {
  readonly sha256: string
  /** Version of the file when it was copied. */
  readonly version: string
}

export interface LastGoodState {
  readonly baselines: Readonly<Record<string, Baseline>>
  readonly copies: Readonly<Record<string, Copy>>
}

/** The first line is the digest of the second one. Undefined: there is no state, or it is damaged. */
export async function readLastGoodState({ dir, log }: LastGoodFolder): Promise<LastGoodState | undefined> {
  const content = (await readRegularFile(join(dir, STATE_FILE)).catch(() => undefined))?.toString()
  if (content === undefined) return undefined
  const [digest, text = ''] = content.split('\n')
  if (hash('sha256', text) === digest) return JSON.parse(text)
  log.warn({}, 'the last good state of the content is damaged; it is not used')
  return undefined
}

export const writeLastGoodState = ({ dir }: LastGoodFolder, state: LastGoodState): Promise<void> => {
  const text = JSON.stringify(state)
  return writeAtomically(join(dir, STATE_FILE), `${hash('sha256', text)}\n${text}\n`)
}

export const hasLastGoodState = async ({ dir }: LastGoodFolder) => (await statFile(join(dir, STATE_FILE))) !== undefined

/** A file as it was read last. */
interface ReadFile<T> {
  /** Undefined if no version of the file was valid since the start. */
  readonly value?: T | undefined
  /** The version that `value` was read from. */
  readonly goodVersion?: string | undefined
}
type ReadFiles<T> = ReadonlyMap<string, ReadFile<T>>

interface LastGoodOptions<T> {
  readonly folder: string
  readonly lastGoodFolder?: LastGoodFolder | undefined
  groupOf(name: string): string
  countEntries(value: T): number
  readCopies(copies: ReadonlyMap<string, FileState>, pathOf: (name: string) => string): Promise<ReadonlyMap<string, T>>
}

export class LastGood<T> {
  readonly #options: LastGoodOptions<T>
  readonly #guard: ShrinkGuard
  readonly #good = new Map<string, T>()
  #copies: Map<string, Copy>
  #files: ReadFiles<T> | undefined
  #saving = Promise.resolve()
  #waitingSaves = 0
  #hasFailed = false
  /** What was written last. */
  #savedState = ''
  /** The values in use, by file name. Another object after each change. */
  values: ReadonlyMap<string, T> = new Map()

  constructor(options: LastGoodOptions<T>, state: LastGoodState = { baselines: {}, copies: {} }) {
    this.#options = options
    this.#guard = new ShrinkGuard({ folder: options.folder }, state.baselines)
    this.#copies = new Map(Object.entries(state.copies))
  }

  get entryCounts(): EntryCounts[] {
    return [...this.#guard.entryCounts.values()]
  }

  get problems(): Problem[] {
    const known = new Set([...this.values.keys()].map((name) => this.#options.groupOf(name)))
    return this.#guard.shrunk.map((group) =>
      describeShrink(
        group,
        known.has(group.name) ? 'The last good state stays in use.' : 'The last good state cannot be read.',
      ),
    )
  }

  /** Takes the files as a check that began at `checkedAt` found them, and decides which values are in use. */
  async update(files: ReadFiles<T>, checkedAt: number): Promise<void> {
    const isChanged = files !== this.#files || this.#guard.isPending
    if (isChanged) await this.#chooseValues(files, checkedAt)
    this.#files = files
    const { lastGoodFolder } = this.#options
    if (!lastGoodFolder?.isWriter || (this.#waitingSaves > 0 && !isChanged)) return
    const isSaved = await hasLastGoodState(lastGoodFolder)
    if (isSaved && !isChanged && !this.#hasFailed) return
    // Somebody may have deleted the copies.
    if (!isSaved) {
      this.#copies.clear()
      this.#savedState = ''
    }
    this.#waitingSaves++
    this.#saving = this.#saving.then(() => this.#save(lastGoodFolder)).finally(() => this.#waitingSaves--)
  }

  /** Resolves when the state is saved. */
  close(): Promise<void> {
    return this.#saving
  }

  async #chooseValues(files: ReadFiles<T>, checkedAt: number): Promise<void> {
    const { groupOf, countEntries } = this.#options
    await this.#load((name) => files.has(name) && files.get(name)?.value === undefined)
    const present = new Map<string, T>()
    const counts = new Map<string, number>()
    for (const [name, { value = this.#good.get(name) }] of files) {
      if (value === undefined) continue
      present.set(name, value)
      counts.set(groupOf(name), (counts.get(groupOf(name)) ?? 0) + countEntries(value))
    }
    await this.#guard.check(counts, checkedAt)
    await this.#load((name) => this.#verdictOf(name) === 'shrunk')
    for (const name of [...this.#good.keys()]) {
      if (!present.has(name) && this.#verdictOf(name) === 'good') this.#good.delete(name)
    }
    for (const [name, value] of present) if (this.#verdictOf(name) !== 'shrunk') this.#good.set(name, value)
    const values = new Map([...this.#good].filter(([name]) => present.has(name) || this.#verdictOf(name) === 'shrunk'))
    if (!isSameMap(values, this.values)) this.values = values
  }

  #verdictOf(name: string) {
    return this.#guard.entryCounts.get(this.#options.groupOf(name))?.verdict ?? 'good'
  }

  /** Reads the copies of files of which this process has no good value. A damaged copy is not used. */
  async #load(isNeeded: (name: string) => boolean): Promise<void> {
    const { lastGoodFolder, readCopies } = this.#options
    const needed = [...this.#copies].filter(([name]) => !this.#good.has(name) && isNeeded(name))
    if (!lastGoodFolder || needed.length === 0) return
    const pathOf = (name: string) => join(lastGoodFolder.dir, this.#copies.get(name)!.sha256)
    const states = await statFiles(
      lastGoodFolder.dir,
      [...new Set(needed.map(([, { sha256 }]) => sha256))],
      toFileState,
    )
    const intact = new Map<string, FileState>()
    for (const [name, { sha256 }] of needed) {
      const state = states.get(sha256)
      if (state && (await computeSha256(pathOf(name)).catch(() => undefined)) === sha256) intact.set(name, state)
      else lastGoodFolder.log.warn({ file: name }, 'the copy of the last good state is damaged; it is not used')
    }
    for (const [name, value] of await readCopies(intact, pathOf)) this.#good.set(name, value)
    for (const [name] of needed) if (!this.#good.has(name)) this.#copies.delete(name)
  }

  /** Copies what is good. The copies of files that are gone stay as long as their group needs them. */
  async #save(lastGoodFolder: LastGoodFolder): Promise<void> {
    try {
      await mkdir(lastGoodFolder.dir, { recursive: true })
      const files = this.#files ?? new Map()
      const copies = new Map([...this.#copies].filter(([name]) => files.has(name) || this.#verdictOf(name) !== 'good'))
      for (const [name, { goodVersion }] of files) {
        if (goodVersion === undefined || this.#verdictOf(name) === 'shrunk') continue
        const copy =
          copies.get(name)?.version === goodVersion ? undefined : await this.#copy(name, goodVersion, lastGoodFolder)
        if (copy) copies.set(name, copy)
      }
      const state = { baselines: this.#guard.baselines, copies: Object.fromEntries(copies) }
      const text = JSON.stringify(state)
      // While a group is pending, this runs after each check.
      if (text !== this.#savedState) await writeLastGoodState(lastGoodFolder, state)
      this.#savedState = text
      const used = new Set([...copies.values()].map(({ sha256 }) => sha256))
      const unused = [...this.#copies.values()].filter(({ sha256 }) => !used.has(sha256))
      this.#copies = copies
      for (const { sha256 } of unused) await rm(join(lastGoodFolder.dir, sha256), { force: true })
      this.#hasFailed = false
      lastGoodFolder.onSave?.(lastGoodFolder.dir)
    } catch (err) {
      lastGoodFolder.onSave?.(lastGoodFolder.dir, err as NodeJS.ErrnoException)
      if (!this.#hasFailed) lastGoodFolder.log.warn({ err }, 'the last good state of the content cannot be saved')
      this.#hasFailed = true
    }
  }

  /** Undefined if the file is not as it was read: the next check reads it, and saves it then. */
  async #copy(name: string, version: string, { dir }: LastGoodFolder): Promise<Copy | undefined> {
    const source = join(this.#options.folder, name)
    const temporary = join(dir, 'copy.tmp')
    const isCopied = await copyContent(source, temporary).then(
      () => true,
      async (error: NodeJS.ErrnoException) => {
        await rm(temporary, { force: true })
        if (error.syscall === 'write' || error.path === temporary) throw error
        return false
      },
    )
    if (!isCopied) return undefined
    const sha256 = await computeSha256(temporary)
    const state = await statFile(source)
    if (!state || toFileState(state).version !== version) return undefined
    await rename(temporary, join(dir, sha256))
    return { sha256, version }
  }
}

const isSameMap = <T>(a: ReadonlyMap<string, T>, b: ReadonlyMap<string, T>) =>
  a.size === b.size && [...a].every(([key, value]) => b.get(key) === value)

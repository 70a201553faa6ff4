import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type FileState, type FolderWatcher, readStates, SETTLE_MS, watchFolder } from './file-changes.ts'
import { LastGood, type LastGoodFolder, type LastGoodState, readLastGoodState } from './last-good.ts'

/** A file that is still written to after these attempts waits for the next check. */
const MAX_ATTEMPTS = 6
/** If there are more files, a routine check looks only at this many and at the first ones: about 10 ms of work. */
const MAX_ROUTINE_FILES = 250
/** Every routine check includes the first files of the list. */
const ALWAYS_CHECKED_FILES = 16

/** The result of reading a file. Without a value, the last good one remains. */
export interface FileReading<T, P> {
  readonly value?: T | undefined
  readonly problems: readonly P[]
  /** The problem may disappear without a change of the file, so the next check reads the file again. */
  readonly isTemporary?: boolean
}

interface Entry<T, P> extends FileReading<T, P> {
  readonly version: string
  /** The version that `value` was read from. */
  readonly goodVersion: string | undefined
}

export type ReadSource = { readonly signal: AbortSignal; pathOf(name: string): string }

interface WatchedFilesOptions<T, P> {
  /** Names are relative to this folder. */
  readonly folder: string
  /** Folders whose changes start a check; none: only `reload` checks. */
  readonly watch?: readonly string[]
  /** Names of the files to read, the most important first; undefined: leave everything as it is. */
  list(current: WatchedFiles<T, P>): Promise<readonly string[] | undefined>
  /**
   * Reads files that nobody is writing, or copies of them. A file that is missing in the result counts as changed
   * meanwhile.
   */
  read(files: ReadonlyMap<string, FileState>, source: ReadSource): Promise<ReadonlyMap<string, FileReading<T, P>>>
  /** The entries of one group are counted together, for example all news. Default: each file is a group. */
  groupOf?(name: string): string
  /** Default: 1. */
  countEntries?(value: T): number
  /** Saves the last good state for the next start. */
  readonly lastGoodFolder?: LastGoodFolder | undefined
  onChange?(current: WatchedFiles<T, P>): void
}

/**
 * Files that an operator edits while the service runs. A changed file is read when its version has stayed the same for
 * `SETTLE_MS`, so that no half-written file is read. A new file that was last modified longer ago is read at once. If the
 * new bytes are invalid, the last valid value remains and the problem is reported. If all or most entries of a group
 * disappear, its last good values remain until they come back or an operator confirms the change (`ShrinkGuard`).
 */
export class WatchedFiles<T, P> {
  readonly #options: WatchedFilesOptions<T, P>
  readonly #closed = new AbortController()
  readonly #watchers: FolderWatcher[] = []
  /** Has the groups of files, and the problems of those that lost all or most of their entries. */
  readonly lastGood: LastGood<T>
  #entries = new Map<string, Entry<T, P>>()
  #unsettled: readonly string[] = []
  #error: Error | undefined
  #nextSample = ALWAYS_CHECKED_FILES
  #running: Promise<unknown> = Promise.resolve()

  private constructor(options: WatchedFilesOptions<T, P>, state: LastGoodState | undefined) {
    const { folder, lastGoodFolder, groupOf = (name) => name, countEntries = () => 1 } = options
    this.#options = options
    const readCopies = this.#readCopies.bind(this)
    this.lastGood = new LastGood<T>({ folder, lastGoodFolder, groupOf, countEntries, readCopies }, state)
  }

  /** Resolves when the files were read once. */
  static async open<T, P>(options: WatchedFilesOptions<T, P>): Promise<WatchedFiles<T, P>> {
    const files = new WatchedFiles(options, options.lastGoodFolder && (await readLastGoodState(options.lastGoodFolder)))
    await files.reload()
    for (const folder of options.watch ?? []) {
      files.#watchers.push(watchFolder(folder, async (hasChanged) => void (await files.reload(hasChanged))))
    }
    return files
  }

  /** The values in use, by name. */
  get values(): ReadonlyMap<string, T> {
    return this.lastGood.values
  }

  get problems(): P[] {
    return [...this.#entries.values()].flatMap(({ problems }) => problems)
  }

  /** Files that somebody was still writing when the last check ended. */
  get unsettled(): readonly string[] {
    return this.#unsettled
  }

  /** Why the last check failed as a whole; everything stays as it was. */
  get error(): Error | undefined {
    return this.#error
  }

  /**
   * Reads the files that changed. Returns true if anything is different afterwards: a value, a version, a problem, the
   * error or the list of unsettled files. Checks never overlap. With `hasChanged` false this is a routine check: of many
   * files it looks only at a sample, another one each time. So changes are found on file systems that report none.
   */
  reload(hasChanged = true): Promise<boolean> {
    const check = this.#running.then(() => this.#check(hasChanged))
    // A listener that throws must not prevent later checks.
    this.#running = check.catch(() => {})
    return check
  }

  /** Stops at once; resolves when a running check has ended. */
  async close(): Promise<void> {
    this.#closed.abort()
    for (const watcher of this.#watchers) watcher.close()
    await this.#running
    await this.lastGood.close()
  }

  async #check(hasChanged: boolean): Promise<boolean> {
    const checkedAt = Date.now()
    const before = this.#snapshot()
    try {
      this.#unsettled = await this.#readSettled(hasChanged)
      await this.lastGood.update(this.#entries, checkedAt)
    } catch (error) {
      if (this.#closed.signal.aborted) return false
      throw error
    }
    const after = this.#snapshot()
    const isSame = before.entries === after.entries && before.values === after.values
    const isDifferent = !isSame || !isDeepStrictEqual(before, after)
    if (isDifferent) this.#options.onChange?.(this)
    return isDifferent
  }

  #snapshot() {
    const { problems, values } = this.lastGood
    return { entries: this.#entries, values, problems, error: this.#error?.message, unsettled: this.#unsettled }
  }

  async #readCopies(copies: ReadonlyMap<string, FileState>, pathOf: ReadSource['pathOf']) {
    const readings = await this.#options.read(copies, { signal: this.#closed.signal, pathOf })
    return new Map([...readings].flatMap(([name, { value }]) => (value === undefined ? [] : [[name, value]])))
  }

  /** Returns the files that are not settled after several attempts. */
  async #readSettled(hasChanged: boolean): Promise<string[]> {
    let unsettled: string[] = []
    try {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        unsettled = await this.#readChanged(hasChanged || attempt > 0)
        if (unsettled.length === 0) break
      }
      this.#error = undefined
    } catch (error) {
      this.#closed.signal.throwIfAborted()
      this.#error = error as Error
    }
    return unsettled
  }

  /** Returns the files that are not settled. */
  async #readChanged(isComplete: boolean): Promise<string[]> {
    const { folder, read } = this.#options
    const { signal } = this.#closed
    const changed = await this.#findChanged(isComplete)
    if (changed.size === 0) return []
    if (this.#mustSettle(changed)) await sleep(SETTLE_MS, undefined, { signal })
    signal.throwIfAborted()
    const settled = await this.#keepUnchanged(changed)
    const present = new Map([...settled].flatMap(([name, state]) => (state ? [[name, state] as const] : [])))
    const readings = await read(present, { signal, pathOf: (name) => join(folder, name) })
    signal.throwIfAborted()
    const accepted = await this.#keepUnchanged(new Map([...settled].filter(([n, s]) => !s || readings.has(n))))
    this.#accept(accepted, readings)
    return [...changed.keys()].filter((name) => !accepted.has(name))
  }

  /** The files that are not as they were read; undefined for those that are gone. */
  async #findChanged(isComplete: boolean): Promise<Map<string, FileState | undefined>> {
    const isSample = !isComplete && this.#entries.size > MAX_ROUTINE_FILES
    const all = await this.#options.list(this)
    const changed = new Map<string, FileState | undefined>()
    if (!all) return changed
    // Nothing reports a file that is added to a folder behind a link.
    const names = isSample ? [...this.#sample(), ...all.filter((name) => !this.#entries.has(name))] : all
    const states = await readStates(this.#options.folder, names)
    const listed = new Set(names)
    if (!isSample) for (const name of this.#entries.keys()) if (!listed.has(name)) changed.set(name, undefined)
    for (const name of names) {
      const [state, entry] = [states.get(name), this.#entries.get(name)]
      if (state?.version !== entry?.version || entry?.isTemporary) changed.set(name, state)
    }
    return changed
  }

  /** The first files, and others each time. */
  #sample(): string[] {
    const names = [...this.#entries.keys()]
    const start = this.#nextSample < names.length ? this.#nextSample : ALWAYS_CHECKED_FILES
    this.#nextSample = start + MAX_ROUTINE_FILES
    return [...names.slice(0, ALWAYS_CHECKED_FILES), ...names.slice(start, this.#nextSample)]
  }

  /** A truncated file can still have its old time for a moment, and some editors remove a file before they write it. */
  #mustSettle(changed: ReadonlyMap<string, FileState | undefined>): boolean {
    const isFresh = ({ modifiedAt }: FileState) => Math.abs(Date.now() - modifiedAt.getTime()) <= SETTLE_MS
    return [...changed].some(([name, state]) => {
      const entry = this.#entries.get(name)
      return state?.version !== entry?.version && (!state || entry !== undefined || isFresh(state))
    })
  }

  async #keepUnchanged(files: ReadonlyMap<string, FileState | undefined>) {
    const now = await readStates(this.#options.folder, [...files.keys()])
    return new Map([...files].filter(([name, state]) => now.get(name)?.version === state?.version))
  }

  #accept(files: ReadonlyMap<string, FileState | undefined>, readings: ReadonlyMap<string, FileReading<T, P>>): void {
    const entries = new Map(this.#entries)
    let isDifferent = false
    for (const [name, state] of files) {
      const before = entries.get(name)
      const reading = readings.get(name)
      if (!state || !reading) {
        isDifferent = entries.delete(name) || isDifferent
        continue
      }
      const { value = before?.value, problems, isTemporary = false } = reading
      const isSame =
        before?.version === state.version &&
        before.isTemporary === isTemporary &&
        isDeepStrictEqual(before.problems, problems)
      isDifferent ||= !isSame || value !== before.value
      const goodVersion = reading.value === undefined ? before?.goodVersion : state.version
      entries.set(name, { value, problems, isTemporary, version: state.version, goodVersion })
    }
    if (isDifferent) this.#entries = entries
  }
}

// Finds changed files: by their stamps, and by watching folders.
import { type FSWatcher, type Stats, statSync, watch } from 'node:fs'
import { lstat, readdir, stat, statfs } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { getSystemErrorMessage } from 'node:util'
import { succeeds } from '../concurrency/index.ts'

/** A file that was modified within this time is perhaps not completely written yet. */
export const SETTLE_MS = 200

const CONCURRENT_STATS = 32
/** Files per batch of synchronous calls, which takes less than a millisecond on a local disk. */
const STATS_PER_BATCH = 100
/** A batch that takes longer means a slow disk. A local disk is rarely so slow, even if it is busy. */
const SLOW_BATCH_MS = 100
/** On Linux: ext2 to ext4, XFS, Btrfs, F2FS, ZFS, tmpfs, overlayfs. */
const LOCAL_FILE_SYSTEMS = [0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994, 0x794c7630]

/** Some disks store whole seconds (ext4 with small inodes, old network disks) or even seconds (FAT). */
const COARSE_TICK_MS = 2000

/** Whether the time of a change is from such a disk, and so recent that another change may leave the same time. */
export const mayChangeUnnoticed = (timeMs: number) =>
  timeMs % 1000 === 0 && Math.abs(Date.now() - timeMs) < COARSE_TICK_MS

/** If it differs, the file was written. A program that keeps the size and sets the time back is not noticed. */
export type Stamp = { size: number; mtimeMs: number }

export const isSameStamp = (a: Stamp, b: Stamp) => a.size === b.size && a.mtimeMs === b.mtimeMs

/** The stats of a file, or an error other than "file not found". */
export type StatResult = Stats | NodeJS.ErrnoException

export interface FileState {
  /** False for folders, pipes and devices, and where there is an error. */
  readonly isFile: boolean
  /** The code of the system's error where the file cannot be examined. */
  readonly error?: string | undefined
  readonly size: number
  readonly modifiedAt: Date
  /** Milliseconds after which a change is certain to change the version. */
  readonly settleMs: number
  /** Changes if the bytes change. It may also change if they do not, as after `touch`. */
  readonly version: string
}

/** Changes if the bytes change, if the disk stores fractions of seconds. */
export const identify = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats) => [dev, ino, size, mtimeMs, ctimeMs].join(' ')

export function toFileState(result: StatResult): FileState {
  if (result instanceof Error) {
    const error = result.code ?? result.message
    return { isFile: false, error, size: 0, modifiedAt: new Date(0), settleMs: 0, version: error }
  }
  const { size, ctimeMs, mtime } = result
  // Programs cannot set the ctime.
  const isCoarse = mayChangeUnnoticed(ctimeMs)
  const isFresh = Math.abs(Date.now() - ctimeMs) < SETTLE_MS
  // The version changes once more when the times are certain, so that the file is read again.
  const version = identify(result) + (isCoarse ? ' recent' : '')
  const settleMs = isCoarse ? COARSE_TICK_MS : isFresh ? SETTLE_MS : 0
  return { isFile: result.isFile(), size, modifiedAt: mtime, settleMs, version }
}

/** The message of a system error contains the path of a file, but problems are public. */
export const describeWithoutPath = ({ errno, syscall, message }: NodeJS.ErrnoException) =>
  // Some errors of `rm` have positive numbers.
  errno && syscall ? getSystemErrorMessage(-Math.abs(errno)) : message

export const isMissing = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

/** The process or the machine has no free file descriptors or memory: it says nothing about the file. */
export const isExhausted = (error: unknown) =>
  ['EMFILE', 'ENFILE', 'ENOMEM'].includes((error as NodeJS.ErrnoException).code ?? '')

/** How many files and connections this process can have open. */
export function readOpenFilesLimit(): number {
  // Otherwise the report asks DNS for the names of all peers.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft: number | string } } }
  return Number(userLimits?.open_files?.soft) || Number.POSITIVE_INFINITY
}

/** Undefined where there is no such file. */
export const statFile = (path: string): Promise<StatResult | undefined> =>
  stat(path).catch((error: NodeJS.ErrnoException) => (isMissing(error) ? undefined : error))

export function statFileSync(path: string): StatResult | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    return isMissing(error) ? undefined : (error as NodeJS.ErrnoException)
  }
}

export const isFolder = async (path: string) => (await stat(path).catch(() => undefined))?.isDirectory() ?? false

/**
 * Stats many files; missing ones are not in the result. On a local disk, synchronous calls in small batches take a fifth of
 * the time of asynchronous ones. On others, and for few files, which may be links, a server that hangs blocks no requests.
 */
export async function statFiles<T>(folder: string, names: readonly string[], toValue: (result: StatResult) => T) {
  const values = new Map<string, T>()
  const pathOf = (name: string) => (isAbsolute(name) ? name : `${folder}/${name}`)
  const add = (name: string, result?: StatResult) => void (result && values.set(name, toValue(result)))
  const disk = await statfs(folder).catch(() => undefined)
  let [next, isFast] = [0, names.length > STATS_PER_BATCH && LOCAL_FILE_SYSTEMS.includes(disk?.type ?? 0)]
  while (isFast && next < names.length) {
    const started = performance.now()
    const end = Math.min(next + STATS_PER_BATCH, names.length)
    for (; next < end; next++) add(names[next]!, statFileSync(pathOf(names[next]!)))
    isFast = performance.now() - started < SLOW_BATCH_MS
    if (next < names.length) await setImmediate()
  }
  const work = async () => {
    while (next < names.length) {
      const name = names[next++]!
      add(name, await statFile(pathOf(name)))
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_STATS }, work))
  return values
}

/** A link to nowhere has an error, and so has a name that is not UTF-8, because Node replaces its characters. */
export async function readStates(folder: string, names: readonly string[]): Promise<Map<string, FileState>> {
  const states = await statFiles(folder, names, toFileState)
  for (const name of names.filter((name) => !states.has(name)))
    if (name.includes('\ufffd') || (await succeeds(lstat(resolve(folder, name)))))
      states.set(name, toFileState(new Error('ENOENT')))
  return states
}

/** Collects the events of one change. */
const EVENT_DELAY_MS = 200
/** Between routine checks. */
const CHECK_INTERVAL_MS = 1500
/** Where more names changed at once, a full check is as fast. */
const MAX_NAMES = 1000

export type FolderWatcher = ReturnType<typeof watchFolder>

/**
 * Calls `onCheck(true)` soon after something changed in `folder` or its subfolders, and `onCheck(false)` every 1.5 s
 * otherwise: file events are lost on network disks, in some containers and when a folder is replaced, so readers of few
 * files compare sizes and times then, too. Calls never overlap.
 *
 * It watches folders, not files: Node's recursive watch on Linux opens one watcher per file, which may be 100,000.
 */
export function watchFolder(
  folder: string,
  onCheck: (hasChanged: boolean) => Promise<void>,
  /** Called before `onCheck` with the names in the folder itself that changed, where the system reports them. */
  onNames: (names: readonly string[]) => Promise<void> = async () => {},
) {
  const watched = new Map<string, { watcher: FSWatcher; mtimeMs: number }>()
  let timer: NodeJS.Timeout | undefined
  let dueAt = Number.POSITIVE_INFINITY
  let isClosed = false
  let hasChanged = false
  let names = new Set<string>()

  const handleEvent = (path: string, name: string | null) => {
    hasChanged = true
    if (path === folder && name !== null && names.size < MAX_NAMES) names.add(name)
    checkWithin(EVENT_DELAY_MS)
  }

  // Never postpones an earlier check: a folder that changes all the time is still checked.
  const checkWithin = (ms: number) => {
    const at = Date.now() + ms
    if (isClosed || at >= dueAt) return
    clearTimeout(timer)
    dueAt = at
    timer = setTimeout(check, ms)
    // Only the first check keeps the process alive: a command may wait for it.
    if (ms > 0) timer.unref()
  }

  const check = async () => {
    const changedNames = [...names]
    names = new Set()
    if (changedNames.length > 0) await onNames(changedNames).catch(() => {})
    await watchTree(folder)
    const isChanged = hasChanged
    hasChanged = false
    const isDone = await succeeds(onCheck(isChanged))
    dueAt = Number.POSITIVE_INFINITY
    checkWithin(hasChanged ? EVENT_DELAY_MS : CHECK_INTERVAL_MS)
    // What failed is repeated, but not sooner: the reason may stay.
    if (!isDone) hasChanged ||= isChanged
  }

  /** Watches a folder and its subfolders, and forgets those that are gone. */
  const watchTree = async (path: string): Promise<void> => {
    try {
      const { mtimeMs } = await stat(path)
      const entry = watched.get(path)
      if (entry?.mtimeMs === mtimeMs) {
        for (const other of [...watched.keys()]) if (isChild(path, other)) await watchTree(other)
        return
      }
      hasChanged = true
      if (isClosed) return
      if (entry) entry.mtimeMs = mtimeMs
      else watched.set(path, { watcher: startWatcher(path), mtimeMs })
      for (const child of await readdir(path, { withFileTypes: true })) {
        if (child.isDirectory() && !child.name.startsWith('.')) await watchTree(join(path, child.name))
      }
    } catch {
      forget(path)
    }
  }

  const startWatcher = (path: string) => {
    const watcher = watch(path, { persistent: false }, (event, name) => {
      // Two changes in the same tick of the file system's clock leave the folder with the same time.
      const entry = event === 'rename' && watched.get(path)
      if (entry) entry.mtimeMs = Number.NaN
      handleEvent(path, name)
    })
    watcher.on('error', () => forget(path))
    return watcher
  }

  const forget = (path: string) => {
    const entry = watched.get(path)
    if (!entry) return
    hasChanged = true
    entry.watcher.close()
    watched.delete(path)
  }

  checkWithin(0)
  return {
    /** Stops watching; does not wait for a running callback. */
    close() {
      isClosed = true
      clearTimeout(timer)
      for (const { watcher } of watched.values()) watcher.close()
      watched.clear()
    },
  }
}

const isChild = (folder: string, path: string) =>
  path.length > folder.length + 1 && path.startsWith(folder) && !path.slice(folder.length + 1).includes('/')

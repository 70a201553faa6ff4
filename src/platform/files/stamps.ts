import { type Stats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { setImmediate } from 'node:timers/promises'

/** A file that was modified within this time is perhaps not completely written yet. */
export const SETTLE_MS = 200

const CONCURRENT_STATS = 32
/** Files per batch of synchronous calls, which takes less than a millisecond on a local disk. */
const STATS_PER_BATCH = 100
/** A batch that takes longer means a slow disk. A local disk is rarely so slow, even if it is busy. */
const SLOW_BATCH_MS = 100

/** If it differs, the file was written. A program that keeps the size and sets the time back is not noticed. */
export interface Stamp {
  size: number
  mtimeMs: number
}

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
  /** The ctime in milliseconds since 1970. Unlike `modifiedAt`, programs cannot set it. */
  readonly changedAt: number
  /** Changes if the bytes change. It may also change if they do not, as after `touch`. */
  readonly version: string
}

export function toFileState(result: StatResult): FileState {
  if (result instanceof Error) {
    const error = result.code ?? result.message
    return { isFile: false, error, size: 0, modifiedAt: new Date(0), changedAt: 0, version: error }
  }
  const { dev, ino, size, mtimeMs, ctimeMs, mtime } = result
  const version = [dev, ino, size, mtimeMs, ctimeMs].join(' ')
  return { isFile: result.isFile(), size, modifiedAt: mtime, changedAt: ctimeMs, version }
}

const isMissing = ({ code }: NodeJS.ErrnoException) => code === 'ENOENT' || code === 'ENOTDIR'

/** Undefined where there is no such file. */
export async function statFile(path: string): Promise<StatResult | undefined> {
  return stat(path).catch((error: NodeJS.ErrnoException) => (isMissing(error) ? undefined : error))
}

export function statFileSync(path: string): StatResult | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    return isMissing(error as NodeJS.ErrnoException) ? undefined : (error as NodeJS.ErrnoException)
  }
}

export const isFolder = async (path: string) => (await stat(path).catch(() => undefined))?.isDirectory() ?? false

/**
 * Stats many files; missing ones are not in the result. Synchronous calls in small batches take a fifth of the time of
 * asynchronous ones on a local disk. A slow disk, such as a network disk, gets concurrent asynchronous calls, which do not
 * block requests.
 */
export async function statFiles<T>(
  folder: string,
  names: readonly string[],
  toValue: (result: StatResult) => T,
): Promise<Map<string, T>> {
  const values = new Map<string, T>()
  const pathOf = (name: string) => (isAbsolute(name) ? name : `${folder}/${name}`)
  const add = (name: string, result: StatResult | undefined) => {
    if (result) values.set(name, toValue(result))
  }
  let next = 0
  let isFast = true
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

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

// A file that changed this shortly before it was looked at may change again without its time moving.
const TIME_GRAIN_MS = 100
const AT_ONCE = 32

export interface FileStat {
  readonly isFile: boolean
  readonly size: number
  /** What the system says of it. */
  readonly sign: string
  /** Equal as long as the file is; never equal where the file is too fresh to tell. */
  readonly mark: string | undefined
}

export async function statOf(path: string): Promise<FileStat | undefined> {
  try {
    const found = await stat(path)
    const { mtimeMs, ctimeMs, ino, size } = found
    const sign = `${ino} ${size} ${mtimeMs} ${ctimeMs}`
    const mark = Math.abs(Date.now() - ctimeMs) < TIME_GRAIN_MS ? undefined : sign
    return { isFile: found.isFile(), size, sign, mark }
  } catch (error) {
    return whereMissing(error, undefined)
  }
}

export async function statAll(dir: string, names: readonly string[]): Promise<Map<string, FileStat>> {
  const stats = new Map<string, FileStat>()
  for (let start = 0; start < names.length; start += AT_ONCE) {
    const some = names.slice(start, start + AT_ONCE)
    const found = await Promise.all(some.map((name) => statOf(join(dir, name))))
    for (const [index, name] of some.entries()) if (found[index]) stats.set(name, found[index])
  }
  return stats
}

export async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith('.')).sort()
  } catch (error) {
    return whereMissing(error, [])
  }
}

/** Only what is surely not there counts as removed: a disk that fails for a moment must not empty the shop. */
function whereMissing<T>(error: unknown, value: T): T {
  if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return value
  throw error
}

import { type Stats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Stamp } from '../../platform/files/index.ts'

export { isSameStamp, type Stamp } from '../../platform/files/index.ts'

/** A file that was written to less than this ago may still be written to. */
export const SETTLED_MS = 200

export const isSettled = ({ mtimeMs }: Stamp) => Date.now() - mtimeMs > SETTLED_MS

/** The size is -1 for a folder, a pipe or a device: there is nothing to be read. */
const toStamp = (stats: Stats | undefined): Stamp | undefined =>
  stats && { size: stats.isFile() ? stats.size : -1, mtimeMs: stats.mtimeMs }

/** undefined where there is nothing. */
export const stampOf = async (path: string) => toStamp(await stat(path).catch(() => undefined))

export function stampOfNow(path: string): Stamp | undefined {
  try {
    return toStamp(statSync(path, { throwIfNoEntry: false }))
  } catch {
    return undefined
  }
}

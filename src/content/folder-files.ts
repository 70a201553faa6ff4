import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { roleOf, stampOf } from './examine.ts'
import type { Stamp } from './picture.ts'

const STATS_AT_ONCE = 32
const NO_FILE: Stamp = { size: -1, mtimeMs: 0 }

/** The entries of a folder that are meant to be seen; none where it cannot be read. */
export async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter(({ name }) => !name.startsWith('.'))
}

/** The files of a kind's folder with their stamps; what is no file at all has a size of -1. */
export async function stampsIn(folder: string): Promise<Map<string, Stamp>> {
  const names = (await entriesOf(folder)).map(({ name }) => name).filter((name) => roleOf(name) !== 'note')
  return stampsOf(folder, names)
}

export async function stampsOf(folder: string, names: readonly string[]): Promise<Map<string, Stamp>> {
  const stamps = new Map<string, Stamp>()
  let next = 0
  const work = async () => {
    while (next < names.length) {
      const name = names[next++]!
      const stamp = await stampOf(join(folder, name))
      if (stamp) stamps.set(name, stamp)
      // Bytes that are no UTF-8 come as this mark, and the name leads nowhere: the file is to be named, not passed over.
      else if (name.includes('\ufffd')) stamps.set(name, NO_FILE)
    }
  }
  await Promise.all(Array.from({ length: STATS_AT_ONCE }, work))
  return stamps
}

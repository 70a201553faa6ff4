import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { roleOf } from './read-entry.ts'
import { type Stamp, stampOf, stampOfNow } from './stamp.ts'

const STATS_AT_ONCE = 32
/** Less than a millisecond's worth on a disk of this machine. */
const STATS_A_TURN = 100
/** A millisecond a file: a busy machine seldom looks like that, a network does. */
const SLOW_TURN_MS = 100
const NO_FILE: Stamp = { size: -1, mtimeMs: 0 }

/** The entries of a folder that are meant to be seen; none where it cannot be read. */
export async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter(({ name }) => !name.startsWith('.'))
}

/** The names in a kind's folder that mean something. */
export async function namesIn(folder: string): Promise<string[]> {
  return (await entriesOf(folder)).map(({ name }) => name).filter((name) => roleOf(name) !== 'note')
}

/**
 * The stamps of files. Asks the disk of this machine directly, which takes a fifth of the time and is over in a moment; a disk that takes
 * its time, as over a network, is asked many things at once while requests go on.
 */
export async function stampsOf(folder: string, names: readonly string[]): Promise<Map<string, Stamp>> {
  const stamps = new Map<string, Stamp>()
  const keep = (name: string, stamp: Stamp | undefined) => {
    if (stamp) stamps.set(name, stamp)
    // Bytes that are no UTF-8 come as this mark, and the name leads nowhere: the file is to be named, not passed over.
    else if (name.includes('\ufffd')) stamps.set(name, NO_FILE)
  }
  let next = 0
  let isFast = true
  while (isFast && next < names.length) {
    const started = performance.now()
    const end = Math.min(next + STATS_A_TURN, names.length)
    for (; next < end; next++) keep(names[next]!, stampOfNow(`${folder}/${names[next]}`))
    isFast = performance.now() - started < SLOW_TURN_MS
    await setImmediate()
  }
  const work = async () => {
    while (next < names.length) {
      const name = names[next++]!
      keep(name, await stampOf(`${folder}/${name}`))
    }
  }
  await Promise.all(Array.from({ length: STATS_AT_ONCE }, work))
  return stamps
}

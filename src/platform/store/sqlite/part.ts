import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../store.ts'

/** A part of the state as the worker runs it: the same calls, without the promises. */
export type Sync<Part> = {
  [Name in keyof Part]: Part[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never
}

/** `opening` counts how often this process has opened the file, from 0. */
export type Opened = { db: DatabaseSync; clock: Clock; opening: number }

/** More than a store ever counts: revisions of another file, which may be the same numbers, are not taken for those of this one. */
const OPENING_REVISIONS = 2 ** 40

export const firstRevision = ({ opening }: Opened) => opening * OPENING_REVISIONS

/** All of it or nothing; the write lock is taken first, so that two processes never both read before they write. */
export function atOnce<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    // A full disk rolls back by itself.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Rows that are added between two counts of a table: counting takes longer than adding. */
const COUNTED_EVERY = 256

/** Runs `work` where a table holds more than it may; asked after rows were added. */
export function whenOver(db: DatabaseSync, rows: string, most: number, work: () => void): (added: number) => void {
  const count = db.prepare(`SELECT count(*) AS rows FROM ${rows}`)
  let uncounted = COUNTED_EVERY
  return (added) => {
    uncounted += added
    if (uncounted < COUNTED_EVERY) return
    uncounted = 0
    if (Number(count.get()?.rows) > most) work()
  }
}

/** Counts upward at every change of a part of the state. */
export function revisionOf(db: DatabaseSync, name: 'clients' | 'tokens' | 'bans') {
  const read = db.prepare('SELECT value FROM revisions WHERE name = ?')
  const raise = db.prepare('UPDATE revisions SET value = value + 1 WHERE name = ? RETURNING value')
  return {
    read: () => Number(read.get(name)?.value),
    raise: () => Number(raise.get(name)?.value),
  }
}

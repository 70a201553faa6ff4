import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StoreTrouble } from '../unavailable.ts'
import { isBusy, troubleWith } from './database.ts'
import { migrations } from './schema.ts'

export interface ExaminedSqlite {
  /** Of the file; what this version of the service writes is `newest`. */
  readonly schema: number
  readonly newest: number
  readonly sqlite: string
  readonly tookMs: number
}

/** Whether somebody has the database open, and be it idle: in WAL mode that is a shared lock for as long. */
export function isInUse(file: string): boolean {
  if (!existsSync(file)) return false
  try {
    using db = new DatabaseSync(file, { timeout: 0 })
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK')
    return false
  } catch (error) {
    // What else is wrong with it is told when it is opened.
    return isBusy(error)
  }
}

/** Looks at a database without changing it: undefined where there is none yet; what is wrong is a StoreTrouble. */
export function examineSqlite(file: string): ExaminedSqlite | undefined {
  if (!existsSync(file)) return undefined
  const start = performance.now()
  try {
    using db = new DatabaseSync(file, { readOnly: true })
    const [found] = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})
    if (found !== 'ok') throw new StoreTrouble(`the database is damaged: ${found}`)
    const schema = Number(db.prepare('PRAGMA user_version').get()?.user_version)
    const sqlite = String(db.prepare('SELECT sqlite_version() AS version').get()?.version)
    return { schema, newest: migrations.length, sqlite, tookMs: performance.now() - start }
  } catch (error) {
    throw troubleWith(file, error) ?? error
  }
}

import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../health.ts'
import { isBusy, toStoreError } from './database.ts'
import { migrations } from './schema.ts'

/** Whether another process has the database open. In WAL mode even an idle connection holds a shared lock. */
export function isDatabaseInUse(file: string): boolean {
  if (!existsSync(file)) return false
  try {
    using db = new DatabaseSync(file, { timeout: 0 })
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK')
    return false
  } catch (error) {
    // Other problems are reported when the file is opened.
    return isBusy(error)
  }
}

/**
 * Reads a database without changing it. Undefined if it does not exist yet; throws StoreError if it is not usable.
 * `newest` is the schema version that this version of the service writes.
 */
export function inspectSqlite(file: string) {
  if (!existsSync(file)) return undefined
  const start = performance.now()
  try {
    using db = new DatabaseSync(file, { readOnly: true })
    const [result] = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})
    if (result !== 'ok') throw new StoreError(`the database is damaged: ${result}`)
    const schema = Number(db.prepare('PRAGMA user_version').get()?.user_version)
    const sqlite = String(db.prepare('SELECT sqlite_version() AS version').get()?.version)
    return { schema, newest: migrations.length, sqlite, tookMs: performance.now() - start }
  } catch (error) {
    throw toStoreError(file, error) ?? error
  }
}

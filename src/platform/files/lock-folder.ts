import { join } from 'node:path'

const LOCK_FILE = 'service.lock'
/** SQLite's result code if another process has the lock; the low byte of the error code. */
const SQLITE_BUSY = 5

/**
 * Locks a folder until `close` is called or the process ends, however it ends. Undefined: another process has the lock.
 * Node has no file locks, so an empty SQLite database is locked. Where the file system has no locks, the lock has no
 * effect.
 */
export async function lockFolder(folder: string): Promise<{ close(): void } | undefined> {
  // Loaded only here: most users of this module need no database.
  const { DatabaseSync } = await import('node:sqlite')
  using opened = new DisposableStack()
  try {
    const db = opened.use(new DatabaseSync(join(folder, LOCK_FILE)))
    // In memory: a killed process leaves no journal file.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY) return undefined
  }
  const lock = opened.move()
  return { close: () => lock.dispose() }
}

/** SQLite's result code if another process has the lock; the low byte of the error code. */
const SQLITE_BUSY = 5

/**
 * Locks a file until `close` is called or the process ends, however it ends. Undefined: another process has the lock.
 * Rejects if the file cannot be created, or if the file system has no locks. Node has no file locks, so the file is an
 * empty SQLite database. Never delete it: two processes could lock two files of the same name.
 */
export async function lockFile(file: string): Promise<{ close(): void } | undefined> {
  // Loaded only here: most users of this module need no database.
  const { DatabaseSync } = await import('node:sqlite')
  using opened = new DisposableStack()
  try {
    const db = opened.use(new DatabaseSync(file))
    // In memory: a killed process leaves no journal file.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY) return undefined
    throw error
  }
  const lock = opened.move()
  return { close: () => lock.dispose() }
}

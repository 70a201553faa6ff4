// Locks that end with their process, however it ends.
import { access, constants } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PublishError } from '../../errors/index.ts'
import { giveTo, makeFolder } from './folders.ts'

/** SQLite's result code if another process has the lock; the low byte of the error code. */
const SQLITE_BUSY = 5
const LOCK_FILE = '.publishing'
const LOCK_TIMEOUT_MS = 10_000
const LOCK_RETRY_INTERVAL_MS = 25

/**
 * Locks a file until the lock is disposed or the process ends, however it ends. Undefined: another process has the lock.
 * Rejects if the file cannot be created, or if the file system has no locks. Node has no file locks, so the file is an
 * empty SQLite database. Never delete it: two processes could lock two files of the same name.
 */
export async function lockFile(file: string): Promise<DisposableStack | undefined> {
  // Loaded only here: most users of this module need no database.
  const { DatabaseSync } = await import('node:sqlite')
  using opened = new DisposableStack()
  try {
    const db = opened.use(new DatabaseSync(file))
    // In memory: a killed process leaves no journal file.
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    await assertLocked(file)
  } catch (error) {
    if (((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY) return undefined
    throw error
  }
  return opened.move()
}

/** SQLite takes no lock of a file that it cannot write, such as one that a command of root created. */
async function assertLocked(file: string): Promise<void> {
  await giveTo(dirname(file), file)
  await access(file, constants.W_OK)
}

/**
 * Runs one publisher at a time: two that read, edit and write the same file would overwrite each other. A dry run
 * writes nothing, so it needs no lock. If `work` writes several files and fails in between, its caller restores them.
 */
export async function withLock<T>(
  dir: string,
  dryRun: boolean | undefined,
  work: () => Promise<T>,
  timeoutMs = LOCK_TIMEOUT_MS,
): Promise<T> {
  if (dryRun) return work()
  try {
    await makeFolder(dir)
    using _lock = await acquireLock(join(dir, LOCK_FILE), timeoutMs)
    return await work()
  } catch (error) {
    // System errors, such as a full disk, become a message for the operator.
    const { syscall, message } = error as NodeJS.ErrnoException
    throw syscall === undefined ? error : new PublishError(`Nothing was changed: ${message}.`, { cause: error })
  }
}

/** Undefined: somebody publishes at this moment. Some network file systems have no locks. */
export const lockPublishing = (dir: string) => lockFile(join(dir, LOCK_FILE)).catch(() => new DisposableStack())

async function acquireLock(file: string, timeoutMs: number) {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    // Some network file systems have no locks: there, publishers must not run at the same time.
    const lock = await lockFile(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EACCES') throw error
      return new DisposableStack()
    })
    if (lock) return lock
    if (performance.now() > deadline) throw new PublishError('Another process is publishing. Wait for it.')
    await sleep(LOCK_RETRY_INTERVAL_MS * (0.5 + Math.random()))
  }
}

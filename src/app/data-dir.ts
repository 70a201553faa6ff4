// The folder DATA_DIR, which the service writes to: creates it, and locks it for one service.
import { existsSync } from 'node:fs'
import { access, constants, mkdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../errors/index.ts'
import { lockFile } from '../platform/files/index.ts'
import { createRecentProblem } from '../platform/logging/index.ts'

const LOCK_CHECK_INTERVAL_MS = 2000
const LOCK_FILE = 'service.lock'

export async function ensureDataDir(dir: string): Promise<void> {
  try {
    // It will have logs, tokens and keys, which other users of the machine must not read.
    await mkdir(dir, { recursive: true, mode: 0o700 })
    await access(dir, constants.W_OK)
  } catch (error) {
    throw new OperatorError(`DATA_DIR (${dir}) must be a writable folder: ${(error as Error).message}`)
  }
}

/**
 * Two services in one folder would delete each other's log files, and each would allow the full rate limit. Where the
 * file system has no locks, this has no effect.
 */
export async function lockDataDir(dir: string) {
  const file = join(dir, LOCK_FILE)
  const lock = () => lockFile(file).catch(() => new DisposableStack())
  await assertWritable(file)
  const readId = async () => (await stat(file).catch(() => undefined))?.ino
  let held = await lock()
  if (!held) throw new OperatorError(`Another service uses DATA_DIR (${dir}). Stop it, or set another DATA_DIR.`)
  let id = await readId()
  const repaired = createRecentProblem()
  let isTaken = false

  /** If the lock file was removed, another service could start: creates it again. */
  const check = async () => {
    if ((await readId()) === id && !isTaken) return
    held?.dispose()
    repaired.report('the data folder or its lock was removed while it was in use; it was created again')
    await mkdir(dir, { recursive: true, mode: 0o700 }).catch(() => {})
    held = await lock()
    isTaken = held === undefined
    id = await readId()
  }
  const timer = setInterval(check, LOCK_CHECK_INTERVAL_MS).unref()
  return {
    problem: () => (isTaken ? 'another service uses the data folder; stop one of them' : repaired.message()),
    close: () => {
      clearInterval(timer)
      held?.dispose()
    },
  }
}

/** A file of another user, such as root, cannot be locked. Nor can an immutable one, or one on a read-only disk. */
async function assertWritable(file: string): Promise<void> {
  await access(file, constants.W_OK).catch(({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EACCES') throw new OperatorError(`${message}. Make the user of the service the owner of DATA_DIR.`)
    if (code !== 'ENOENT') throw new OperatorError(`${message}. The file must be writable.`)
  })
}

/** Whether a service has ever used the folder. */
export const wasDataDirUsed = (dir: string) => existsSync(join(dir, LOCK_FILE))

/** Whether a service uses the folder now. True also where that is unknown, because the file system has no locks. */
export async function isDataDirInUse(dir: string): Promise<boolean> {
  const file = join(dir, LOCK_FILE)
  await assertWritable(file)
  using lock = await lockFile(file).catch(() => undefined)
  return lock === undefined
}

/** Says whether a part cannot save its last good state. */
export function createSaveProblem() {
  const reasons = new Map<string, string>()
  return {
    onSave: (dir: string, error?: NodeJS.ErrnoException) => {
      if (error) reasons.set(dir, error.code ?? error.message)
      else reasons.delete(dir)
    },
    message: (): string | undefined => {
      const [reason] = reasons.values()
      return (
        reason &&
        `the last good state of the content cannot be saved in DATA_DIR/last-good (${reason}): after a restart, an older one is used`
      )
    },
  }
}

const DISK_CHECK_INTERVAL_MS = 2000
/** More than a busy disk takes. */
const MAX_DISK_REPLY_MS = 10_000

/** Notices that the disk of the content, perhaps of a network, does not reply: nothing else waits for it. */
export function watchContentDisk(contentDir: string) {
  let askedAt: number | undefined
  const check = async () => {
    if (askedAt !== undefined) return
    askedAt = performance.now()
    await statfs(contentDir).catch(() => {})
    askedAt = undefined
  }
  const timer = setInterval(check, DISK_CHECK_INTERVAL_MS).unref()
  return {
    problem: () =>
      askedAt !== undefined &&
      performance.now() - askedAt > MAX_DISK_REPLY_MS &&
      'the disk of CONTENT_DIR does not reply: changes are not served, and files of releases and pictures are unavailable',
    close: () => clearInterval(timer),
  }
}

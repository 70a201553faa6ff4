// The file of a journal, which one process at a time has. It has two halves with one batch each.
import * as fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockFile } from '../files/index.ts'
import { CountBatch, HEADER_BYTES } from './count-batch.ts'

const MAX_LOCK_TRIES = 10
const LOCK_RETRY_INTERVAL_MS = 10

/** Enough for more than 10,000 combinations of version and day. */
const HALF_BYTES = 512 * 1024
export const JOURNAL_BYTES = 2 * HALF_BYTES

export const splitIntoHalves = (bytes: Buffer): [Buffer, Buffer] => [
  bytes.subarray(0, HALF_BYTES),
  bytes.subarray(HALF_BYTES, JOURNAL_BYTES),
]

/** The batches with counts, the older one first. */
export const readBatches = (bytes: Buffer): CountBatch[] =>
  splitIntoHalves(bytes)
    .map(CountBatch.read)
    .filter((batch) => batch !== undefined)
    .sort((a, b) => a.number - b.number)

const FILE_NAME = /^(\d+)\.journal$/

/** The numbers of the journal files in a folder, locked or not. */
export const listJournalFiles = (folder: string): number[] =>
  fs
    .readdirSync(folder)
    .flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
    .map(Number)

export type JournalFile = NonNullable<Awaited<ReturnType<typeof openJournalFile>>>

export const pathOf = (folder: string, number: number) => join(folder, `${number}.journal`)

/** Device and inode: another value if the file was removed or replaced. */
const identify = (path: string): string => {
  const found = fs.statSync(path, { throwIfNoEntry: false })
  return found ? `${found.dev} ${found.ino}` : 'none'
}

/**
 * Opens the journal file with this number, and creates it if it does not exist. No other process can open it until it
 * is closed or this process ends. Undefined: another process has it, or may have it. A lock file that is younger than
 * `settleMs` may replace one that was removed: a process that has the journal takes the new lock within that time. Rejects
 * if the file cannot be opened.
 */
export async function openJournalFile(folder: string, number: number, settleMs: number) {
  using opened = new DisposableStack()
  fs.mkdirSync(folder, { recursive: true })
  const path = pathOf(folder, number)
  const lockPath = join(folder, `${number}.lock`)
  const fd = opened.adopt(fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT), fs.closeSync)
  // A device or a pipe accepts what is written, and keeps nothing.
  if (!fs.fstatSync(fd).isFile()) throw Object.assign(new Error(`${path} is not a file`), { code: 'ENOTSUP' })
  let lock = await lockFile(lockPath)
  if (!lock) return undefined
  opened.defer(() => lock?.dispose())
  const isLockNew = () => {
    const createdAt = fs.statSync(lockPath, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    // Abs: the clock may have been ahead.
    return Math.abs(Date.now() - createdAt) < settleMs
  }
  if (isLockNew() && fs.fstatSync(fd).size > 0) return undefined
  const id = identify(path)
  let lockId: string | undefined = identify(lockPath)
  const writeAt = (bytes: Buffer, position: number) => {
    for (let done = 0; done < bytes.length; )
      done += fs.writeSync(fd, bytes, done, bytes.length - done, position + done)
  }
  const file = opened.move()
  return {
    number,
    modifiedAt: fs.fstatSync(fd).mtimeMs,
    /** Missing bytes are 0. Returns whether what the file holds is damaged. */
    read(bytes: Buffer): boolean {
      const size = fs.readSync(fd, bytes, 0, bytes.length, 0)
      bytes.fill(0, size)
      const isCut = size > 0 && size < bytes.length
      return isCut || splitIntoHalves(bytes).some(CountBatch.isDamaged)
    },
    /** Throws if the write fails. Written bytes survive a crash of the process, but not of the machine. */
    write: writeAt,
    /** Writes the whole file. If that fails, restores its size, so that it does not fill the disk. */
    writeAll(bytes: Buffer): void {
      const { size } = fs.fstatSync(fd)
      try {
        writeAt(bytes, 0)
      } catch (error) {
        fs.ftruncateSync(fd, size)
        throw error
      }
    },
    /** False if the file was removed or replaced: counts in it are lost when the process ends. */
    isInPlace: () => identify(path) === id,
    /** False if another program has truncated or overwritten the file. Of each half, the header is compared. */
    isIntact: (bytes: Buffer): boolean =>
      splitIntoHalves(bytes).every((half, index) => {
        const header = Buffer.alloc(HEADER_BYTES)
        fs.readSync(fd, header, 0, HEADER_BYTES, index * HALF_BYTES)
        return header.equals(half.subarray(0, HEADER_BYTES))
      }),
    /** The lock file may have been removed. Resolves to false if another process has taken the new lock. */
    async keepLock(): Promise<boolean> {
      if (identify(lockPath) === lockId) return true
      lock?.dispose()
      lock = await lockFile(lockPath)
      // The checks of two processes may coincide each time, until the lock is not new any more.
      for (let tries = 1; !lock && tries < MAX_LOCK_TRIES; tries++) {
        await sleep(LOCK_RETRY_INTERVAL_MS * (0.5 + Math.random()))
        lock = await lockFile(lockPath)
      }
      lockId = lock && identify(lockPath)
      // A process that has a new lock closes it without using the journal. The next call tries again.
      return lock !== undefined || isLockNew()
    },
    close: () => file.dispose(),
    [Symbol.dispose]: () => file.dispose(),
  }
}

/** Each confirmed batch is checked once. */
export function eraseConfirmed({ write }: Pick<JournalFile, 'write'>, bytes: Buffer): void {
  for (const half of splitIntoHalves(bytes).filter(CountBatch.readErased))
    write(half.subarray(0, HEADER_BYTES).fill(0), half.byteOffset - bytes.byteOffset)
}

/** Call it when the store gets an older state on purpose: what it had confirmed since is not lost. */
export async function forgetConfirmed(folder: string): Promise<void> {
  const bytes = Buffer.alloc(JOURNAL_BYTES)
  for (const number of fs.existsSync(folder) ? listJournalFiles(folder) : []) {
    using file = await openJournalFile(folder, number, 0)
    file?.read(bytes)
    if (file) eraseConfirmed(file, bytes)
  }
}

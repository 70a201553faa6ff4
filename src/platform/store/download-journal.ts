import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { lockFile } from '../files/index.ts'
import type { Log } from '../logging/index.ts'
import { CountBatch } from './count-batch.ts'
import type { Downloads } from './store.ts'

const FILE_NAME = /^(\d+)\.journal$/

/** The numbers of the journal files in a folder, locked or not. */
const listJournalFiles = (folder: string): number[] =>
  readdirSync(folder)
    .flatMap((name) => FILE_NAME.exec(name)?.[1] ?? [])
    .map(Number)

type JournalFile = NonNullable<Awaited<ReturnType<typeof openJournalFile>>>

/**
 * Opens the journal file with this number, and creates it if it does not exist. No other process can open it until it is
 * closed or this process ends. Undefined: another process has it. Rejects if the file cannot be opened.
 */
async function openJournalFile(folder: string, number: number) {
  using opened = new DisposableStack()
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${number}.journal`)
  const fd = opened.adopt(openSync(path, constants.O_RDWR | constants.O_CREAT), closeSync)
  const lock = await lockFile(join(folder, `${number}.lock`))
  if (!lock) return undefined
  opened.defer(() => lock.close())
  const writeAt = (bytes: Buffer, position: number) => {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, position + done)
  }
  const file = opened.move()
  return {
    number,
    /** Missing bytes are 0. */
    read: (bytes: Buffer) => void bytes.fill(0, readSync(fd, bytes, 0, bytes.length, 0)),
    /** Throws if the write fails. Written bytes survive a crash of the process, but not of the machine. */
    write: writeAt,
    /** Writes the whole file. If that fails, restores its size, so that it does not fill the disk. */
    writeAll(bytes: Buffer): void {
      const { size } = fstatSync(fd)
      try {
        writeAt(bytes, 0)
      } catch (error) {
        ftruncateSync(fd, size)
        throw error
      }
    },
    /** False if the file was removed or replaced: counts in it are lost when the process ends. */
    isInPlace(): boolean {
      const [own, found] = [fstatSync(fd), statSync(path, { throwIfNoEntry: false })]
      return own.ino === found?.ino && own.dev === found.dev
    },
    close: () => file.dispose(),
  }
}

/** Enough for more than 10,000 combinations of version and day. */
const HALF_BYTES = 512 * 1024
const JOURNAL_BYTES = 2 * HALF_BYTES

/**
 * The journal holds the download counts that the store has not confirmed. Counts in its file survive a crash of the
 * process. The file has its full size from the start, so that downloads can be counted when the disk is full. One half
 * holds the batch that is being filled, the other half the batch that is sent to the store. A batch is sent only after
 * the next one has begun, so the file shows which batch the store may have.
 *
 * Each process has a file of its own. The next process that takes the file of an ended process continues its batches.
 */
export async function openDownloadJournal(folder: string, log: Log) {
  /** The store knows a batch by writer and number. A copy of the data folder must not reuse those of the original. */
  const writer = randomUUID()
  /** The content of the file. If the file cannot be written, the counts are only here. */
  const bytes = Buffer.alloc(JOURNAL_BYTES)
  /** The content of a file of another process, or of a file before this process uses it. */
  const found = Buffer.alloc(JOURNAL_BYTES)
  let file: JournalFile | undefined
  let problem: string | undefined

  const recordProblem = ({ code = 'unknown' }: { code?: string }) => {
    if (problem === undefined) log.error({ code }, 'the journal of download counts cannot be written')
    // Only the code, because the message contains the path of the folder.
    problem = code
  }

  const write = (part: Buffer): boolean => {
    if (!file || problem) return false
    try {
      file.write(part, part.byteOffset - bytes.byteOffset)
      return true
    } catch (error) {
      recordProblem(error as NodeJS.ErrnoException)
      return false
    }
  }

  /** Takes the first file that no other process has and that `accept` accepts. */
  const attach = async (accept: () => boolean) => {
    for (let number = 1; !file; number++) {
      const next = await openJournalFile(folder, number)
      try {
        next?.read(found)
        if (!next || !accept()) continue
        next.writeAll(bytes)
        file = next
      } finally {
        if (file !== next) next?.close()
      }
    }
    problem = undefined
  }

  await attach(() => found.copy(bytes) > 0).catch((error) => {
    bytes.fill(0)
    recordProblem(error)
  })
  if (splitIntoHalves(bytes).some(CountBatch.isDamaged)) log.error({}, 'a journal of download counts is damaged')
  const left = readBatches(bytes)
  let lastNumber = left.at(-1)?.number ?? 0

  const repair = async () => {
    if (file && !file.isInPlace()) {
      file.close()
      file = undefined
      recordProblem({ code: 'ENOENT' })
    }
    if (problem === undefined) return
    // Keeps the lock: if another process imported the batch now, the store would ignore its later counts.
    file?.writeAll(bytes)
    await attach(() => readBatches(found).length === 0)
    log.info({}, 'the journal of download counts can be written again')
  }

  return {
    /** The batches that an ended process left in the file, the older one first. */
    left,
    /** The code of the error because of which counts are in memory only. */
    problem: () => problem,
    /** Begins a batch in the half that `other` does not use. */
    begin(other?: CountBatch): CountBatch {
      const [first, second] = splitIntoHalves(bytes)
      const half = other?.bytes.byteOffset === first.byteOffset ? second : first
      const batch = CountBatch.begin(half, writer, ++lastNumber)
      write(batch.header())
      return batch
    },
    /** Writes the new counts with one system call. False: they are in memory only. */
    save: (batch: CountBatch): boolean => write(batch.takeChanges()),
    /** Removes a batch that the store has confirmed. If that fails, it may be sent again, and the store ignores it. */
    discard: (batch: CountBatch) => void write(batch.erase()),
    /** Call it regularly: it notices that the file was removed, and tries again after a problem. */
    repair: () => repair().catch(recordProblem),
    /** Adds the batches of ended processes whose files no process has taken. */
    async importOrphans(downloads: Downloads): Promise<void> {
      let imported = 0
      for (const number of listJournalFiles(folder)) {
        const orphan = number === file?.number ? undefined : await openJournalFile(folder, number)
        if (!orphan) continue
        try {
          orphan.read(found)
          for (const batch of readBatches(found)) {
            // The store ignores a batch that it received before the process was killed.
            if (await downloads.add(batch.toDownloadBatch())) imported += batch.total
            orphan.write(batch.erase(), batch.bytes.byteOffset - found.byteOffset)
          }
        } finally {
          orphan.close()
        }
      }
      if (imported > 0) log.info({ downloads: imported }, 'imported the downloads that an earlier process had counted')
    },
    close() {
      file?.close()
      file = undefined
    },
  }
}

const splitIntoHalves = (bytes: Buffer): [Buffer, Buffer] => [
  bytes.subarray(0, HALF_BYTES),
  bytes.subarray(HALF_BYTES, JOURNAL_BYTES),
]

/** The batches with counts, the older one first. */
export const readBatches = (bytes: Buffer): CountBatch[] =>
  splitIntoHalves(bytes)
    .map(CountBatch.read)
    .filter((batch) => batch !== undefined)
    .sort((a, b) => a.number - b.number)

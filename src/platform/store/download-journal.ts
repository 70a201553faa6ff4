import { randomUUID } from 'node:crypto'
import { existsSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createRecentProblem, type Log } from '../logging/index.ts'
import { CountBatch, HEADER_BYTES } from './count-batch.ts'
import type { NumberedBatch } from './counts.ts'
import {
  eraseConfirmed,
  JOURNAL_BYTES,
  type JournalFile,
  listJournalFiles,
  openJournalFile,
  pathOf,
  readBatches,
  splitIntoHalves,
} from './download-journal-file.ts'
import { type Downloads, WRITER_TTL_MS } from './store.ts'

/** A process in a loop of crashes must not fill the disk with journal files. */
const MAX_LEFT_FILES = 8
/** Many processes may start at once. More locks are refused only if the file system gives none (ENOLCK). */
const MAX_REFUSED_LOCKS = 64

const LOST =
  'the store lost counts that it had confirmed before this process started, for example in a failover or because it was ' +
  'restored from an older state'

const OVERWRITTEN = 'another program changed a journal of DATA_DIR/counts while it was in use; it was written again'

/** What the store had confirmed when the process of this file ended. The store forgets it after a while. */
const listConfirmed = (bytes: Buffer, { modifiedAt }: JournalFile): NumberedBatch[] =>
  Math.abs(Date.now() - modifiedAt) > WRITER_TTL_MS / 2
    ? []
    : splitIntoHalves(bytes).flatMap((half) => CountBatch.readErased(half) ?? [])

/**
 * The journal holds the download counts that the store has not confirmed. Counts in its file survive a crash of the
 * process. The file has its full size from the start, so that downloads can be counted when the disk is full. One half
 * holds the batch that is being filled, the other half the batch that is sent to the store. A batch is sent only after
 * the next one has begun, so the file shows which batch the store may have.
 *
 * Each process has a file of its own. The next process that takes the file of an ended process continues its batches.
 * `lockSettleMs` is longer than the time between two calls of `repair`.
 */
export async function openDownloadJournal(folder: string, log: Log, lockSettleMs: number) {
  /** The store knows a batch by writer and number. A copy of the data folder must not reuse those of the original. */
  let writer = randomUUID()
  /** The content of the file. If the file cannot be written, the counts are only here. */
  const bytes = Buffer.alloc(JOURNAL_BYTES)
  /** The content of a file of another process, or of a file before this process uses it. */
  const found = Buffer.alloc(JOURNAL_BYTES)
  let file: JournalFile | undefined
  let problem: string | undefined
  const damage = createRecentProblem()

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

  let confirmed: NumberedBatch[] = []
  /** Takes the first file that no other process has and that `accept` accepts. */
  const attach = async (accept: (isDamaged: boolean) => boolean, settleMs = lockSettleMs) => {
    for (let [number, refused] = [1, 0]; !file; number++) {
      const size = statSync(pathOf(folder, number), { throwIfNoEntry: false })?.size
      const next = await openJournalFile(folder, number, settleMs).catch((error) => {
        // Another user may have created this one. If a new file cannot be created either, there is no journal.
        if (size === undefined) throw error
      })
      // A file that a process uses is not empty.
      if (!next && !size && ++refused > MAX_REFUSED_LOCKS)
        throw Object.assign(new Error('no journal can be locked'), { code: 'ENOLCK' })
      try {
        if (!next || !accept(next.read(found))) continue
        confirmed.push(...listConfirmed(found, next))
        next.writeAll(bytes)
        file = next
      } finally {
        if (file !== next) next?.close()
      }
    }
    problem = undefined
  }

  let leftFiles = 0
  /**
   * If both halves are in use, the newer batch would get the next counts. If the file is an old copy, the store knows this
   * batch and would ignore them. So such a file is left to `importOrphans`, like a damaged one.
   */
  const isUsable = () => readBatches(found).length < 2 || ++leftFiles > MAX_LEFT_FILES
  const take = () => found.copy(bytes) > 0
  await attach((isDamaged) => !isDamaged && isUsable() && take())
    // A full disk has no space for another file.
    .catch(() => attach(take, 0))
    .catch((error) => {
      bytes.fill(0)
      recordProblem(error)
    })
  const left = readBatches(bytes)
  let lastNumber = left.at(-1)?.number ?? 0

  const repair = async () => {
    if (file && !(file.isInPlace() && (await file.keepLock()))) {
      file.close()
      file = undefined
      recordProblem({ code: 'ENOENT' })
    }
    if (file && problem === undefined && !file.isIntact(bytes)) {
      log.error({}, OVERWRITTEN)
      damage.report(OVERWRITTEN)
    } else if (problem === undefined) return
    // Keeps the lock: if another process imported the batch now, the store would ignore its later counts.
    file?.writeAll(bytes)
    await attach((isDamaged) => !isDamaged && readBatches(found).length === 0)
    log.info({}, 'the journal of download counts can be written again')
  }

  /** The store ignores a number that it knows. One that it accepts was lost. */
  const checkConfirmed = async (batches: readonly NumberedBatch[], downloads: Downloads) => {
    for (const batch of batches) {
      if (!(await downloads.add({ ...batch, rows: [] }))) continue
      log.error({}, LOST)
      damage.report(LOST)
    }
  }

  /** Resolves to the number of downloads that the store did not have. */
  const importOrphan = async (number: number, downloads: Downloads) => {
    using orphan = await openJournalFile(folder, number, lockSettleMs)
    if (!orphan) return 0
    let imported = 0
    const isDamaged = orphan.read(found)
    await checkConfirmed(listConfirmed(found, orphan), downloads)
    eraseConfirmed(orphan, found)
    for (const batch of readBatches(found)) {
      // The store ignores a batch that it received before the process was killed.
      if (await downloads.add(batch.toDownloadBatch())) imported += batch.total
      orphan.write(batch.erase(), batch.bytes.byteOffset - found.byteOffset)
    }
    if (isDamaged) {
      const first = `${number}.journal.damaged`
      const name = existsSync(join(folder, first)) ? `${first}-${Date.now()}` : first
      renameSync(pathOf(folder, number), join(folder, name))
      log.error({}, `a journal of download counts is damaged; it is kept as ${name}`)
      damage.report(`counts are lost, because a journal is damaged: DATA_DIR/counts/${name}`)
    }
    return imported
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
    /** The next batches begin with other numbers than the store knows. */
    renewWriter(): void {
      writer = randomUUID()
    },
    /** Writes the new counts with one system call. False: they are in memory only. */
    save: (batch: CountBatch): boolean => write(batch.takeChanges()),
    /** Removes a batch that the store has confirmed. If that fails, it may be sent again, and the store ignores it. */
    discard: (batch: CountBatch) => void write(batch.erase()),
    /** Call it regularly: it notices that the file was removed, and tries again after a problem. */
    repair: () => repair().catch(recordProblem),
    /** That a file was damaged, or that the store lost counts, for an hour. */
    damage: damage.message,
    /** Adds the batches of ended processes whose files no process has taken. Rejects after it has tried all of them. */
    async importOrphans(downloads: Downloads): Promise<void> {
      let imported = 0
      const failures: unknown[] = []
      await checkConfirmed(confirmed, downloads)
      confirmed = []
      // The store forgets them after a while, perhaps before the next process checks them again.
      for (const half of splitIntoHalves(bytes))
        if ((CountBatch.readErased(half)?.writer ?? writer) !== writer) write(half.subarray(0, HEADER_BYTES).fill(0))
      for (const number of listJournalFiles(folder)) {
        if (number === file?.number) continue
        try {
          imported += await importOrphan(number, downloads)
        } catch (error) {
          failures.push(error)
        }
      }
      if (imported > 0) log.info({ downloads: imported }, 'imported the downloads that an earlier process had counted')
      if (failures.length > 0) throw failures[0]
    },
    close() {
      file?.close()
      file = undefined
    },
  }
}

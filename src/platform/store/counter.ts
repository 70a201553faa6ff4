import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { withTimeout } from '../concurrency/index.ts'
import { writeAtomically } from '../files/index.ts'
import type { Log } from '../logging/index.ts'
import { createDayReader, DownloadCounts } from './download-counts.ts'
import { describeStoreError } from './health.ts'
import { buildJournalPath, importOrphanedJournals, type JournalBatch } from './journal.ts'
import type { Clock, Downloads } from './store.ts'

interface CounterOptions {
  /** Holds the journal while the store is unavailable. No other process may write to it. */
  folder: string
  /** Journal folders of processes that no longer exist; their journals are imported. */
  orphanedFolders?: readonly string[]
  log: Log
  clock?: Clock
  /** Time between two batches. Also the time after which an unacknowledged batch is written to the journal. */
  flushIntervalMs?: number
  /** Journals of other writers are imported when they have not changed for this long. */
  orphanedAfterMs?: number
  /** Time that a clean shutdown waits for the store. After it, the counts stay in the journal. */
  closeTimeoutMs?: number
}

export type Counter = ReturnType<typeof createCounter>

/**
 * A download is counted in memory and sent to the store in a batch after `flushIntervalMs`. If the store has not
 * acknowledged the batch after another `flushIntervalMs`, it is written to the journal. A killed process therefore
 * loses at most the last 2 x flushIntervalMs plus one write, about half a second, whether or not the store is available.
 */
export function createCounter(downloads: Downloads, options: CounterOptions) {
  const { folder, orphanedFolders = [], log, clock = Date.now } = options
  const { flushIntervalMs = 250, orphanedAfterMs = 10_000, closeTimeoutMs = 2000 } = options
  const writer = randomUUID()
  const journal = buildJournalPath(folder, writer)
  const readDay = createDayReader(clock)

  let gathering = new DownloadCounts()
  /** Keeps its number and rows until the store acknowledges it: if a reply is lost, nothing is counted twice. */
  let sent: { number: number; counts: DownloadCounts } | undefined
  let sending: Promise<boolean> | undefined
  let lastNumber = 0
  /** The highest batch number in the journal; 0 if there is no journal. */
  let journaled = 0
  /** Why the waiting counts are not in the journal either: a crash would lose them. */
  let diskProblem: string | undefined
  let counted = 0
  /** Downloads that were dropped because the memory limit was reached. */
  let lost = 0
  /** Why the store did not accept the last batch. */
  let storeProblem: string | undefined
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<boolean> | undefined
  let closed = false

  const countWaiting = () => gathering.total + (sent?.counts.total ?? 0)

  const scheduleFlush = () => {
    if (timer || closed) return
    timer = setTimeout(() => {
      flushing = flush(flushIntervalMs)
    }, flushIntervalMs)
  }

  const send = async ({ number, counts }: NonNullable<typeof sent>): Promise<boolean> => {
    try {
      await downloads.add({ writer, number, rows: counts.rows() })
      sent = undefined
      storeProblem = undefined
      return true
    } catch (error) {
      storeProblem = describeStoreError(error) ?? String(error)
      return false
    } finally {
      sending = undefined
    }
  }

  /** Resolves to true if everything gathered so far is in the store within `timeoutMs`. */
  const flush = async (timeoutMs: number): Promise<boolean> => {
    if (!sent && gathering.total > 0) {
      sent = { number: ++lastNumber, counts: gathering }
      gathering = new DownloadCounts()
    }
    if (sent) sending ??= send(sent)
    const arrived = !sending || (await withTimeout(timeoutMs, sending, () => false))
    await (arrived ? removeJournal() : writeJournal()).then(() => recordDiskError(undefined), recordDiskError)
    timer = undefined
    // `journaled`: the store may have acknowledged the batch while it was written to the journal.
    if (countWaiting() > 0 || journaled > 0) scheduleFlush()
    return arrived
  }

  const writeJournal = async () => {
    const gathered = gathering.total > 0 ? { number: lastNumber + 1, counts: gathering } : undefined
    const batches = [sent, gathered].filter((batch) => batch !== undefined)
    if (batches.length === 0) return removeJournal()
    if (!journaled) {
      const fields = { problem: storeProblem, waiting: countWaiting() }
      log.warn(fields, 'the store is unavailable; counted downloads go to the journal')
    }
    journaled = batches.at(-1)?.number ?? 0
    const written = batches.map(({ number, counts }) => ({ number, rows: counts.rows() }))
    await writeAtomically(journal, JSON.stringify(written satisfies JournalBatch[]))
  }

  const removeJournal = async () => {
    if (!journaled || journaled > lastNumber) return
    await rm(journal, { force: true })
    journaled = 0
    log.info({}, 'the counted downloads of the journal are in the store')
  }

  const recordDiskError = (error: NodeJS.ErrnoException | undefined) => {
    if (error && !diskProblem) {
      log.error({ code: error.code, waiting: countWaiting() }, 'the journal of counted downloads cannot be written')
    }
    // Only the code, because the message contains the path of the folder.
    diskProblem = error && (error.code ?? error.name)
  }

  let importing: Promise<void> | undefined
  const importJournals = () => {
    const folders = [folder, ...orphanedFolders]
    importing ??= importOrphanedJournals(downloads, { folders, ownWriter: writer, orphanedAfterMs, log })
      .catch((error) => {
        if (!describeStoreError(error)) log.error({ err: error }, 'the journal of a stopped process cannot be imported')
      })
      .finally(() => {
        importing = undefined
      })
  }
  const importTimer = setInterval(importJournals, orphanedAfterMs / 2)
  importTimer.unref()
  importJournals()

  return {
    /** Counts one download. Takes a few hundred nanoseconds and never throws. */
    count(application: string, version: string): void {
      if (gathering.add(application, version, readDay())) counted++
      else if (++lost === 1) {
        log.error({}, 'too many different versions wait for the store; further versions are not counted')
      }
      scheduleFlush()
    },
    status: () => ({ counted, waiting: countWaiting(), lost, storeProblem, diskProblem }),
    /** Resolves when all counts are in the store, or in the journal if the store is unavailable. */
    async close(): Promise<void> {
      closed = true
      clearInterval(importTimer)
      clearTimeout(timer)
      await Promise.all([flushing, importing])
      // First the batch that is being sent, then what was gathered meanwhile.
      while (countWaiting() > 0 && (await flush(closeTimeoutMs)));
      if (countWaiting() === 0 && journaled > 0) await flush(closeTimeoutMs)
      if (countWaiting() > 0) {
        const fields = { waiting: countWaiting(), onDisk: diskProblem === undefined }
        log.warn(fields, 'the store did not accept the last counted downloads')
      }
    },
  }
}

import { createSharedRun, withTimeout } from '../concurrency/index.ts'
import { createRecentProblem, type Log } from '../logging/index.ts'
import type { CountBatch } from './count-batch.ts'
import { createDayReader } from './counts.ts'
import { openDownloadJournal } from './download-journal.ts'
import { describeStoreError } from './health.ts'
import type { Clock, Downloads } from './store.ts'

interface DownloadCounterOptions {
  /** The folder of the journals of all processes of this node. */
  folder: string
  log: Log
  clock?: Clock
  /** Time between two batches. */
  flushIntervalMs?: number
  /** How often the journals of ended processes are imported, and a broken journal is repaired. */
  checkIntervalMs?: number
  /** Time that a clean shutdown waits for the store. After it, the counts stay in the journal. */
  closeTimeoutMs?: number
}

const KNOWN_NUMBER =
  'counts are lost, because another service handed in a copy of DATA_DIR/counts before they were complete, or this ' +
  'machine was set back to a snapshot'

export type DownloadCounter = Awaited<ReturnType<typeof openDownloadCounter>>

/**
 * Counts downloads. At the end of each turn of the event loop, the counts of the turn are written to the journal with one
 * system call; only then the replies are sent. Every `flushIntervalMs` the store gets a batch. It has a number, so that the
 * store ignores it if it arrives twice.
 */
export async function openDownloadCounter(downloads: Downloads, options: DownloadCounterOptions) {
  const { folder, log, clock = Date.now } = options
  const { flushIntervalMs = 250, checkIntervalMs = 2000, closeTimeoutMs = 2000 } = options
  const journal = await openDownloadJournal(folder, log, 3 * checkIntervalMs)
  const readDay = createDayReader(clock)
  /** Sealed: it keeps its number and its rows until the store confirms it. */
  let sent: CountBatch | undefined = journal.left[0]
  let isFirstAttempt = false
  let gathering = journal.left[1] ?? journal.begin(sent)
  /** Resolves when the counts of this turn are saved. */
  let turn: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let counted = 0
  /** Downloads that were not counted because the journal was full. */
  let lost = 0
  const loss = createRecentProblem()
  const reportLoss = (message: string) => {
    if (loss.message() !== message) log.error({}, message)
    loss.report(message)
  }
  /** Why the store did not accept the last batch. */
  let storeProblem: string | undefined
  let isClosed = false

  const countWaiting = () => gathering.total + (sent?.total ?? 0)
  if (countWaiting() > 0) log.info({ downloads: countWaiting() }, 'found downloads that an earlier process had counted')

  const send = async (): Promise<void> => {
    if (!sent && gathering.total > 0) {
      journal.save(gathering)
      sent = gathering
      gathering = journal.begin(sent)
      isFirstAttempt = true
    }
    if (!sent) return
    try {
      const isNew = await downloads.add(sent.toDownloadBatch())
      if (!isNew && isFirstAttempt) {
        reportLoss(KNOWN_NUMBER)
        // A machine that was set back to a snapshot with its memory repeats numbers, perhaps for days.
        journal.renewWriter()
      }
      journal.discard(sent)
      sent = undefined
      if (storeProblem) log.info({}, 'the store accepts the counted downloads again')
      storeProblem = undefined
    } catch (error) {
      isFirstAttempt = false
      const problem = describeStoreError(error) ?? String(error)
      if (!storeProblem) log.warn({ problem }, 'the store is unavailable; counted downloads wait in the journal')
      storeProblem = problem
    }
  }

  const sending = createSharedRun(() => send().finally(scheduleFlush))
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    return sending.run()
  }

  const scheduleFlush = () => {
    if (!isClosed && countWaiting() > 0) timer ??= setTimeout(flush, flushIntervalMs)
  }

  /** Resolves when the store has confirmed everything counted so far, or does not accept it. */
  const flushAll = async () => {
    const last = gathering
    do await flush()
    while (last.total > 0 && (last === gathering || last === sent) && !storeProblem)
  }

  /** Without a journal, the replies of a turn wait for the store. */
  const endTurn = (resolve: (saved?: Promise<void>) => void) => {
    turn = undefined
    resolve(journal.save(gathering) ? undefined : flushAll())
    scheduleFlush()
  }

  /** Why the journal of an earlier process cannot be read: the code of the error. */
  let importProblem: string | undefined
  const { run: check, running: checking } = createSharedRun(async () => {
    await journal.repair()
    if (journal.problem()) return
    const error = await journal.importOrphans(downloads).catch((reason) => reason)
    const problem = error && !describeStoreError(error) ? String(error.code ?? error) : undefined
    if (problem && problem !== importProblem) {
      log.error({ problem }, 'the journal of an earlier process cannot be imported')
    }
    importProblem = problem
  })
  const checkTimer = setInterval(check, checkIntervalMs).unref()
  void check()
  scheduleFlush()

  return {
    /** Counts one download. Resolves, also after a problem, when it is saved: only then may the reply be sent. */
    count(application: string, version: string): Promise<void> {
      if (gathering.add(application, version, readDay())) counted++
      else {
        if (!loss.message()) log.error({}, 'too many different versions wait for the store; some are not counted')
        loss.report(`${++lost} counts were lost because DATA_DIR/counts was full`)
      }
      turn ??= new Promise((resolve) => void setImmediate(endTurn, resolve))
      return turn
    },
    status: () => ({
      counted,
      waiting: countWaiting(),
      lost,
      /** That counts were lost, for an hour. */
      loss: loss.message(),
      storeProblem,
      diskProblem: journal.problem(),
      importProblem,
      damage: journal.damage(),
    }),
    /** Resolves when all counts are in the store, or in the journal if the store is unavailable. */
    async close(): Promise<void> {
      isClosed = true
      clearInterval(checkTimer)
      clearTimeout(timer)
      await checking()
      await withTimeout(
        closeTimeoutMs,
        Promise.all([turn, flushAll()]).then(() => {}),
        () => {},
      )
      if (countWaiting() > 0) {
        const fields = { waiting: countWaiting(), onDisk: journal.problem() === undefined }
        log.warn(fields, 'the store did not accept the last counted downloads')
      }
      journal.close()
    },
  }
}

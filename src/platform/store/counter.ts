import { randomUUID } from 'node:crypto'
import { within } from '../concurrency/index.ts'
import type { Log } from '../logging/index.ts'
import { openJournal, takeInJournals } from './journal.ts'
import type { Clock, Downloads } from './store.ts'
import { tellDay } from './summary.ts'
import { Tally } from './tally.ts'
import { troubleOf } from './unavailable.ts'

export interface CounterOptions {
  /** For what waits while the store is away; one that no other program writes to. */
  folder: string
  /** Folders of processes that are no more: what they left is handed in, too. */
  leftIn?: readonly string[]
  log: Log
  clock?: Clock
  /** How long counts gather, and how long the store may take before they are written to the folder. */
  flushMs?: number
  /** After so long without a sign of life another process's leavings are taken in. */
  quietMs?: number
  /** How long a clean stop waits for the store before it leaves the counts in the folder. */
  closeMs?: number
}

export interface CounterStatus {
  /** Since the start. */
  readonly counted: number
  /** What has not arrived in the store yet. */
  readonly waiting: number
  /** What was given up for want of room. */
  readonly lost: number
  /** Why the store did not take what waits. */
  readonly trouble: string | undefined
  /** Why what waits is not on the disk either: it would be lost with the process. */
  readonly diskTrouble: string | undefined
}

export interface Counter {
  /** Counts one download; a few hundred nanoseconds, no promise, no throw. */
  count(application: string, version: string): void
  status(): CounterStatus
  /** Everything that was counted is in the store, or in the folder where the store is away. */
  close(): Promise<void>
}

/**
 * The path of a counted download: memory, then within `flushMs` a batch to the store; where that has not answered
 * after another `flushMs`, a file. So a killed process loses what it counted in the last 2 x flushMs and a write,
 * about half a second, whether the store is there or not.
 */
export function createCounter(downloads: Downloads, options: CounterOptions): Counter {
  const { folder, leftIn = [], log, clock = Date.now, flushMs = 250, quietMs = 10_000, closeMs = 2000 } = options
  const writer = randomUUID()
  const journal = openJournal(folder, writer)
  const today = tellDay(clock)

  let gathering = new Tally()
  /** Keeps its number and rows until the store has it: an answer may be lost, a download not counted twice. */
  let sent: { number: number; tally: Tally } | undefined
  let sending: Promise<boolean> | undefined
  let lastNumber = 0
  /** The highest number on the disk; 0 where nothing is. */
  let journaled = 0
  let diskTrouble: string | undefined
  let counted = 0
  let lost = 0
  let trouble: string | undefined
  let timer: NodeJS.Timeout | undefined
  let running: Promise<boolean> | undefined
  let closed = false

  const schedule = () => {
    if (timer || closed) return
    timer = setTimeout(() => {
      running = flush(flushMs)
    }, flushMs)
  }

  const send = async (batch: { number: number; tally: Tally }): Promise<boolean> => {
    try {
      await downloads.add({ writer, number: batch.number, rows: batch.tally.rows() })
      sent = undefined
      trouble = undefined
      return true
    } catch (error) {
      trouble = troubleOf(error) ?? String(error)
      return false
    } finally {
      sending = undefined
    }
  }

  /** True where all that had gathered is in the store within `patienceMs`. */
  const flush = async (patienceMs: number): Promise<boolean> => {
    if (!sent && gathering.total > 0) {
      sent = { number: ++lastNumber, tally: gathering }
      gathering = new Tally()
    }
    if (sent) sending ??= send(sent)
    const arrived = !sending || (await within(patienceMs, sending, () => false))
    await (arrived ? forgetDisk() : keepOnDisk()).then(
      () => noteDisk(undefined),
      (error) => noteDisk(error),
    )
    timer = undefined
    if (waiting() > 0) schedule()
    return arrived
  }

  const keepOnDisk = async () => {
    const gathered = gathering.total > 0 ? { number: lastNumber + 1, tally: gathering } : undefined
    const batches = [sent, gathered].filter((batch) => batch !== undefined)
    if (batches.length === 0) return forgetDisk()
    if (!journaled) log.warn({ trouble, waiting: waiting() }, 'counted downloads wait on the disk for the store')
    journaled = batches.at(-1)?.number ?? 0
    await journal.write(batches.map(({ number, tally }) => ({ number, rows: tally.rows() })))
  }

  const forgetDisk = async () => {
    if (!journaled || journaled > lastNumber) return
    await journal.remove()
    journaled = 0
    log.info({}, 'the counted downloads that waited have arrived')
  }

  const noteDisk = (error: NodeJS.ErrnoException | undefined) => {
    if (error && !diskTrouble) {
      log.error({ code: error.code, waiting: waiting() }, 'counted downloads cannot be kept on the disk')
    }
    // The message of a disk's error names its folder.
    diskTrouble = error && (error.code ?? error.name)
  }

  const waiting = () => gathering.total + (sent?.tally.total ?? 0)

  let takingIn: Promise<void> | undefined
  const takeIn = () => {
    takingIn ??= takeInJournals(downloads, { folders: [folder, ...leftIn], ownWriter: writer, quietMs, log })
      .catch((error) => {
        if (!troubleOf(error)) log.error({ err: error }, 'the downloads of a stopped process cannot be taken in')
      })
      .finally(() => {
        takingIn = undefined
      })
  }
  const watch = setInterval(takeIn, quietMs / 2)
  watch.unref()
  takeIn()

  return {
    count(application, version) {
      if (gathering.add(application, version, today(), 1)) counted++
      else if (++lost === 1) {
        log.error({}, 'more versions were downloaded than the memory has room for; some are not counted')
      }
      schedule()
    },
    status: () => ({ counted, waiting: waiting(), lost, trouble, diskTrouble }),
    async close() {
      closed = true
      clearInterval(watch)
      clearTimeout(timer)
      await Promise.all([running, takingIn])
      // What was on its way when the stop came, then what had gathered behind it.
      while (waiting() > 0 && (await flush(closeMs)));
      if (waiting() > 0)
        log.warn({ waiting: waiting(), onDisk: diskTrouble === undefined }, 'the store did not take the last downloads')
    },
  }
}

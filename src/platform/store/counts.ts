// Days of counts, the summary of downloads, and the usage history.
import { randomUUID } from 'node:crypto'
import { createSharedRun, withTimeout } from '../concurrency/index.ts'
import type { Clock, DownloadBatch, DownloadRow, DownloadSummary } from './store.ts'

const DAY_MS = 86_400_000

const formatDay = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Returns the current UTC day, without building a date for every download. */
export function createDayReader(clock: Clock): () => string {
  let day = ''
  let number = Number.NaN
  return () => {
    const today = Math.floor(clock() / DAY_MS)
    if (today !== number) {
      number = today
      day = formatDay(today * DAY_MS)
    }
    return day
  }
}

export type NumberedBatch = Pick<DownloadBatch, 'writer' | 'number'>

const CLOSE_TIMEOUT_MS = 2000

interface BatchSenderOptions<Counts> {
  /** Resolves to false if the number of the batch is not new. */
  add(batch: Counts & NumberedBatch): Promise<boolean>
  /** Removes the counts from memory. */
  take(): Counts[] | Promise<Counts[]>
  /** Called for the first of several failures in a row. */
  reportFailure(error: unknown): void
}

/** Sends counts to the store. A batch keeps its number and its counts until the store confirms it. Nothing here rejects. */
export function createBatchSender<Counts extends object>({ add, take, reportFailure }: BatchSenderOptions<Counts>) {
  let writer = randomUUID()
  const unconfirmed: (Counts & NumberedBatch)[] = []
  let number = 0
  let hasFailed = false

  const send = async () => {
    for (let [batch] = unconfirmed; batch; [batch] = unconfirmed) {
      const isNew = await add(batch)
      // A failed call may have been executed. Otherwise the machine was set back to a snapshot, and repeats numbers.
      if (isNew || hasFailed) unconfirmed.shift()
      else {
        writer = randomUUID()
        unconfirmed[0] = { ...batch, writer }
      }
    }
  }
  const { run: flush, running } = createSharedRun(async () => {
    try {
      await send()
      // Not before: while the store is unavailable, counts of the same day are added up in memory.
      for (const counts of await take()) unconfirmed.push({ writer, number: ++number, ...counts })
      await send()
      hasFailed = false
    } catch (error) {
      if (!hasFailed) reportFailure(error)
      hasFailed = true
    }
  })
  return {
    flush,
    /** Sends what was counted during a running `flush`, too. Resolves to whether the store has confirmed everything taken. */
    async close(): Promise<boolean> {
      await running()
      await withTimeout(CLOSE_TIMEOUT_MS, flush(), () => {})
      return unconfirmed.length === 0
    },
  }
}

/** The last `days` days in ascending order. */
export const listLastDays = (now: number, days: number) =>
  Array.from({ length: days }, (_, index) => formatDay(now - (days - 1 - index) * DAY_MS))

/** The rows of the last `days` days, including today. */
export function selectLastDays(rows: readonly DownloadRow[], days: number): DownloadRow[] {
  const first = formatDay(Date.now() - (days - 1) * DAY_MS)
  return rows.filter(({ day }) => day >= first)
}

export type VersionTotal = { application: string; version: string; count: number }

export function summarizeDownloads(
  totals: VersionTotal[],
  days: string[],
  countOf: (day: string) => number | undefined,
): DownloadSummary {
  const applications = Map.groupBy(totals, ({ application }) => application)
  return {
    total: sumCounts(totals),
    applications: Object.fromEntries(
      [...applications].map(([application, versions]) => [
        application,
        {
          total: sumCounts(versions),
          versions: Object.fromEntries(versions.map(({ version, count }) => [version, count])),
        },
      ]),
    ),
    daily: days.map((date) => ({ date, count: countOf(date) ?? 0 })),
  }
}

const sumCounts = (totals: VersionTotal[]) => totals.reduce((total, { count }) => total + count, 0)

/** What became of a request: the columns of the usage history, in the order of `UsageCounts`. */
export const usageOutcomes = ['served', 'refused', 'sourceFailed', 'failed'] as const
export type UsageOutcome = (typeof usageOutcomes)[number]
/** Requests by outcome, in the order of `usageOutcomes`. */
export type UsageCounts = readonly [served: number, refused: number, sourceFailed: number, failed: number]

export interface UsageRow {
  /** What is counted: "endpoint", "kind", "referrer" … */
  readonly dimension: string
  readonly name: string
  readonly counts: UsageCounts
}

export interface UsageBatch extends NumberedBatch {
  readonly day: string
  /** At most one per dimension and name. */
  readonly rows: readonly UsageRow[]
}

/** The newest days are kept, as those of the adoption. */
export const MAX_USAGE_DAYS = 400
/** Names per day and dimension. Clients choose some of the names, and must not fill the store. */
export const MAX_USAGE_NAMES = 200
/** Counts all names above MAX_USAGE_NAMES. */
export const OTHER_USAGE = 'others'

/** Requests by day. All nodes add to the same counts. */
export interface Usage {
  /** Like the batches of downloads. */
  add(batch: UsageBatch): Promise<boolean>
  /** The days that have counts, in ascending order. */
  days(): Promise<string[]>
  /** Sorted by dimension and name. */
  rows(day: string): Promise<UsageRow[]>
}

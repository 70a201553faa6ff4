// Counts requests in memory, for the last hour and for the store.
import type { Log } from '../../platform/logging/index.ts'
import type { Clock, UsageCounts, UsageRow, Usage as UsageStore } from '../../platform/store/index.ts'
import { createBatchSender, createDayReader, MAX_USAGE_NAMES, OTHER_USAGE } from '../../platform/store/index.ts'

const FLUSH_INTERVAL_MS = 10_000
const BUCKET_MS = 30_000
const HOUR_MS = 3_600_000

type Counts = [number, number, number, number]
/** Counts by name. */
type Tally = Map<string, Counts>
/** Counts by dimension and name. */
export type UsageTable = Map<string, Tally>

/** `outcome`: a position in `usageOutcomes`. */
export function addCount(tally: Tally, name: string, outcome: number, count = 1): void {
  const counts = tally.get(name) ?? addName(tally, name)
  counts[outcome]! += count
}

function addName(tally: Tally, name: string): Counts {
  const added = tally.size < MAX_USAGE_NAMES - 1 ? name : OTHER_USAGE
  const counts = tally.get(added) ?? [0, 0, 0, 0]
  tally.set(added, counts)
  return counts
}

function addRows(table: UsageTable, rows: readonly UsageRow[]): void {
  for (const { dimension, name, counts } of rows) {
    const tally = table.get(dimension) ?? new Map()
    table.set(dimension, tally)
    const sums = tally.get(name) ?? addName(tally, name)
    for (const [n, count] of counts.entries()) sums[n] += count
  }
}

export const toRows = (table: UsageTable): UsageRow[] =>
  [...table].flatMap(([dimension, tally]) =>
    [...tally].filter(([, counts]) => counts.some(Boolean)).map(([name, counts]) => ({ dimension, name, counts })),
  )

interface RecorderOptions {
  /** Reads counts that another part keeps since the start of the process. The recorder stores by how much they grew. */
  readonly readTotals: () => UsageTable
  readonly log: Log
  readonly clock?: Clock
  /** For the last hour: setting the clock must not change what belongs to it. */
  readonly monotonicClock?: Clock
}

/**
 * Sends a batch to the store every ten seconds and at shutdown. If the process is killed, the counts since the last batch
 * are lost: unlike downloads, they are not worth a write to the disk per request.
 */
export function createUsageRecorder(store: UsageStore, options: RecorderOptions) {
  const { readTotals, log, clock = Date.now, monotonicClock = () => performance.now() } = options
  const readDay = createDayReader(clock)
  let today = readDay()
  /** What was counted since the last call of `collect`. */
  const fresh: UsageTable = new Map()
  let totals: UsageTable = new Map()
  /** Counts that are in no batch yet, by day. */
  const pending = new Map<string, UsageTable>()
  const recent: { at: number; table: UsageTable }[] = []

  const collect = () => {
    const newTotals = readTotals()
    const rows = [...toRows(fresh), ...toRows(subtract(newTotals, totals))]
    totals = newTotals
    for (const tally of fresh.values()) tally.clear()
    const now = monotonicClock()
    while (recent[0] && recent[0].at <= now - HOUR_MS - BUCKET_MS) recent.shift()
    if (rows.length === 0) return
    const at = Math.floor(now / BUCKET_MS) * BUCKET_MS
    if (recent.at(-1)?.at !== at) recent.push({ at, table: new Map() })
    addRows(recent.at(-1)!.table, rows)
    const table: UsageTable = pending.get(today) ?? new Map()
    pending.set(today, table)
    addRows(table, rows)
  }

  const updateDay = () => {
    const day = readDay()
    if (day === today) return
    collect()
    today = day
  }

  const collectAll = () => {
    updateDay()
    collect()
  }

  const sender = createBatchSender({
    add: store.add,
    take() {
      collectAll()
      const days = [...pending].map(([day, table]) => ({ day, rows: toRows(table) }))
      pending.clear()
      return days
    },
    reportFailure: (err) => log.warn({ err }, 'the store is unavailable; the usage history waits in memory'),
  })

  const timer = setInterval(() => {
    // Also while the store is unavailable: the last hour is counted by time.
    collectAll()
    void sender.flush()
  }, FLUSH_INTERVAL_MS).unref()

  return {
    /** Names are counted with `addCount`. */
    tallyOf(dimension: string): Tally {
      const tally = fresh.get(dimension) ?? new Map()
      fresh.set(dimension, tally)
      return tally
    },
    /** Call it before a request is counted. */
    updateDay,
    /** The last minutes of this process, at most 60. */
    readRecent(minutes: number): UsageRow[] {
      collectAll()
      const table: UsageTable = new Map()
      for (const bucket of recent)
        if (bucket.at > monotonicClock() - minutes * 60_000) addRows(table, toRows(bucket.table))
      return toRows(table)
    },
    /** Never rejects. */
    flush: sender.flush,
    async close(): Promise<void> {
      clearInterval(timer)
      if (!(await sender.close()))
        log.error({}, 'the store did not confirm the last part of the usage history; it is lost')
    },
  }
}

function subtract(after: UsageTable, before: UsageTable): UsageTable {
  const subtractTally = (tally: Tally, old: Tally | undefined): Tally =>
    new Map(
      [...tally].map(([name, counts]) => {
        const known: UsageCounts = old?.get(name) ?? [0, 0, 0, 0]
        return [name, counts.map((count, n) => count - known[n]!) as Counts]
      }),
    )
  return new Map([...after].map(([dimension, tally]) => [dimension, subtractTally(tally, before.get(dimension))]))
}

import type { Clock, DownloadRow, DownloadSummary } from './store.ts'

const DAY_MS = 86_400_000
/** Far more than all releases of all applications. Bounds the memory while the store is unavailable. */
const MAX_KEYS = 50_000

type Row = { -readonly [Name in keyof DownloadRow]: DownloadRow[Name] }

/** Counts by application, version and day. The memory depends on the number of keys, not on the number of downloads. */
export class DownloadCounts {
  readonly #rows = new Map<string, Row>()
  total = 0

  /** Counts one download. Returns false if there are too many keys to add another. */
  add(application: string, version: string, day: string): boolean {
    const key = `${application}\n${version}\n${day}`
    const row = this.#rows.get(key)
    if (row) row.count++
    else if (this.#rows.size < MAX_KEYS) this.#rows.set(key, { application, version, day, count: 1 })
    else return false
    this.total++
    return true
  }

  rows(): DownloadRow[] {
    return [...this.#rows.values()]
  }
}

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

/** The last `days` days in ascending order. */
export const listLastDays = (now: number, days: number) =>
  Array.from({ length: days }, (_, index) => formatDay(now - (days - 1 - index) * DAY_MS))

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

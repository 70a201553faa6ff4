import type { Clock, DownloadRow, DownloadSummary } from './store.ts'

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

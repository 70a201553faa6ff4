import type { Clock, DownloadSummary } from './store.ts'

const DAY_MS = 86_400_000

const utcDay = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Tells the UTC day without building a date for every download. */
export function tellDay(clock: Clock): () => string {
  let day = ''
  let number = Number.NaN
  return () => {
    const today = Math.floor(clock() / DAY_MS)
    if (today !== number) {
      number = today
      day = utcDay(today * DAY_MS)
    }
    return day
  }
}

/** The last `days` days, the oldest first. */
export const lastDays = (now: number, days: number) =>
  Array.from({ length: days }, (_, index) => utcDay(now - (days - 1 - index) * DAY_MS))

export type VersionTotal = { application: string; version: string; count: number }

export function summarize(
  totals: VersionTotal[],
  days: string[],
  countOf: (day: string) => number | undefined,
): DownloadSummary {
  const applications = Map.groupBy(totals, ({ application }) => application)
  return {
    total: sum(totals),
    applications: Object.fromEntries(
      [...applications].map(([application, versions]) => [
        application,
        {
          total: sum(versions),
          versions: Object.fromEntries(versions.map(({ version, count }) => [version, count])),
        },
      ]),
    ),
    daily: days.map((date) => ({ date, count: countOf(date) ?? 0 })),
  }
}

const sum = (totals: VersionTotal[]) => totals.reduce((total, { count }) => total + count, 0)

// The usage history: requests by day, endpoint, kind, filter, referring site and user agent. Counts only.
import { definitions, estimatePercentile } from '../../platform/metrics/index.ts'
import type { UsageCounts, UsageRow, Usage as UsageStore } from '../../platform/store/index.ts'
import { listLastDays, usageOutcomes } from '../../platform/store/index.ts'

export { createAgentReader, createReferrerLimiter, createReferrerReader, outcomeOf } from './classify.ts'
export { addCount, createUsageRecorder, toRows, type UsageTable } from './recorder.ts'

// Sums up the usage history for people.

/** Days that are read from the store at the same time. */
const READ_DAYS = 20
const BOUNDS = definitions.requestSeconds.bounds
/** Dimensions that say nothing about the outcome of requests. */
const WITHOUT_OUTCOME = ['duration', 'cache']

export type UsageDay = { readonly day: string; readonly rows: readonly UsageRow[] }

/** The last days, including today, in ascending order. A day without requests has no rows. */
export async function readUsageDays(store: UsageStore, days: number, now = Date.now()): Promise<UsageDay[]> {
  const known = new Set(await store.days())
  const dates = listLastDays(now, days)
  const read: UsageDay[] = []
  for (let start = 0; start < dates.length; start += READ_DAYS) {
    const some = dates.slice(start, start + READ_DAYS)
    read.push(
      ...(await Promise.all(some.map(async (day) => ({ day, rows: known.has(day) ? await store.rows(day) : [] })))),
    )
  }
  return read
}

export type UsageSummary = ReturnType<typeof summarizeUsage>

export function summarizeUsage(days: readonly UsageDay[]) {
  const all = days.flatMap(({ rows }) => rows)
  return {
    ...summarizeRequests(all),
    daily: days.map(({ day, rows }) => ({
      date: day,
      ...summarizeRequests(rows),
      filters: Object.fromEntries(countByName(rows, 'filter')),
    })),
    groups: sumByName(all, 'group'),
    endpoints: sumByName(all, 'endpoint'),
    versions: sumByName(all, 'version'),
    statuses: sumByName(all, 'status'),
    kinds: sumByName(all, 'kind'),
    filters: sumByName(all, 'filter'),
    referrers: sumByName(all, 'referrer'),
    agents: sumByName(all, 'agent'),
  }
}

/** Every request belongs to one group. */
function summarizeRequests(rows: readonly UsageRow[]) {
  const counts = rows.filter(({ dimension }) => dimension === 'group').reduce(addCounts, [0, 0, 0, 0] as UsageCounts)
  const cache = countByName(rows, 'cache')
  const [hit, miss, shared] = ['hit', 'miss', 'shared'].map((name) => cache.get(name) ?? 0)
  return { ...describeCounts(counts), latency: estimateLatency(rows), cache: { hit, miss, shared } }
}

const addCounts = (sums: UsageCounts, { counts }: Pick<UsageRow, 'counts'>): UsageCounts => {
  const [served, refused, sourceFailed, failed] = counts
  return [sums[0] + served, sums[1] + refused, sums[2] + sourceFailed, sums[3] + failed]
}

const countRequests = (counts: UsageCounts) => counts.reduce((sum, count) => sum + count, 0)

const describeCounts = (counts: UsageCounts) => {
  const [served, refused, sourceFailed, failed] = counts
  return { requests: countRequests(counts), served, refused, sourceFailed, failed }
}

/** The most frequent first. */
function sumByName(rows: readonly UsageRow[], wanted: string) {
  const sums = new Map<string, UsageCounts>()
  for (const { dimension, name, counts } of rows) {
    if (dimension === wanted) sums.set(name, addCounts(sums.get(name) ?? [0, 0, 0, 0], { counts }))
  }
  return [...sums]
    .map(([name, counts]) => ({ name, ...describeCounts(counts) }))
    .sort((a, b) => b.requests - a.requests || (a.name < b.name ? -1 : 1))
}

const countByName = (rows: readonly UsageRow[], dimension: string) =>
  new Map(sumByName(rows, dimension).map(({ name, requests }) => [name, requests]))

/** The names of durations are the upper bounds of their buckets in seconds. */
function estimateLatency(rows: readonly UsageRow[]) {
  const durations = countByName(rows, 'duration')
  const buckets = [...BOUNDS.map(String), 'more'].map((name) => durations.get(name) ?? 0)
  const [p50 = null, p95 = null, p99 = null] = [0.5, 0.95, 0.99].map((quantile) =>
    estimatePercentile(buckets, quantile),
  )
  return { p50, p95, p99 }
}

/** The whole history as cells of a table, with a heading. */
export const listUsageCells = (days: readonly UsageDay[]): (string | number)[][] => [
  ['date', 'dimension', 'name', 'requests', ...usageOutcomes.map((name) => name.replace('F', '_f'))],
  ...days.flatMap(({ day, rows }) =>
    rows.map(({ dimension, name, counts }) => [
      day,
      dimension,
      name,
      countRequests(counts),
      ...(WITHOUT_OUTCOME.includes(dimension) ? counts.map(() => '') : counts),
    ]),
  ),
]

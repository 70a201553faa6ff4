// The weekly digest. Each node adds its counts to a sum in the store, and the first node in a new week sends it.
import type { DownloadRow, Markers } from '../../platform/store/index.ts'
import { createSharedValue } from './shared-state.ts'
import type { Notice } from './webhook.ts'

const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
/** Weeks start on Monday at 08:00 UTC: 1970 began on a Thursday. */
const WEEK_OFFSET_MS = 4 * DAY_MS + 8 * 3_600_000
const SAVE_INTERVAL_MS = 300_000
const MAX_VERSIONS = 5

const countNames = ['requests', 'bans', 'problems'] as const
/** Counts that only grow while the process runs. */
export type DigestCounts = Readonly<Record<(typeof countNames)[number], number>>

type Sum = DigestCounts & { readonly week: number }

interface DigestOptions {
  readonly markers: Markers
  readonly readCounts: () => Promise<DigestCounts>
  readonly readDownloads: () => Promise<DownloadRow[]>
  readonly openProblems: () => number
  readonly clock: () => number
}

export function createDigest({ markers, readCounts, readDownloads, openProblems, clock }: DigestOptions) {
  const shared = createSharedValue<Sum>(markers, 'digest')
  let saved: DigestCounts | undefined
  let savedAt = Number.NEGATIVE_INFINITY
  let savedWeek: number | undefined

  /** Resolves to the digest if this node has to send it. */
  return async (): Promise<Notice | undefined> => {
    const now = clock()
    const week = Math.floor((now - WEEK_OFFSET_MS) / WEEK_MS)
    if (week === savedWeek && performance.now() - savedAt < SAVE_INTERVAL_MS) return undefined
    const counts = await readCounts()
    // The counts of a replaced worker are part of the first ones.
    const before = saved ?? counts
    let finished: Sum | undefined
    const isSaved = await shared.change((stored) => {
      finished = undefined
      const sum = add(stored, subtract(counts, before))
      if (stored === undefined || stored.week === week) return { ...sum, week }
      // After the clock was set back, the week goes on.
      if (stored.week > week) return { ...sum, week: stored.week }
      finished = { ...sum, week: stored.week }
      return { ...subtract(sum, sum), week }
    })
    if (!isSaved) return undefined
    saved = counts
    savedAt = performance.now()
    savedWeek = week
    if (!finished) return undefined
    const downloads = await readDownloads().catch(() => undefined)
    return formatDigest(finished, downloads, { now, open: openProblems() })
  }
}

const combine = (compute: (name: (typeof countNames)[number]) => number) =>
  Object.fromEntries(countNames.map((name) => [name, compute(name)])) as DigestCounts
const add = (a: Partial<DigestCounts> = {}, b: DigestCounts) => combine((name) => (a[name] ?? 0) + b[name])
const subtract = (a: DigestCounts, b: DigestCounts) => combine((name) => Math.max(0, a[name] - b[name]))

const format = (count: number) => count.toLocaleString('en')

function formatDigest(
  { requests, bans, problems }: DigestCounts,
  downloads: readonly DownloadRow[] | undefined,
  { now, open }: { now: number; open: number },
): Notice {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const lines = [
    `Requests: ${format(requests)}`,
    downloads && describeDownloads(downloads.filter((row) => row.day >= day(now - WEEK_MS) && row.day < day(now))),
    `Problems: ${format(problems)} began, ${format(open)} open`,
    `Bans: ${format(bans)}`,
  ].filter((line) => line !== undefined)
  return { event: 'digest', title: `week until ${day(now)}`, lines, priority: 'low' }
}

function describeDownloads(rows: readonly DownloadRow[]): string {
  const versions = Map.groupBy(rows, ({ application, version }) => `${application} ${version}`)
  const counts = [...versions].map(([name, all]) => ({ name, count: all.reduce((sum, { count }) => sum + count, 0) }))
  const sorted = counts.sort((a, b) => b.count - a.count)
  const total = sorted.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return 'Downloads: 0'
  const shown = sorted.slice(0, MAX_VERSIONS).map(({ name, count }) => `${name}: ${format(count)}`)
  const others = sorted.length - shown.length
  return `Downloads: ${format(total)} (${shown.join(', ')}${others > 0 ? `, ${others} other versions` : ''})`
}

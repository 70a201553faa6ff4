// Looks for events that the operator wants to know about. It reads the state that all nodes share at an interval, so it
// also finds what another node or a command changed, and releases whose time has come.
import { createSharedRun } from '../../platform/concurrency/index.ts'
import type { ServiceProblem } from '../../platform/logging/index.ts'
import type { ClientRecord, DownloadRow, Markers } from '../../platform/store/index.ts'
import { changeSharedValue, createAnnouncer, createProblemWatcher } from './shared-state.ts'
import type { Notification } from './webhook-format.ts'

const CHECK_INTERVAL_MS = 2000
/** Single attackers are banned every day. This many bans in ten minutes are a larger attack. */
const MANY_BANS = 20
const BAN_WINDOW_MS = 600_000
/** An attack is over if there were few bans for this time. */
const CALM_MS = 3_600_000
const BAN_SAVE_INTERVAL_MS = 60_000
const MAX_LINES = 10

interface PublicRelease {
  readonly application: string
  readonly version: string
  readonly beta: boolean
  readonly rollout: number
}

interface WatchedSources {
  readonly markers: Markers
  /** The problems of all workers of this node. */
  readonly listProblems: () => readonly ServiceProblem[]
  readonly listPublicReleases: () => readonly PublicRelease[]
  /** All releases, including withdrawn ones. */
  readonly listReleases: () => readonly Pick<PublicRelease, 'application' | 'version'>[]
  readonly clients: { revision(): Promise<number>; list(): Promise<Pick<ClientRecord, 'id' | 'state'>[]> }
  readonly countBans: (since: number) => number
  readonly readCounts: () => Promise<Omit<DigestCounts, 'problems'>>
  readonly readDownloads: () => Promise<DownloadRow[]>
}

interface WatchOptions extends WatchedSources {
  readonly send: (notification: Notification) => void
  readonly clock?: () => number
  readonly intervalMs?: number
  readonly holdMs?: number
}

export function watchEvents(options: WatchOptions) {
  const { markers, send, clock = Date.now, intervalMs = CHECK_INTERVAL_MS } = options
  let begun = 0
  const problems = createProblemWatcher({
    markers,
    ...(options.holdMs !== undefined && { holdMs: options.holdMs }),
    onBegan: (texts) => {
      begun += texts.length
      send({ event: 'problem-began', title: 'problem', lines: limitLines(texts), priority: 'high' })
    },
    onEnded: (texts) =>
      send({ event: 'problem-ended', title: 'problem solved', lines: limitLines(texts), priority: 'default' }),
  })
  const findDigest = createDigest({
    ...options,
    clock,
    readCounts: async () => ({ ...(await options.readCounts()), problems: begun }),
    openProblems: problems.open,
  })
  /** In the order of importance. The store may become unavailable between two of them. */
  const checks: (() => Promise<Notification | undefined>)[] = [
    createReleaseCheck(options),
    createKeyCheck(options),
    createBanCheck(options, clock),
    findDigest,
  ]

  const check = async () => {
    await problems.check(options.listProblems().filter(({ fatal }) => !fatal))
    for (const find of checks) {
      const notification = await find()
      if (notification) send(notification)
    }
  }
  // The store is unavailable: the next check finds what this one did not.
  const { run, running } = createSharedRun(() => check().catch(() => {}))
  // At once, because what exists at the first check ever is not reported.
  void run()
  const timer = setInterval(run, intervalMs).unref()
  return {
    async close() {
      clearInterval(timer)
      await running()
    },
  }
}

function createReleaseCheck({ markers, listPublicReleases, listReleases }: WatchedSources) {
  const announce = createAnnouncer(markers, 'notified-releases')
  const toId = ({ application, version }: Pick<PublicRelease, 'application' | 'version'>) => `${application} ${version}`
  return async (): Promise<Notification | undefined> => {
    const releases = new Map(listPublicReleases().map((release) => [toId(release), release]))
    const added = await announce([...releases.keys()], listReleases().map(toId))
    if (!added?.length) return undefined
    const lines = added.map((id) => {
      const { beta, rollout } = releases.get(id)!
      const details = [beta && 'beta', rollout < 100 && `rollout ${rollout} %`].filter(Boolean)
      return `${id}${details.length > 0 ? ` (${details.join(', ')})` : ''}`
    })
    return { event: 'release-public', title: 'release public', lines: limitLines(lines), priority: 'default' }
  }
}

/** The request itself is not sent: it contains a name and a contact. */
function createKeyCheck({ markers, clients }: WatchedSources) {
  const announce = createAnnouncer(markers, 'notified-key-requests')
  let checked: number | undefined
  return async (): Promise<Notification | undefined> => {
    const revision = await clients.revision()
    if (revision === checked) return undefined
    const pending = (await clients.list()).filter(({ state }) => state === 'pending').map(({ id }) => id)
    const added = await announce(pending)
    if (added) checked = revision
    if (!added?.length) return undefined
    const asked = added.length === 1 ? 'A client key was requested.' : `${added.length} client keys were requested.`
    const lines = [`${asked} Decide on the dashboard, or with "clients list".`]
    return { event: 'key-requested', title: 'key request', lines, priority: 'default' }
  }
}

function createBanCheck({ markers, countBans }: WatchedSources, clock: () => number) {
  return async (): Promise<Notification | undefined> => {
    const now = clock()
    const count = countBans(now - BAN_WINDOW_MS)
    if (count < MANY_BANS) return undefined
    let isNew = false
    const isSaved = await changeSharedValue<number>(markers, 'notified-bans', (last = 0) => {
      // Abs: after the clock was set back, the last time is in the future.
      const age = Math.abs(now - last)
      isNew = age >= CALM_MS
      return age >= BAN_SAVE_INTERVAL_MS ? now : undefined
    })
    if (!isNew || !isSaved) return undefined
    const lines = [`${count} addresses were banned within ten minutes. "ban list" shows them.`]
    return { event: 'many-bans', title: 'many bans', lines, priority: 'high' }
  }
}

const limitLines = (lines: readonly string[]) =>
  lines.length <= MAX_LINES ? lines : [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more`]

// The weekly digest. Each node adds its counts to a sum in the store, and the first node in a new week sends it.

const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
/** Weeks start on Monday at 08:00 UTC: 1970 began on a Thursday. */
const WEEK_OFFSET_MS = 4 * DAY_MS + 8 * 3_600_000
const SAVE_INTERVAL_MS = 300_000
const MAX_VERSIONS = 5

const countNames = ['requests', 'bans', 'problems'] as const
/** Counts that only grow while the process runs. */
type DigestCounts = Readonly<Record<(typeof countNames)[number], number>>

type Sum = DigestCounts & { readonly week: number }

interface DigestOptions extends Pick<WatchedSources, 'markers' | 'readDownloads'> {
  readonly readCounts: () => Promise<DigestCounts>
  readonly openProblems: () => number
  readonly clock: () => number
}

function createDigest({ markers, readCounts, readDownloads, openProblems, clock }: DigestOptions) {
  let saved: DigestCounts | undefined
  let savedAt = Number.NEGATIVE_INFINITY
  let savedWeek: number | undefined

  /** Resolves to the digest if this node has to send it. */
  return async (): Promise<Notification | undefined> => {
    const now = clock()
    const week = Math.floor((now - WEEK_OFFSET_MS) / WEEK_MS)
    if (week === savedWeek && performance.now() - savedAt < SAVE_INTERVAL_MS) return undefined
    const counts = await readCounts()
    // The first counts are not added: they contain those that a replaced worker has added.
    const before = saved ?? counts
    let finished: Sum | undefined
    const isSaved = await changeSharedValue<Sum>(markers, 'digest', (stored) => {
      finished = undefined
      const sum = add(stored, subtract(counts, before))
      if (stored === undefined || stored.week === week) return { ...sum, week }
      // After the clock was set back, the week continues.
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
): Notification {
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

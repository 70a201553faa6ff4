// Counts update checks by version, and estimates how many installations sent them.
import { randomBytes } from 'node:crypto'
import type { Log } from '../../platform/logging/index.ts'
import type { Adoption as AdoptionStore, Clock } from '../../platform/store/index.ts'
import { createBatchSender, createDayReader, createSipHash, HyperLogLog } from '../../platform/store/index.ts'
import type { Catalogue } from './catalogue.ts'
import { parseSentVersion } from './version.ts'

/** A check that names no version. */
const UNKNOWN = 'unknown'
/** A version that is not published, or older than the newest `MAX_VERSIONS`. */
const OTHER = 'other'
/** Bounds the store and the replies: any client can name any published version. */
const MAX_VERSIONS = 200
/** Texts of versions whose names are kept, because parsing takes longer than counting. */
const MAX_NAMES = 1000
/** Longer texts would occupy memory: build metadata may have kilobytes. */
const MAX_NAME_LENGTH = 100
/** Installations that wait in memory for the salt of the day. The store is unavailable if there are more. */
const MAX_PENDING = 10_000
const FLUSH_INTERVAL_MS = 1000
const SALT_BYTES = 16

interface AdoptionOptions {
  readonly releases: { catalogue(): Pick<Catalogue, 'releases'>; revision(): number }
  readonly log: Log
  readonly clock?: Clock
  readonly flushIntervalMs?: number
}

export type Adoption = ReturnType<typeof createAdoption>

/**
 * Counts in memory, and sends a batch to the store every second. If the process is killed, the checks of that second are
 * lost. An installation is hashed with the salt of the day at once; the salt is deleted at the end of the day (UTC).
 */
export function createAdoption(store: AdoptionStore, options: AdoptionOptions) {
  const { releases, log, clock = Date.now, flushIntervalMs = FLUSH_INTERVAL_MS } = options
  const readDay = createDayReader(clock)
  const totals = new Map<string, number>()
  let today = beginDay(readDay())
  /** Days that have ended, and whose counts the store does not have yet. */
  const ended: Day[] = []
  let versions = { revision: Number.NaN, names: new Map<string, string>() }

  const nameVersion = (current: string | undefined): string => {
    if (current === undefined) return UNKNOWN
    const revision = releases.revision()
    if (revision !== versions.revision) versions = { revision, names: mapVersions(releases.catalogue(), clock()) }
    const { names } = versions
    const known = names.get(current)
    if (known !== undefined) return known
    const name = names.get(parseSentVersion(current)?.key ?? '') ?? OTHER
    if (names.size < MAX_NAMES && current.length <= MAX_NAME_LENGTH) names.set(current, name)
    return name
  }

  /** The clock may also have been set back. */
  const updateDay = () => {
    const day = readDay()
    if (day === today.name) return
    today.hash = undefined
    if (hasCounts(today)) ended.push(today)
    today = beginDay(day)
    void sender.flush()
  }

  const loadSalt = async () => {
    const day = today
    if (day.hash !== undefined || day.isClosed) return
    const salt = await store.salt(day.name, randomBytes(SALT_BYTES).toString('hex'))
    day.isClosed = salt === undefined
    if (salt !== undefined) {
      const hash = createSipHash(Buffer.from(salt, 'hex'))
      for (const installation of day.pending) addInstallation(day, hash(installation))
      // Otherwise the day has ended, and its salt must not be kept.
      if (day === today) day.hash = hash
    }
    day.pending.clear()
  }

  const takeDay = (day: Day) => {
    const versions = Object.fromEntries(day.versions)
    const sketch = day.isSketchChanged ? day.sketch.toBytes() : undefined
    for (const [version, count] of day.versions) totals.set(version, (totals.get(version) ?? 0) + count)
    day.versions.clear()
    day.isSketchChanged = false
    return { day: day.name, versions, sketch }
  }

  const sender = createBatchSender({
    add: store.add,
    async take() {
      await loadSalt()
      return [...ended.splice(0), today].filter(hasCounts).map(takeDay)
    },
    reportFailure: (err) => log.warn({ err }, 'the store is unavailable; counted update checks wait in memory'),
  })

  const timer = setInterval(() => {
    // Also without checks: the salt of yesterday must be deleted.
    updateDay()
    void sender.flush()
  }, flushIntervalMs).unref()
  void sender.flush()

  return {
    /** Counts one check. `installation` identifies the sender during this day. */
    count(current: string | undefined, installation: string): void {
      updateDay()
      const version = nameVersion(current)
      today.versions.set(version, (today.versions.get(version) ?? 0) + 1)
      if (today.hash !== undefined) addInstallation(today, today.hash(installation))
      else if (!today.isClosed && today.pending.size < MAX_PENDING) today.pending.add(installation)
    },
    /** Checks by version since the start, up to the last batch. */
    totals: (): Record<string, number> => Object.fromEntries(totals),
    async close(): Promise<void> {
      clearInterval(timer)
      const isComplete = await sender.close()
      if (!isComplete || [...ended, today].some(hasCounts))
        log.error({}, 'the store did not confirm the last update checks; they are lost')
    },
  }
}

type Day = ReturnType<typeof beginDay>

const beginDay = (name: string) => ({
  name,
  /** Hashes with the salt of this day. Undefined: the salt is not known yet, or the day has ended. */
  hash: undefined as ReturnType<typeof createSipHash> | undefined,
  /** Its salt was deleted: no more installations can be counted. */
  isClosed: false,
  /** Checks by version that are in no batch yet. */
  versions: new Map<string, number>(),
  /** All installations of this day that this process has seen. */
  sketch: new HyperLogLog(),
  isSketchChanged: false,
  /** Installations that wait for the salt. */
  pending: new Set<string>(),
})

function addInstallation(day: Day, hash: Parameters<HyperLogLog['add']>[0]): void {
  if (day.sketch.add(hash)) day.isSketchChanged = true
}

const hasCounts = ({ versions, isSketchChanged }: Day) => versions.size > 0 || isSketchChanged

/**
 * Published versions by their text and by their key. Withdrawn versions are still installed. Scheduled ones are secret:
 * their names must not show up in the statistics.
 */
const mapVersions = ({ releases }: Pick<Catalogue, 'releases'>, now: number): Map<string, string> =>
  new Map(
    releases.launcher
      .filter(({ date }) => Date.parse(date) <= now)
      .slice(0, MAX_VERSIONS)
      .flatMap(({ version, parsedVersion }) => [version, parsedVersion.key].map((text) => [text, version] as const)),
  )

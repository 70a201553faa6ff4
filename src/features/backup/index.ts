import type { Log } from '../../platform/logging/index.ts'
import {
  type BackupOptions,
  createBackup,
  listBackups,
  OtherBackupRuns,
  orderByAge,
  readTime,
} from './backup-folder.ts'

export * from './backup-folder.ts'
export * from './restore-content.ts'

// Backups on a schedule, and a daily check of the database file.

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Nothing of this happens while a service starts, or in a service that keeps crashing. */
const START_DELAY_MS = 600_000
/** A failed backup is tried again after this part of the interval. */
const RETRY_FRACTION = 1 / 16
/** The other backup is then perhaps complete, and none is due. */
const OTHER_RUNS_DELAY_MS = 60_000

interface ScheduleOptions extends Omit<BackupOptions, 'now' | 'storeBytes' | 'signal'> {
  readonly hours: number
  readonly readStoreBytes: () => Promise<number>
  /** Resolves to what is wrong with the database. Undefined: the store has no file. */
  readonly checkStore?: (() => Promise<string | undefined>) | undefined
  readonly log: Log
  readonly startDelayMs?: number
}

export function scheduleBackups(options: ScheduleOptions) {
  const { dir, hours, readStoreBytes, checkStore, log, startDelayMs = START_DELAY_MS } = options
  const timers = new Map<string, NodeJS.Timeout>()
  const closed = new AbortController()
  const { signal } = closed
  let running: Promise<void> = Promise.resolve()
  let problem: string | undefined
  let storeProblem: string | undefined

  /** `work` resolves to the time until it runs again. One runs at a time. */
  const repeat = (name: string, delayMs: number, work: () => Promise<number>) => {
    if (signal.aborted) return
    const start = () => {
      running = running.then(async () => {
        if (!signal.aborted) repeat(name, await work(), work)
      })
    }
    timers.set(name, setTimeout(start, delayMs).unref())
  }

  const backUp = async () => {
    const newest = orderByAge(await listBackups(dir), Date.now()).at(-1)
    const wait = newest ? readTime(newest.name) + hours * HOUR_MS - Date.now() : 0
    // A backup from the future was made while the clock was ahead.
    if (wait > 0 && wait <= hours * HOUR_MS) return wait
    try {
      const { name, files } = await createBackup({ ...options, storeBytes: await readStoreBytes(), signal })
      problem = undefined
      log.info({ name, files: files.length }, 'a backup was made')
      return hours * HOUR_MS
    } catch (error) {
      if (signal.aborted) return hours * HOUR_MS
      if (error instanceof OtherBackupRuns) return OTHER_RUNS_DELAY_MS
      problem = `the last backup failed: ${(error as Error).message}`
      log.error({ err: error }, 'a backup failed')
      return hours * HOUR_MS * RETRY_FRACTION
    }
  }
  const check = async () => {
    storeProblem = await checkStore?.().catch(() => undefined)
    if (storeProblem) log.error({ problem: storeProblem }, 'the database is damaged')
    return DAY_MS
  }
  if (hours > 0) repeat('backup', startDelayMs, backUp)
  if (checkStore) repeat('check', startDelayMs, check)

  return {
    problem: () => problem,
    storeProblem: () => storeProblem && `the database is damaged: ${storeProblem}; restore a backup`,
    async close() {
      closed.abort()
      for (const timer of timers.values()) clearTimeout(timer)
      await running
    },
  }
}

import { constants, existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import type { Config } from '../../config/config.ts'
import {
  copyContent,
  describeWithoutPath,
  giveTo,
  makeFolder,
  nameTemporary,
  readRegularFile,
} from '../../platform/files/index.ts'
import type { Log } from '../../platform/logging/index.ts'
import { checkIntegrity, type Store, sqliteFile, writeStoreCopy } from '../../platform/store/index.ts'
import { type BackupOptions, createBackup, listContent } from './backup-folder.ts'
import {
  type Backup,
  CONTENT,
  describeKept,
  listBackups,
  OtherBackupRuns,
  orderByAge,
  readTime,
} from './list-backups.ts'

export * from './backup-folder.ts'
export * from './list-backups.ts'

type BackupConfig = Pick<Config, 'DATA_DIR' | 'CONTENT_DIR' | 'BACKUP_DIR' | 'BACKUP_KEEP' | 'STORE_URL'>

export const readBackupDir = ({ BACKUP_DIR, DATA_DIR }: Pick<Config, 'BACKUP_DIR' | 'DATA_DIR'>) =>
  BACKUP_DIR || join(DATA_DIR, 'backups')

/** Has the name of the backup while it is restored. It stays if the restore is interrupted. */
export const restoringFile = (dataDir: string) => join(dataDir, 'restoring')

/** Undefined: no restore was interrupted. The file may be unreadable, for example because root has written it. */
function describeInterrupted(file: string): string | undefined {
  if (!existsSync(file)) return undefined
  let name = ''
  try {
    name = readFileSync(file, { encoding: 'utf8', flag: constants.O_NONBLOCK })
  } catch {}
  name ||= '<name>'
  return (
    `the restore of the backup ${name} was interrupted: some files are restored, others are not; stop the service, and ` +
    `run "backup restore ${name}" again`
  )
}

/** What a backup consists of, for the schedule and for the commands. */
export function readBackupOptions(config: BackupConfig, store: Store, log: Log) {
  const { STORE_URL, DATA_DIR: dataDir } = config
  const file = sqliteFile(STORE_URL, dataDir)
  return {
    dir: readBackupDir(config),
    contentDir: config.CONTENT_DIR,
    dataDir,
    lastFolderFile: join(dataDir, 'last-backup-folder'),
    restoringFile: restoringFile(dataDir),
    keep: config.BACKUP_KEEP,
    readStoreBytes: async () => (file === undefined ? 0 : ((await stat(file).catch(() => undefined))?.size ?? 0)),
    countDownloads: async () => (await store.downloads.summary(1)).total,
    writeStore: (target: string) => writeStoreCopy(STORE_URL, { dataDir, log }, store, target),
    checkStore: file === undefined ? undefined : () => checkIntegrity(file),
  }
}

// Backups on a schedule, and a daily check of the database file.

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Neither runs while a service starts, or in a service that keeps crashing. */
const START_DELAY_MS = 600_000
/** A failed backup is tried again after this part of the interval. */
const RETRY_FRACTION = 1 / 16
/** The other backup is then perhaps complete, and none is due. */
const OTHER_RUNS_DELAY_MS = 60_000
/** After this time, or the interval, a backup that is due is reported: it or another one hangs. */
const MAX_LATE_MS = DAY_MS

interface ScheduleOptions extends Omit<BackupOptions, 'now' | 'storeBytes' | 'signal'> {
  readonly hours: number
  readonly readStoreBytes: () => Promise<number>
  /** Resolves to what is wrong with the database. Undefined: the store has no file. */
  readonly checkStore?: (() => Promise<string | undefined>) | undefined
  readonly restoringFile?: string
  readonly log: Log
  readonly startDelayMs?: number
}

export function scheduleBackups(options: ScheduleOptions) {
  const { dir, hours, readStoreBytes, checkStore, restoringFile = '', log, startDelayMs = START_DELAY_MS } = options
  const timers = new Map<string, NodeJS.Timeout>()
  const closed = new AbortController()
  const { signal } = closed
  let running: Promise<void> = Promise.resolve()
  // No restore can begin while the service runs.
  const interrupted = describeInterrupted(restoringFile)
  if (interrupted) log.error({}, interrupted)
  let problem: string | undefined
  let storeProblem: string | undefined
  /** When the next backup is due, or was. */
  let dueAt = hours > 0 ? performance.now() + startDelayMs : Number.POSITIVE_INFINITY
  const intervalMs = hours * HOUR_MS
  const describeLate = () => {
    const lateMs = performance.now() - dueAt
    if (lateMs < Math.min(intervalMs, MAX_LATE_MS)) return undefined
    const hoursLate = Math.round(lateMs / HOUR_MS)
    return `a backup has been due for ${hoursLate} hours: another backup or restore is running, or a disk does not reply`
  }

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

  const waitForNext = (ms: number) => {
    dueAt = performance.now() + ms
    return ms
  }
  const backUp = async () => {
    const backups = orderByAge(await listBackups(dir), Date.now())
    const newest = backups.at(-1)
    const wait = newest ? readTime(newest.name) + intervalMs - Date.now() : 0
    // A backup from the future was made while the clock was ahead.
    if (wait > 0 && wait <= intervalMs) {
      // The operator, or this service before a restart, has made it.
      problem = describeKept(backups, options.keep)
      return waitForNext(wait)
    }
    try {
      const lastFolder = await readRegularFile(options.lastFolderFile ?? '').catch(() => '')
      // Its disk is perhaps not mounted: a new backup would fill another disk. A backup of root cannot be read.
      const isEmpty = (await readdir(dir).catch(() => [])).every((name) => name.startsWith('.'))
      if (isEmpty && String(lastFolder) === dir)
        throw new Error('BACKUP_DIR has no backups any more; mount its disk, or run "backup now" to begin again')
      const backup = await createBackup({ ...options, storeBytes: await readStoreBytes(), signal })
      const { name, files } = backup
      problem = backup.problem
      if (problem) log.error({ name }, problem)
      log.info({ name, files: files.length }, 'a backup was made')
      return waitForNext(intervalMs)
    } catch (error) {
      if (signal.aborted) return intervalMs
      if (error instanceof OtherBackupRuns) return OTHER_RUNS_DELAY_MS
      problem = `the last backup failed: ${describeWithoutPath(error as Error)}`
      log.error({ err: error }, 'a backup failed')
      return waitForNext(intervalMs * RETRY_FRACTION)
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
    problem: () => interrupted ?? describeLate() ?? problem,
    storeProblem: () => storeProblem && `the database is damaged: ${storeProblem}; restore a backup`,
    async close() {
      closed.abort()
      for (const timer of timers.values()) clearTimeout(timer)
      await running
    },
  }
}

// Restoring a backup.

/** Copies the content, which a restore replaces, to `keptDir`. */
export async function keepContent(contentDir: string, excluded: readonly string[], keptDir: string): Promise<void> {
  await mkdir(contentDir, { recursive: true })
  for (const path of await listContent(contentDir, excluded)) {
    await copyTo(join(contentDir, path), join(keptDir, CONTENT, path))
  }
}

/** Replaces the content with that of a backup in `dir`. An earlier version also backed up a `dataDir` below `contentDir`. */
export async function restoreContent(
  { name, files }: Backup,
  { dir, contentDir, dataDir }: Pick<BackupOptions, 'dir' | 'contentDir' | 'dataDir'>,
): Promise<void> {
  const current = await listContent(contentDir, [dir, dataDir])
  const isState = (path: string) => join(contentDir, path).startsWith(dataDir + sep)
  const wanted = files
    .flatMap(({ path }) => (path.startsWith(CONTENT + sep) ? path.slice(CONTENT.length + 1) : []))
    .filter((path) => !isState(path))
  for (const path of wanted) await copyTo(join(dir, name, CONTENT, path), join(contentDir, path))
  const kept = new Set(wanted)
  for (const path of current) if (!kept.has(path)) await rm(join(contentDir, path))
}

/**
 * Through a new name, because the target may be a link, or be read at this moment. The copy belongs to the owner of
 * `replaced`, which it replaces now or later, or else of its folder.
 */
export async function copyTo(from: string, to: string, mode?: number, replaced = to): Promise<void> {
  await makeFolder(dirname(to))
  const { atime, mtime } = await stat(from)
  const unfinished = nameTemporary(to)
  try {
    await copyContent(from, unfinished, mode)
    await giveTo(existsSync(replaced) ? replaced : dirname(to), unfinished)
    await utimes(unfinished, atime, mtime)
    await rename(unfinished, to)
  } finally {
    await rm(unfinished, { force: true })
  }
}

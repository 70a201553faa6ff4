// The backups in BACKUP_DIR, and the lock of that folder.
import { readdir } from 'node:fs/promises'
import { join, normalize } from 'node:path'
import { lockFile, readJson } from '../../platform/files/index.ts'

export const MANIFEST = 'manifest.json'
export const STORE_FILE = 'store.sqlite'
export const CONTENT = 'content'
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/

export interface BackedUpFile {
  readonly path: string
  readonly bytes: number
  readonly modified: number
  /** When the original was changed: other programs set `modified` to any time. */
  readonly changed?: number
  readonly sha256: string
}

export interface Backup {
  readonly name: string
  readonly files: readonly BackedUpFile[]
  /** The total of the counts in the store. Undefined: an earlier version made the backup. */
  readonly downloads?: number | undefined
}

export const nameBackup = (at: number) => `${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}Z`

export const readTime = (name: string) => Date.parse(name.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'))

/** Of complete backups, and of those whose manifest was damaged. Oldest first. */
export const listBackupNames = async (dir: string): Promise<string[]> =>
  (await readdir(dir).catch(() => [])).filter((name) => NAME.test(name)).sort()

/**
 * Complete backups, oldest first. A folder without a valid manifest is not a backup. One after the other: a disk that does
 * not answer must not take all threads that read files.
 */
export async function listBackups(dir: string): Promise<Backup[]> {
  const backups = await Array.fromAsync(await listBackupNames(dir), (name) => readBackup(dir, name))
  return backups.filter((backup) => backup !== undefined)
}

/** Those from the future come first, as the oldest: they were made while the clock was ahead, which may be correct by now. */
export const orderByAge = (backups: readonly Backup[], now: number): Backup[] => [
  ...backups.filter(({ name }) => readTime(name) > now),
  ...backups.filter(({ name }) => readTime(name) <= now),
]

async function readBackup(dir: string, name: string): Promise<Backup | undefined> {
  try {
    const { files, downloads } = (await readJson(join(dir, name, MANIFEST))) as Omit<Backup, 'name'>
    // A restore writes to these paths: content/../… would leave the folder.
    if (files.every(({ path }) => path === normalize(path))) return { name, files, downloads }
  } catch {}
  return undefined
}

/**
 * Older backups that hold what a new one has lost: the newest, the one with most downloads, and the one with most files.
 * They differ if several losses follow each other. Content is removed on purpose, too, but rarely most of it. Counts only
 * grow.
 */
export function findKept(backups: readonly Backup[], { downloads = 0, files }: Backup): ReadonlySet<Backup> {
  const larger = backups.filter((old) => (old.downloads ?? 0) > downloads || old.files.length > 2 * files.length)
  const sortBy = (measure: (old: Backup) => number) => larger.toSorted((a, b) => measure(a) - measure(b))
  const byDownloads = sortBy((old) => old.downloads ?? 0)
  const byFiles = sortBy((old) => old.files.length)
  return new Set([larger, byDownloads, byFiles].flatMap((sorted) => sorted.slice(-1)))
}

/** Says which old backup stays in addition to `keep`. Undefined: none does. `backups`: oldest first. */
export function describeKept(backups: readonly Backup[], keep: number): string | undefined {
  const newest = backups.at(-1)
  const kept = newest && findKept(backups.slice(0, -1), newest)
  const old = backups.slice(0, -keep).find((backup) => kept?.has(backup))
  return (
    old &&
    `the old backup ${old.name} is kept, because it holds more downloads or files than newer ones: restore it, or ` +
      `remove ${join('BACKUP_DIR', old.name)}`
  )
}

const LOCK_FILE = '.lock'

/** A backup removes what an earlier one left unfinished, and old backups, of which one may be restored meanwhile. */
export class OtherBackupRuns extends Error {
  override readonly message = 'another backup or restore is running'
}

export async function lockBackups(dir: string): Promise<DisposableStack> {
  // Some network file systems have no locks, and a backup can be restored from a read-only disk.
  const lock = await lockFile(join(dir, LOCK_FILE)).catch(() => new DisposableStack())
  if (!lock) throw new OtherBackupRuns()
  return lock
}

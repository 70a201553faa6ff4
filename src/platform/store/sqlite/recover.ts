// Repairs a database file that another program removes, replaces or overwrites while it is open. Otherwise writes would
// be lost without any error when the process ends, and a restart would refuse the file. The open database still has all
// saved data.
import { mkdirSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { StoreError } from '../health.ts'
import {
  copyBytes,
  isBusy,
  isDamaged,
  keepDamagedCopy,
  NewerSchema,
  OWNER_ONLY_FOLDER,
  openDatabase,
  readId,
  toStoreError,
  writeCopy,
} from './database.ts'
import { stateTables } from './schema.ts'

const SIDE_FILES = ['-wal', '-shm']

/** The files as they were when the open database was last known to be intact. */
export interface KnownFiles {
  /** Device and inode of the database file, `-wal` and `-shm`. */
  readonly ids: readonly (string | undefined)[]
  /** Size and modification time of the database file, which changes only when SQLite moves pages from `-wal` to it. */
  readonly stamp: string | undefined
  /** Bytes of `-wal` and `-shm`. The service does not truncate them while they are in use. */
  readonly sizes: readonly number[]
}

type Fault = 'removed' | 'replaced' | 'overwritten' | 'incomplete'

export function readFiles(file: string): KnownFiles {
  const stats = ['', ...SIDE_FILES].map((suffix) => statSync(file + suffix, { bigint: true, throwIfNoEntry: false }))
  const [main, ...sides] = stats
  return {
    ids: stats.map((found) => found && `${found.dev} ${found.ino}`),
    stamp: main && `${main.size} ${main.mtimeNs}`,
    sizes: sides.map((found) => Number(found?.size ?? 0)),
  }
}

const findTruncated = (known: KnownFiles, now: KnownFiles) =>
  SIDE_FILES.filter((_, index) => now.sizes[index]! < known.sizes[index]!)

/** The content is only in the open database. */
export class RecoveryError extends StoreError {}

/** Takes microseconds unless the file changed. */
export function findFault(db: DatabaseSync, file: string, known: KnownFiles, now: KnownFiles): Fault | undefined {
  const [main, ...sides] = now.ids
  const [knownMain, ...knownSides] = known.ids
  if (!main) return 'removed'
  if (main !== knownMain) return 'replaced'
  if (knownSides.some((id, index) => id !== undefined && id !== sides[index])) return 'incomplete'
  const truncated = findTruncated(known, now)
  if (truncated.includes('-shm')) return 'incomplete'
  const isSame = now.stamp === known.stamp
  // Another program may also move all pages from `-wal` to the file.
  if ((isSame && truncated.length === 0) || isIntact(db, file)) return undefined
  return isSame ? 'incomplete' : 'overwritten'
}

/** Values that differ between two databases, or two versions of one. */
const FINGERPRINT = `SELECT (SELECT at FROM probe) AS probedAt, (SELECT total(count) FROM downloads) AS downloads,
  (SELECT group_concat(value) FROM revisions) AS revisions`

/** Compares the open database with what a new connection reads, which has nothing in memory. */
function isIntact(db: DatabaseSync, file: string): boolean {
  // Keeps other processes from writing between the two reads.
  db.exec('BEGIN IMMEDIATE')
  try {
    using other = new DatabaseSync(file, { readOnly: true })
    const [own, found] = [db, other].map((each) => JSON.stringify(each.prepare(FINGERPRINT).get()))
    return isValid(other) && own === found && readFileOnly(file, isValid) && readFileOnly(file, readId) === readId(db)
  } catch (error) {
    if (isBusy(error)) throw error
    return false
  } finally {
    db.exec('ROLLBACK')
  }
}

const isValid = (db: DatabaseSync) => db.prepare('PRAGMA quick_check(1)').get()?.quick_check === 'ok'

/** Reads the file without its `-wal`. If this process opened the file itself, closing it would release SQLite's locks. */
function readFileOnly<T>(file: string, read: (db: DatabaseSync) => T): T {
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  using db = new DatabaseSync(url, { readOnly: true })
  return read(db)
}

/** Closes the database and repairs its file, so that it can be opened again. Returns what happened. */
export function recover(db: DatabaseSync, file: string, known: KnownFiles, fault: Fault): string {
  const name = basename(file)
  const copy = `${file}.replaced`
  const cause = `${name} was ${fault === 'incomplete' ? 'separated from its -wal or -shm file' : fault} while it was in use`
  const found = `${file}.found`
  const now = readFiles(file)
  const truncated = findTruncated(known, now)
  // The kernel ends a process that uses missing pages of a mapped file (SIGBUS). SQLite fills them again from `-wal`.
  if (now.ids[2] && truncated.includes('-shm')) truncateSync(`${file}-shm`, known.sizes[1])
  const hasCopy = copyContent(db, copy, cause)
  const isOther = fault === 'replaced' || (fault === 'overwritten' && isOtherDatabase(db, file))
  // Closing the database would mix its pages into the other file.
  if (fault === 'overwritten') copyBytes(file, found)
  // A file that replaced ours may have a -wal of its own.
  const stale = SIDE_FILES.filter((_, index) => fault !== 'replaced' || now.ids[index + 1] === known.ids[index + 1])
  db.close()
  for (const suffix of stale) rmSync(file + suffix, { force: true })
  if (fault === 'overwritten' && (isOther || !hasCopy)) renameSync(found, file)

  if (isOther && hasContent(file))
    return `${cause}; the service continues with the new file, and the former content is in ${basename(copy)}`
  if (!hasCopy) {
    rmSync(copy, { force: true })
    return `${cause}; its former content is lost`
  }
  try {
    for (const suffix of SIDE_FILES) rmSync(file + suffix, { force: true })
    renameSync(copy, file)
  } catch (error) {
    // For example because somebody made a folder of this name.
    throw new StoreError(
      `${cause}, and its former content is in ${basename(copy)} (${(error as NodeJS.ErrnoException).code})`,
    )
  }
  // Only `-shm` said which pages in memory are the latest.
  if (now.ids.every(Boolean) && truncated.length > 1) return `${cause}; its latest changes are lost`
  const isFoundKept = fault === 'overwritten' && (statSync(found, { throwIfNoEntry: false })?.size ?? 0) > 0
  const rest = isFoundKept ? `, and what it was overwritten with is in ${basename(found)}` : ''
  return `${cause}; it was written again with its former content${rest}`
}

/** False if parts of the file that are not in memory are gone. */
function copyContent(db: DatabaseSync, copy: string, cause: string): boolean {
  try {
    mkdirSync(dirname(copy), { recursive: true, mode: OWNER_ONLY_FOLDER })
    writeCopy(db, copy)
    return true
  } catch (error) {
    if (isDamaged(error)) return false
    const reason = toStoreError(copy, error)?.message ?? (error as Error).message
    throw new RecoveryError(`${cause}, and cannot be written again: ${reason}`)
  }
}

/** False for an older copy of the same database. */
function isOtherDatabase(db: DatabaseSync, file: string): boolean {
  try {
    return ![0, readId(db)].includes(readFileOnly(file, readId))
  } catch {
    return false
  }
}

/** False for a damaged file, of which a copy is kept, and for a file that somebody truncated or has just created. */
function hasContent(file: string): boolean {
  try {
    using db = openDatabase(file)
    return stateTables.some((table) => db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get())
  } catch (error) {
    if (isDamaged(error)) keepDamagedCopy(file)
    return error instanceof NewerSchema
  }
}

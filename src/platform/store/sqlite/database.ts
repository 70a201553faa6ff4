import { hash, randomInt } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type StatsFs,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../health.ts'
import type { Clock } from '../store.ts'
import { migrations } from './schema.ts'

/** A part of the state as the database thread runs it: the same methods, but synchronous. */
export type Sync<Part> = {
  [Name in keyof Part]: Part[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never
}

/** Revisions start at `opening`: lower if the same database was opened again, which may have lost changes, else higher. */
export type OpenDatabase = { db: DatabaseSync; clock: Clock; opening: number }

/**
 * Commits everything or nothing. IMMEDIATE takes the write lock before the first read, so that no other process writes
 * between a read and the write that depends on it.
 */
export function runInTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    // SQLite has already rolled back if the disk is full.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Rows that are added between two counts of a table, because counting is slower than adding. */
const COUNT_INTERVAL_ROWS = 256

/** Call the result after adding rows. It runs `evict` if `from` (a table, optionally with WHERE) has more than `maxRows`. */
export function limitRows(db: DatabaseSync, from: string, maxRows: number, evict: () => void): (added: number) => void {
  const count = db.prepare(`SELECT count(*) AS rows FROM ${from}`)
  let uncounted = COUNT_INTERVAL_ROWS
  return (added) => {
    uncounted += added
    if (uncounted < COUNT_INTERVAL_ROWS) return
    uncounted = 0
    if (Number(count.get()?.rows) > maxRows) evict()
  }
}

/** More changes than one file ever gets. Each opening has its own range, so that no cached revision matches by chance. */
const REVISIONS_PER_OPENING = 2 ** 32
/** The most that fit into a safe integer. Then the first range is used again; nobody caches a revision for that long. */
const REVISION_RANGES = 2 ** 21

/** The revision of one part of the state, which rises with every change. */
export function createRevision({ db, opening }: OpenDatabase, name: 'clients' | 'tokens' | 'bans') {
  const read = db.prepare('SELECT value FROM revisions WHERE name = ?')
  const raise = db.prepare('UPDATE revisions SET value = value + 1 WHERE name = ? RETURNING value')
  const base = (opening % REVISION_RANGES) * REVISIONS_PER_OPENING
  return {
    read: () => Number(read.get(name)?.value),
    raise: () => Number(raise.get(name)?.value),
    /** Converts a stored value to the value that callers see, and back. */
    toPublic: (stored: number) => base + stored,
    toStored: (revision: number) => revision - base,
  }
}

/**
 * The time that a write waits for another process. Operator commands take milliseconds. The thread runs one call at a
 * time, so reads wait, too.
 */
const BUSY_TIMEOUT_MS = 500
/** The same while the file is opened: another process may be creating or migrating it. */
const OPEN_TIMEOUT_MS = 3000
/** The application id is a signed integer of 32 bits. */
const MAX_ID = 2 ** 31 - 1
/** A database up to this size is completely in memory, so that it can be written again if its file is overwritten. */
const MAX_CACHE_KIB = 16 * 1024
export const OWNER_ONLY_FILE = 0o600
export const OWNER_ONLY_FOLDER = 0o700

const SQLITE = { BUSY: 5, LOCKED: 6, READONLY: 8, IOERR: 10, CORRUPT: 11, FULL: 13, CANTOPEN: 14, NOTADB: 26 }

/** The result codes that an operator can act on. */
const messages: Record<number, (name: string) => string> = {
  [SQLITE.BUSY]: (name) => `${name} is locked by another process`,
  [SQLITE.LOCKED]: (name) => `${name} is locked by another process`,
  [SQLITE.READONLY]: (name) => `${name} or its folder is not writable`,
  [SQLITE.IOERR]: (name) => `the disk failed while reading or writing ${name}`,
  [SQLITE.CORRUPT]: (name) => `${name} is damaged`,
  [SQLITE.FULL]: (name) => `the disk of ${name} is full`,
  [SQLITE.CANTOPEN]: (name) => `${name} cannot be opened: its folder is missing or not accessible`,
  [SQLITE.NOTADB]: (name) => `${name} is not a database, or is damaged`,
}

/** The low byte is the primary result code. */
const readCode = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) & 0xff

export const isBusy = (error: unknown) => readCode(error) === SQLITE.BUSY
export const isDamaged = (error: unknown) => [SQLITE.CORRUPT, SQLITE.NOTADB].includes(readCode(error))

/** A newer version of the service wrote the file. */
export class NewerSchema extends StoreError {}

/** Undefined if the error is a bug and not a problem with the file. Keeps a copy of a damaged file. */
export function toStoreError(file: string, error: unknown): StoreError | undefined {
  if (error instanceof StoreError) return error
  if ((error as { syscall?: string }).syscall === 'mkdir')
    return new StoreError(`the folder of ${basename(file)} cannot be created`)
  const message = messages[readCode(error)]?.(basename(file))
  if (!message) return undefined
  return new StoreError(isDamaged(error) ? `${message}; ${keepDamagedCopy(file)}` : message)
}

/**
 * Never changes or deletes a damaged file, and keeps a copy for a rescue. The name of the copy is a hash of its bytes, so
 * that a hundred restarts make one copy.
 */
export function keepDamagedCopy(file: string): string {
  const advice = 'nothing was deleted. Restore a backup, or move the file away to start with an empty store'
  try {
    const digest = hash('sha256', readFileSync(file)).slice(0, 12)
    const copy = `${file}.damaged-${digest}`
    if (!existsSync(copy)) {
      // The main file last: if it exists, the copy is complete.
      for (const suffix of ['-wal', '']) if (existsSync(file + suffix)) copyBytes(file + suffix, copy + suffix)
    }
    return `a copy is kept as ${basename(copy)}, and ${advice}`
  } catch {
    return advice
  }
}

const SHARED_PAGE_BYTES = 4096
/** More than one transaction takes. */
const MIN_FREE_BYTES = 1024 * 1024

/**
 * Call it before each use of the file. SQLite maps `-shm` into memory, and allocates the last block of each page. If blocks
 * are smaller, as on ext4 below 512 MB, a write to another block of the page on a full disk kills the process (SIGBUS).
 */
export function assertSpace(file: string): void {
  let disk: StatsFs
  try {
    disk = statfsSync(dirname(file))
  } catch {
    // SQLite reports why the folder cannot be used.
    return
  }
  if (disk.bsize < SHARED_PAGE_BYTES && disk.bavail * disk.bsize < MIN_FREE_BYTES)
    throw new StoreError(messages[SQLITE.FULL]!(basename(file)))
}

/** Opens or creates the file and migrates its schema. If that fails, data and schema stay as they were. */
export function openDatabase(file: string, steps: readonly string[] = migrations): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: OWNER_ONLY_FOLDER })
  assertSpace(file)
  createPrivateFile(file)
  // Unknown parameters: "store copy" may read records from Redis that have fields of a newer version.
  const db = new DatabaseSync(file, { timeout: OPEN_TIMEOUT_MS, allowUnknownNamedParameters: true })
  try {
    const version = readVersion(db)
    if (version > steps.length)
      throw new NewerSchema(
        `${basename(file)} has schema ${version}, but this version of the service supports at most schema ` +
          `${steps.length}; nothing was changed. Run the newer version, or restore the backup from before the update`,
      )
    db.exec(`PRAGMA cache_size = -${MAX_CACHE_KIB}`)
    if (db.prepare('PRAGMA quick_check(1)').get()?.quick_check !== 'ok')
      throw new StoreError(`${basename(file)} is damaged; ${keepDamagedCopy(file)}`)
    // Assigned before WAL mode, so that the id is in the main file, which recover.ts reads without its -wal. In a
    // transaction, because several processes may create the file at the same time.
    if (version === 0) runInTransaction(db, () => assignId(db))
    // FULL: a commit survives a power failure. Only the database thread blocks on the disk, never the event loop.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    migrate(db, file, steps)
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Contacts, token hashes and banned addresses are readable by the owner only; SQLite gives `-wal` and `-shm` the same
 * mode. An existing file keeps its mode and is not opened: closing it would release this process's locks on it.
 */
function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', OWNER_ONLY_FILE))
  } catch {
    // The file exists, or SQLite reports why it cannot be created.
  }
}

/** Not copyFileSync: if another program truncates the file meanwhile, libuv never ends the copy. */
export const copyBytes = (from: string, to: string) => writeFileSync(to, readFileSync(from), { mode: OWNER_ONLY_FILE })

export function writeCopy(db: DatabaseSync, file: string): void {
  rmSync(file, { force: true })
  createPrivateFile(file)
  db.prepare('VACUUM INTO ?').run(file)
}

/** Tells this database from others. 0: it has no id, because an older version created it. */
export const readId = (db: DatabaseSync) => Number(db.prepare('PRAGMA application_id').get()?.application_id)

function assignId(db: DatabaseSync): void {
  if (readId(db) === 0) db.exec(`PRAGMA application_id = ${randomInt(1, MAX_ID)}`)
}

const readVersion = (db: DatabaseSync) => Number(db.prepare('PRAGMA user_version').get()?.user_version)

function migrate(db: DatabaseSync, file: string, steps: readonly string[]) {
  const from = readVersion(db)
  if (from === steps.length) return
  const backup = `${file}.schema-${from}`
  if (from > 0) {
    const unfinished = `${backup}.${process.pid}`
    try {
      writeCopy(db, unfinished)
      // The operator may have gone back to the older version. Many restarts make one further copy.
      const name = existsSync(backup) ? `${backup}-${hash('sha256', readFileSync(unfinished)).slice(0, 12)}` : backup
      // Otherwise another process has made the backup and migrated the file meanwhile.
      if (readVersion(db) === from) renameSync(unfinished, name)
    } finally {
      rmSync(unfinished, { force: true })
    }
  }
  runInTransaction(db, () => {
    // Read the version again: another process may have migrated the file meanwhile.
    for (const step of steps.slice(readVersion(db))) db.exec(step)
    db.exec(`PRAGMA user_version = ${steps.length}`)
  })
}

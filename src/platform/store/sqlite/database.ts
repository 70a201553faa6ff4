import { createHash, randomInt } from 'node:crypto'
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../health.ts'
import type { Clock } from '../store.ts'

/** One entry per schema version, in order. A released entry never changes. */
export const migrations = [
  `
  CREATE TABLE downloads (
    application TEXT NOT NULL, version TEXT NOT NULL, day TEXT NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (application, version, day)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX downloadsByDay ON downloads (day, count);
  CREATE TABLE writers (writer TEXT PRIMARY KEY, number INTEGER NOT NULL, seenAt INTEGER NOT NULL) STRICT;

  CREATE TABLE clients (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, contact TEXT NOT NULL, reason TEXT NOT NULL, state TEXT NOT NULL,
    createdAt INTEGER NOT NULL, decidedAt INTEGER, keyHash TEXT UNIQUE
  ) STRICT;
  CREATE INDEX clientsByState ON clients (state);

  CREATE TABLE tokens (
    id TEXT PRIMARY KEY, label TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, scopes TEXT NOT NULL,
    createdAt INTEGER NOT NULL, expiresAt INTEGER, lastUsedAt INTEGER
  ) STRICT;

  -- A lifted ban stays for a while with lifted = 1, so that other nodes see the change.
  CREATE TABLE bans (
    address TEXT PRIMARY KEY, reason TEXT NOT NULL, "by" TEXT NOT NULL, at INTEGER NOT NULL, until INTEGER NOT NULL,
    revision INTEGER NOT NULL, lifted INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX bansByRevision ON bans (revision);
  CREATE INDEX bansByEnd ON bans (until);

  CREATE TABLE strikes (key TEXT PRIMARY KEY, score INTEGER NOT NULL, expiresAt INTEGER NOT NULL) STRICT;
  CREATE INDEX strikesByEnd ON strikes (expiresAt);

  CREATE TABLE markers (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE revisions (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  INSERT INTO revisions VALUES ('clients', 1), ('tokens', 1), ('bans', 1), ('bansForgotten', 0);
  CREATE TABLE probe (one INTEGER PRIMARY KEY CHECK (one = 1), at INTEGER NOT NULL) STRICT;
  `,
]

/** The tables that `clear` empties. */
export const stateTables = ['downloads', 'writers', 'clients', 'tokens', 'bans', 'strikes', 'markers']

/** A part of the state as the database thread runs it: the same methods, but synchronous. */
export type Sync<Part> = {
  [Name in keyof Part]: Part[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never
}

/** `opening` counts how often this process has opened the file, starting at 0. */
export type OpenDatabase = { db: DatabaseSync; clock: Clock; opening: number }

/** Commits everything or nothing. IMMEDIATE takes the write lock first, so that two processes never both read. */
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

/** Call the result after adding rows. It runs `evict` if the table holds more than `maxRows`. */
export function limitRows(db: DatabaseSync, rows: string, maxRows: number, evict: () => void): (added: number) => void {
  const count = db.prepare(`SELECT count(*) AS rows FROM ${rows}`)
  let uncounted = COUNT_INTERVAL_ROWS
  return (added) => {
    uncounted += added
    if (uncounted < COUNT_INTERVAL_ROWS) return
    uncounted = 0
    if (Number(count.get()?.rows) > maxRows) evict()
  }
}

/** More than one file ever reaches: equal revisions of two files that were opened one after the other stay different. */
const REVISIONS_PER_OPENING = 2 ** 40

/** The revision of one part of the state, which rises with every change. */
export function createRevision({ db, opening }: OpenDatabase, name: 'clients' | 'tokens' | 'bans') {
  const read = db.prepare('SELECT value FROM revisions WHERE name = ?')
  const raise = db.prepare('UPDATE revisions SET value = value + 1 WHERE name = ? RETURNING value')
  const base = opening * REVISIONS_PER_OPENING
  return {
    read: () => Number(read.get(name)?.value),
    raise: () => Number(raise.get(name)?.value),
    /** Converts a stored value to the value that callers see, and back. */
    toPublic: (stored: number) => base + stored,
    toStored: (revision: number) => revision - base,
  }
}

/** The time that a write waits for another process. Operator commands take milliseconds. Reads wait behind it. */
const BUSY_TIMEOUT_MS = 500
/** The application id is a signed integer of 32 bits. */
const MAX_ID = 2 ** 31 - 1
/** A database up to this size is completely in memory, so that it can be written again if its file is overwritten. */
const MAX_CACHE_KIB = 16 * 1024
const OWNER_ONLY_FILE = 0o600
export const OWNER_ONLY_FOLDER = 0o700

/** SQLite's primary result codes that an operator can act on. */
const messages: Record<number, (name: string) => string> = {
  5: (name) => `${name} is locked by another process`,
  6: (name) => `${name} is locked by another process`,
  8: (name) => `${name} or its folder is not writable`,
  10: (name) => `the disk failed while reading or writing ${name}`,
  11: (name) => `${name} is damaged`,
  13: (name) => `the disk of ${name} is full`,
  14: (name) => `${name} cannot be opened: its folder is missing or not accessible`,
  26: (name) => `${name} is not a database, or is damaged`,
}
const BUSY = 5
const DAMAGED = [11, 26]

/** The low byte is the primary result code. */
const readCode = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) & 0xff

export const isBusy = (error: unknown) => readCode(error) === BUSY

export const isDamaged = (error: unknown) => DAMAGED.includes(readCode(error))

/** A newer version of the service wrote the file. */
export class NewerSchema extends StoreError {}

/** Undefined if the error is a bug and not a problem with the file. */
export function toStoreError(file: string, error: unknown): StoreError | undefined {
  if (error instanceof StoreError) return error
  if ((error as { syscall?: string }).syscall === 'mkdir') {
    return new StoreError(`the folder of ${basename(file)} cannot be created`)
  }
  const message = messages[readCode(error)]?.(basename(file))
  if (!message) return undefined
  return new StoreError(isDamaged(error) ? `${message}; ${keepDamagedCopy(file)}` : message)
}

/**
 * Never changes or deletes a damaged file, and keeps a copy for a rescue. The name of the copy is a hash of its bytes, so
 * that a hundred restarts make one copy.
 */
function keepDamagedCopy(file: string): string {
  const advice = 'nothing was deleted. Restore a backup, or move the file away to start with an empty store'
  try {
    const digest = createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 12)
    const copy = `${file}.damaged-${digest}`
    if (!existsSync(copy)) {
      for (const suffix of ['-wal', '']) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix)
    }
    return `a copy is kept as ${basename(copy)}, and ${advice}`
  } catch {
    return advice
  }
}

/** Opens the file and migrates its schema. Changes nothing if that fails. */
export function openDatabase(file: string, steps: readonly string[] = migrations): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: OWNER_ONLY_FOLDER })
  createPrivateFile(file)
  const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, allowUnknownNamedParameters: true })
  try {
    const version = readVersion(db)
    if (version > steps.length) {
      throw new NewerSchema(
        `${basename(file)} has schema ${version}, but this version of the service supports at most schema ` +
          `${steps.length}; nothing was changed. Run the newer version, or restore the backup from before the update`,
      )
    }
    db.exec(`PRAGMA cache_size = -${MAX_CACHE_KIB}`)
    if (db.prepare('PRAGMA quick_check(1)').get()?.quick_check !== 'ok') {
      throw new StoreError(`${basename(file)} is damaged; ${keepDamagedCopy(file)}`)
    }
    // Before the WAL exists, so that it is in the file itself. Several processes may create the file at the same time.
    if (version === 0) runInTransaction(db, () => assignId(db))
    // FULL: a commit survives a power failure. Only the database thread waits for the disk, never a request.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    migrate(db, file, steps)
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
export function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', OWNER_ONLY_FILE))
  } catch {
    // The file exists, or SQLite reports why it cannot be created.
  }
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
  if (from > 0 && !existsSync(backup)) {
    createPrivateFile(backup)
    db.prepare('VACUUM INTO ?').run(backup)
  }
  runInTransaction(db, () => {
    // Read the version again: another process may have migrated the file meanwhile.
    for (const step of steps.slice(readVersion(db))) db.exec(step)
    db.exec(`PRAGMA user_version = ${steps.length}`)
  })
}

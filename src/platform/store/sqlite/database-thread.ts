// Runs every SQLite statement in its own thread: a slow disk or a locked file blocks this thread, never the event loop.
import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { Markers } from '../store.ts'
import { createSqliteBans, createSqliteStrikes } from './bans.ts'
import { createSaltFile, createSqliteAdoption, createSqliteDownloads, createSqliteUsage } from './counts.ts'
import { createSqliteClients, createSqliteTokens } from './credentials.ts'
import {
  assertSpace,
  isBusy,
  type OpenDatabase,
  openDatabase,
  readId,
  runInTransaction,
  type Sync,
  toStoreError,
} from './database.ts'
import { findFault, type KnownFiles, RecoveryError, readFiles, recover } from './recover.ts'
import { stateTables } from './schema.ts'

export type Call = { id: number; part: string; method: string; args: unknown[]; now: number }
/** `failure`: a problem with the file. `notice`: another program removed, replaced or overwrote it. */
export type Reply = { id: number; result?: unknown; failure?: string; notice?: string | undefined; bug?: unknown }

/** Opening reads the whole file, so a file that cannot be opened is not tried again with every call. */
const REOPEN_INTERVAL_MS = 500

const { file, maxAutomaticRecords } = workerData as { file: string; maxAutomaticRecords: number }
const port = parentPort
if (!port) throw new Error('this file is a thread of src/platform/store/sqlite/index.ts')

/** Kept over openings: the file may be removed together with the database. */
const saltFile = createSaltFile(`${file}-salt`)
let now = 0
let db: DatabaseSync | undefined
let parts: Record<string, Record<string, (...args: never[]) => unknown>> = {}
let openFailure: { at: number; message: string } | undefined
let opening = 0
let lastId: number | undefined
let known: KnownFiles = { ids: [], stamp: undefined, sizes: [] }
let dataVersion: unknown

const RAISE_REVISIONS = `
  UPDATE revisions SET value = value + 1;
  UPDATE revisions SET value = (SELECT value FROM revisions WHERE name = 'bans') WHERE name = 'bansForgotten';`

const createMaintenance = ({ db, clock }: OpenDatabase) => ({
  probe: () => void db.prepare('INSERT OR REPLACE INTO probe VALUES (1, ?)').run(clock()),
  countChanges: () =>
    db.prepare(`SELECT sum(value - 1) AS changes FROM revisions WHERE name <> 'bansForgotten'`).get()?.changes,
  clear: (markers: Readonly<Record<string, string>>) =>
    runInTransaction(db, () => {
      db.exec(stateTables.map((table) => `DELETE FROM ${table};`).join('') + RAISE_REVISIONS)
      for (const marker of Object.entries(markers)) db.prepare('INSERT INTO markers VALUES (?, ?)').run(...marker)
    }),
})

const createSqliteMarkers = ({ db }: OpenDatabase): Sync<Markers> => ({
  get: (name) => db.prepare('SELECT value FROM markers WHERE name = ?').get(name)?.value as string | undefined,
  set: (name, value) => void db.prepare('INSERT OR REPLACE INTO markers VALUES (?, ?)').run(name, value),
  replace: (name, expected, value) => {
    const { changes } =
      expected === undefined
        ? db.prepare('INSERT OR IGNORE INTO markers VALUES (?, ?)').run(name, value)
        : db.prepare('UPDATE markers SET value = ? WHERE name = ? AND value = ?').run(value, name, expected)
    return changes === 1
  },
  remove: (name) => void db.prepare('DELETE FROM markers WHERE name = ?').run(name),
})

function open() {
  db = openDatabase(file)
  known = readFiles(file)
  dataVersion = readDataVersion(db)
  const id = readId(db)
  opening = id === lastId ? opening - 1 : Math.abs(opening) + 1
  lastId = id
  const opened = { db, clock: () => now, opening }
  parts = {
    downloads: createSqliteDownloads(opened),
    adoption: createSqliteAdoption(opened, saltFile),
    usage: createSqliteUsage(opened),
    clients: createSqliteClients(opened),
    tokens: createSqliteTokens(opened),
    bans: createSqliteBans(opened, maxAutomaticRecords),
    strikes: createSqliteStrikes(opened, maxAutomaticRecords),
    markers: createSqliteMarkers(opened),
    store: createMaintenance(opened),
  }
}

/** Returns what happened to the file, if it had to be repaired. */
function repairFile(opened: DatabaseSync): string | undefined {
  const now = readFiles(file)
  const fault = findFault(opened, file, known, now)
  if (!fault) {
    known = now
    readAll(opened)
    return undefined
  }
  db = undefined
  try {
    return recover(opened, file, known, fault)
  } catch (error) {
    if (error instanceof RecoveryError) db = opened
    throw error
  }
}

/** A write of another process drops the pages in memory, which `recover` may need. */
function readAll(opened: DatabaseSync) {
  const version = readDataVersion(opened)
  if (version !== dataVersion) opened.prepare('PRAGMA quick_check(1)').get()
  dataVersion = version
}

const readDataVersion = (opened: DatabaseSync) => opened.prepare('PRAGMA data_version').get()?.data_version

function close() {
  try {
    db?.close()
  } finally {
    db = undefined
  }
}

function handleCall({ id, part, method, args }: Call): Reply {
  if (openFailure && performance.now() - openFailure.at < REOPEN_INTERVAL_MS)
    return { id, failure: openFailure.message }
  let notice: string | undefined
  try {
    if (db) notice = repairFile(db)
    if (db) assertSpace(file)
    else open()
    openFailure = undefined
    return { id, notice, result: parts[part]?.[method]?.(...(args as never[])) }
  } catch (error) {
    const failure = toStoreError(file, error)?.message
    if (!db && failure) openFailure = { at: performance.now(), message: failure }
    // The next call opens the file again: the operator may have repaired it.
    if (!isBusy(error) && !(error instanceof RecoveryError)) close()
    return failure ? { id, notice, failure } : { id, notice, bug: error }
  }
}

port.on('message', (call: Call | 'close') => {
  if (call === 'close') {
    close()
    port.close()
    return
  }
  now = call.now
  port.postMessage(handleCall(call))
})

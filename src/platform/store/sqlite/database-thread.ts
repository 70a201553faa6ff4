// Runs every SQLite statement in a thread of its own: a slow disk or a locked file blocks this thread, never a request.
import { rmSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { StoreError } from '../health.ts'
import type { Markers } from '../store.ts'
import { createSqliteBans, createSqliteStrikes } from './bans.ts'
import { createSqliteClients, createSqliteTokens } from './credentials.ts'
import {
  isBusy,
  type OpenDatabase,
  openDatabase,
  runInTransaction,
  type Sync,
  stateTables,
  toStoreError,
} from './database.ts'
import { createSqliteDownloads } from './downloads.ts'

export type Call = { id: number; part: string; method: string; args: unknown[]; now: number }
/** `failure`: a problem with the file. `replaced`: somebody removed or replaced it. */
export type Reply = { id: number; result?: unknown; failure?: string; replaced?: boolean; bug?: unknown }

/** Opening reads the whole file, so a file that cannot be opened is not tried again with every call. */
const REOPEN_INTERVAL_MS = 500
/** How often the thread checks that the file is still the one it opened. */
const FILE_CHECK_INTERVAL_MS = 500

type Parts = Record<string, Record<string, (...args: never[]) => unknown>>

const { file, maxAutomaticRecords } = workerData as { file: string; maxAutomaticRecords: number }
const WAL_FILE = `${file}-wal`
const port = parentPort
if (!port) throw new Error('this file is a thread of src/platform/store/sqlite/index.ts')

let now = 0
let db: DatabaseSync | undefined
let parts: Parts = {}
let openFailure: { at: number; message: string } | undefined
let opening = -1
let fileId: string | undefined
let walId: string | undefined
let checkedAt = 0

class FileReplaced extends StoreError {}

const RAISE_REVISIONS = `
  UPDATE revisions SET value = value + 1;
  UPDATE revisions SET value = (SELECT value FROM revisions WHERE name = 'bans') WHERE name = 'bansForgotten';`

const createMaintenance = ({ db, clock }: OpenDatabase) => ({
  probe: () => void db.prepare('INSERT OR REPLACE INTO probe VALUES (1, ?)').run(clock()),
  clear: () =>
    runInTransaction(db, () => db.exec(stateTables.map((table) => `DELETE FROM ${table};`).join('') + RAISE_REVISIONS)),
})

const createSqliteMarkers = ({ db }: OpenDatabase): Sync<Markers> => ({
  get: (name) => db.prepare('SELECT value FROM markers WHERE name = ?').get(name)?.value as string | undefined,
  set: (name, value) => void db.prepare('INSERT OR REPLACE INTO markers VALUES (?, ?)').run(name, value),
  remove: (name) => void db.prepare('DELETE FROM markers WHERE name = ?').run(name),
})

function open() {
  db = openDatabase(file)
  fileId = readFileId(file)
  walId = readFileId(WAL_FILE)
  opening++
  const opened = { db, clock: () => now, opening }
  parts = {
    downloads: createSqliteDownloads(opened),
    clients: createSqliteClients(opened),
    tokens: createSqliteTokens(opened),
    bans: createSqliteBans(opened, maxAutomaticRecords),
    strikes: createSqliteStrikes(opened, maxAutomaticRecords),
    markers: createSqliteMarkers(opened),
    store: createMaintenance(opened),
  }
}

function readFileId(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && `${stats.dev} ${stats.ino}`
}

/** Writes to a removed or replaced file would be lost when the process ends, without any error. */
function assertFileUnchanged() {
  if (performance.now() - checkedAt < FILE_CHECK_INTERVAL_MS) return
  checkedAt = performance.now()
  if (readFileId(file) === fileId) {
    walId = readFileId(WAL_FILE)
    return
  }
  discardStaleWal()
  throw new FileReplaced(
    `${basename(file)} was removed or replaced while it was in use; the service continues with the current file`,
  )
}

/** The WAL beside a replaced file belongs to the old file: SQLite would write the old pages into the new file. */
function discardStaleWal() {
  const isStale = walId !== undefined && readFileId(WAL_FILE) === walId
  close()
  if (isStale) for (const path of [WAL_FILE, `${file}-shm`]) rmSync(path, { force: true })
}

function close() {
  try {
    db?.close()
  } finally {
    db = undefined
  }
}

function handleCall({ id, part, method, args }: Call): Reply {
  if (openFailure && performance.now() - openFailure.at < REOPEN_INTERVAL_MS) {
    return { id, failure: openFailure.message }
  }
  try {
    if (db) assertFileUnchanged()
    else open()
    openFailure = undefined
    return { id, result: parts[part]?.[method]?.(...(args as never[])) }
  } catch (error) {
    const failure = toStoreError(file, error)?.message
    if (!db && failure) openFailure = { at: performance.now(), message: failure }
    // The next call opens the file again: the operator may have repaired it.
    if (!isBusy(error)) close()
    return failure ? { id, failure, replaced: error instanceof FileReplaced } : { id, bug: error }
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

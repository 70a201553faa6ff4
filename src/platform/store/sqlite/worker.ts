// Runs every statement of the SQLite store: a slow disk or a locked file stops this thread, never a request.
import { rmSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { StoreTrouble } from '../unavailable.ts'
import { bansIn } from './bans.ts'
import { clientsIn } from './clients.ts'
import { isBusy, openDatabase, troubleWith } from './database.ts'
import { downloadsIn } from './downloads.ts'
import { atOnce, type Opened } from './part.ts'
import { stateTables } from './schema.ts'
import { strikesIn } from './strikes.ts'
import { tokensIn } from './tokens.ts'

export type Call = { id: number; part: string; method: string; args: unknown[]; now: number }
/** `replaced`: the trouble is that somebody else took the file away. */
export type Answer = { id: number; result?: unknown; trouble?: string; replaced?: boolean; bug?: unknown }

/** A file that cannot be opened is looked at again after this, not at every call: the look reads all of it. */
const OPEN_AGAIN_MS = 500
/** How often it is looked whether the file is still the one that was opened. */
const LOOK_MS = 500

type Parts = Record<string, Record<string, (...args: never[]) => unknown>>

const { file } = workerData as { file: string }
/** Where SQLite writes first; it is taken into the file later. */
const LOG = `${file}-wal`
const port = parentPort
if (!port) throw new Error('this file is a worker of src/platform/store/sqlite/index.ts')

let now = 0
let db: DatabaseSync | undefined
let parts: Parts = {}
let failure: { at: number; trouble: string } | undefined
let opening = -1
let identity: string | undefined
let logIdentity: string | undefined
let lookedAt = 0

class Replaced extends StoreTrouble {}

const houseKeepingIn = ({ db, clock }: Opened) => ({
  probe: () => void db.prepare('INSERT OR REPLACE INTO probe VALUES (1, ?)').run(clock()),
  clear: () => atOnce(db, () => db.exec(stateTables.map((table) => `DELETE FROM ${table};`).join('') + RAISE_ALL)),
})
const RAISE_ALL = `
  UPDATE revisions SET value = value + 1;
  UPDATE revisions SET value = (SELECT value FROM revisions WHERE name = 'bans') WHERE name = 'bansForgotten';`

function open() {
  db = openDatabase(file)
  identity = identityOf(file)
  logIdentity = identityOf(LOG)
  opening++
  const opened = { db, clock: () => now, opening }
  parts = {
    downloads: downloadsIn(opened),
    clients: clientsIn(opened),
    tokens: tokensIn(opened),
    bans: bansIn(opened),
    strikes: strikesIn(opened),
    store: houseKeepingIn(opened),
  }
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.dev} ${found.ino}`
}

/** What is written to a file that was removed or replaced would be lost with the process, and nothing would tell. */
function demandSame() {
  if (performance.now() - lookedAt < LOOK_MS) return
  lookedAt = performance.now()
  if (identityOf(file) === identity) {
    logIdentity = identityOf(LOG)
    return
  }
  leaveLog()
  throw new Replaced(
    `${basename(file)} was removed or replaced while it was in use; what is there now is used from here on`,
  )
}

/** The log beside a replaced file is that of the one before: SQLite would write the old pages into the new file. */
function leaveLog() {
  const isOld = logIdentity !== undefined && identityOf(LOG) === logIdentity
  close()
  if (isOld) for (const path of [LOG, `${file}-shm`]) rmSync(path, { force: true })
}

function close() {
  try {
    db?.close()
  } finally {
    db = undefined
  }
}

function answer({ id, part, method, args }: Call): Answer {
  if (failure && performance.now() - failure.at < OPEN_AGAIN_MS) return { id, trouble: failure.trouble }
  try {
    if (db) demandSame()
    else open()
    failure = undefined
    return { id, result: parts[part]?.[method]?.(...(args as never[])) }
  } catch (error) {
    const trouble = troubleWith(file, error)?.message
    if (!db && trouble) failure = { at: performance.now(), trouble }
    // The next call opens it anew: the operator may have repaired it meanwhile.
    if (!isBusy(error)) close()
    return trouble ? { id, trouble, replaced: error instanceof Replaced } : { id, bug: error }
  }
}

port.on('message', (call: Call | 'close') => {
  if (call === 'close') {
    close()
    port.close()
    return
  }
  now = call.now
  port.postMessage(answer(call))
})

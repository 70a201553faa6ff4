// Runs every statement of the SQLite store: a slow disk or a locked file stops this thread, never a request.
import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { bansIn } from './bans.ts'
import { clientsIn } from './clients.ts'
import { isBusy, openDatabase, troubleWith } from './database.ts'
import { downloadsIn } from './downloads.ts'
import { atOnce, type Opened } from './part.ts'
import { stateTables } from './schema.ts'
import { strikesIn } from './strikes.ts'
import { tokensIn } from './tokens.ts'

export type Call = { id: number; part: string; method: string; args: unknown[]; now: number }
export type Answer = { id: number; result?: unknown; trouble?: string; bug?: unknown }

/** A file that cannot be opened is looked at again after this, not at every call: the look reads all of it. */
const OPEN_AGAIN_MS = 500

type Parts = Record<string, Record<string, (...args: never[]) => unknown>>

const { file } = workerData as { file: string }
const port = parentPort
if (!port) throw new Error('this file is a worker of src/store/sqlite/index.ts')

let now = 0
let db: DatabaseSync | undefined
let parts: Parts = {}
let failure: { at: number; trouble: string } | undefined

const houseKeepingIn = ({ db, clock }: Opened) => ({
  probe: () => void db.prepare('INSERT OR REPLACE INTO probe VALUES (1, ?)').run(clock()),
  clear: () => atOnce(db, () => db.exec(stateTables.map((table) => `DELETE FROM ${table};`).join('') + RAISE_ALL)),
})
const RAISE_ALL = `
  UPDATE revisions SET value = value + 1;
  UPDATE revisions SET value = (SELECT value FROM revisions WHERE name = 'bans') WHERE name = 'bansForgotten';`

function open() {
  db = openDatabase(file)
  const opened = { db, clock: () => now }
  parts = {
    downloads: downloadsIn(opened),
    clients: clientsIn(opened),
    tokens: tokensIn(opened),
    bans: bansIn(opened),
    strikes: strikesIn(opened),
    store: houseKeepingIn(opened),
  }
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
    if (!db) open()
    failure = undefined
    return { id, result: parts[part]?.[method]?.(...(args as never[])) }
  } catch (error) {
    const trouble = troubleWith(file, error)?.message
    if (!db && trouble) failure = { at: performance.now(), trouble }
    // The next call opens it anew: the operator may have repaired it meanwhile.
    if (!isBusy(error)) close()
    return trouble ? { id, trouble } : { id, bug: error }
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

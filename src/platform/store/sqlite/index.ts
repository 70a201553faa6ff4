import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { backup, DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { createPendingCalls, withTimeout } from '../../concurrency/index.ts'
import { createRecentProblem } from '../../logging/index.ts'
import { createHealthCheck, StoreError, toUnavailable } from '../health.ts'
import type { DriverOptions, State, Store } from '../store.ts'
import { isBusy, toStoreError } from './database.ts'
import type { Call, Reply } from './database-thread.ts'
import { migrations } from './schema.ts'

/** Longer than SQLite waits for a lock, so that SQLite's own error arrives first. */
const REPLY_TIMEOUT_MS = 3000
/** Far more calls than ever wait for a healthy disk. */
const MAX_PENDING = 1000
/** More than a database has, so that it is copied in one step. */
const ALL_PAGES = 2 ** 31 - 1

/** A record instead of a list, so that the compiler finds a missing method. */
const methods: { [Part in keyof State]: Record<keyof State[Part], true> } = {
  downloads: { add: true, summary: true, rows: true, writers: true },
  adoption: { salt: true, add: true, days: true, sketch: true },
  usage: { add: true, days: true, rows: true },
  clients: { addRequest: true, decide: true, find: true, list: true, put: true, revision: true },
  tokens: { put: true, remove: true, list: true, markUsed: true, revision: true },
  bans: { put: true, lift: true, list: true, changes: true },
  strikes: { add: true, clear: true, list: true, put: true },
  markers: { get: true, set: true, replace: true, remove: true },
}

export function openSqlite(file: string, options: DriverOptions): Store {
  const repaired = createRecentProblem()
  const thread = startThread(file, options, repaired.report)
  const probe = async () => void (await thread.call('store', 'probe', []))
  const forward = (part: string, names: object) =>
    Object.fromEntries(Object.keys(names).map((name) => [name, (...args: unknown[]) => thread.call(part, name, args)]))
  const parts = Object.entries(methods).map(([part, names]) => [part, forward(part, names)])
  return {
    driver: 'sqlite',
    ...(Object.fromEntries(parts) as State),
    health: createHealthCheck('sqlite', options.log, repaired, probe),
    countChanges: async () => Number(await thread.call('store', 'countChanges', [])),
    clear: async (markers = {}) => void (await thread.call('store', 'clear', [markers])),
    close: thread.close,
  }
}

function startThread(
  file: string,
  { clock, log, maxAutomaticRecords, replyTimeoutMs = REPLY_TIMEOUT_MS }: DriverOptions,
  onRepaired: (notice: string) => void,
) {
  const thread = new Worker(new URL('./database-thread.ts', import.meta.url), {
    workerData: { file, maxAutomaticRecords },
  })
  const calls = createPendingCalls<Omit<Reply, 'id'>>()
  let ended: string | undefined

  thread.on('message', ({ id, notice, ...reply }: Reply) => {
    if (notice) {
      log.error({}, notice)
      onRepaired(notice)
    }
    calls.resolve(id, reply)
  })
  const end = (message: string) => {
    // After an error, the exit has no other reason.
    ended ??= message
    calls.resolveAll({ failure: ended })
  }
  thread.on('error', (error: Error) => end(`the database thread stopped: ${error.name}`))
  thread.on('exit', () => end('the store is closed'))

  return {
    async call(part: string, method: string, args: unknown[]): Promise<unknown> {
      if (ended) throw toUnavailable(new StoreError(ended))
      if (calls.count() >= MAX_PENDING) throw toUnavailable(new StoreError('too many calls wait for the database'))
      const late = { failure: 'the database does not reply in time' }
      const { result, failure, bug } = await calls.call(replyTimeoutMs, late, (id) =>
        thread.postMessage({ id, part, method, args, now: clock() } satisfies Call),
      )
      if (failure !== undefined) throw toUnavailable(new StoreError(failure))
      if (bug !== undefined) throw bug
      return result
    },
    close(): Promise<void> {
      if (ended) return Promise.resolve()
      thread.postMessage('close')
      const exit = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
      // A disk that never answers must not block the shutdown.
      return withTimeout(REPLY_TIMEOUT_MS, exit, () => void thread.terminate())
    },
  }
}

/** Whether another process has the database open. In WAL mode even an idle connection holds a shared lock. */
export function isDatabaseInUse(file: string): boolean {
  if (!existsSync(file)) return false
  try {
    using db = new DatabaseSync(file, { timeout: 0 })
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK')
    return false
  } catch (error) {
    // Other problems are reported when the file is opened.
    return isBusy(error)
  }
}

/**
 * Reads a database without changing it. Undefined if it does not exist yet; throws StoreError if it is not usable.
 * `newest` is the schema version that this version of the service writes.
 */
export function inspectSqlite(file: string) {
  if (!existsSync(file)) return undefined
  const start = performance.now()
  try {
    using db = new DatabaseSync(file, { readOnly: true })
    const [result] = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})
    if (result !== 'ok') throw new StoreError(`the database is damaged: ${result}`)
    const schema = Number(db.prepare('PRAGMA user_version').get()?.user_version)
    const sqlite = String(db.prepare('SELECT sqlite_version() AS version').get()?.version)
    return { schema, newest: migrations.length, sqlite, tookMs: performance.now() - start }
  } catch (error) {
    throw toStoreError(file, error) ?? error
  }
}

// Complete checks and copies of a database, in a thread of their own: both take seconds for a large file.

/** Resolves to what is wrong with the database; undefined: nothing. */
export async function checkIntegrity(file: string, isCopy = false): Promise<string | undefined> {
  const thread = new Worker(new URL('./integrity-thread.ts', import.meta.url), { workerData: { file, isCopy } })
  let result = 'the check was ended'
  thread.on('message', (message: string) => {
    result = message
  })
  // In a busy process, both events can arrive in one turn: waiting for one after the other would miss the second.
  await once(thread, 'exit')
  // The first line only names the database.
  return result === 'ok' ? undefined : result.split('\n').at(-1)
}

/** Copies a database while it is in use. The copy is one file that only its owner can read. */
export async function copyDatabase(file: string, target: string): Promise<void> {
  using db = new DatabaseSync(file, { readOnly: true })
  // Between two steps, a write of another connection makes SQLite copy from the beginning: a busy service would have none.
  await backup(db, target, { rate: ALL_PAGES })
  await chmod(target, 0o600)
  const fault = await checkIntegrity(target, true)
  if (fault) throw new Error(`the copy of the database is damaged: ${fault}`)
}

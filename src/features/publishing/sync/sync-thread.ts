// The thread that keeps the content of this node up to date.
import { isAbsolute, relative, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { getSystemErrorMessage } from 'node:util'
import { parentPort, workerData } from 'node:worker_threads'
import { describeStoreError, isRejectedByStore } from '../../../platform/store/index.ts'
import { namePublicly } from './folder.ts'
import type { SyncMessage, SyncStatus } from './open-sync.ts'
import { type NodeSyncOptions, openNodeSync } from './sync.ts'

/** Time between two reads of the position in Redis. Each is one small call. */
const POLL_INTERVAL_MS = 250
const RETRY_INTERVAL_MS = 1000
/** Time between two checks of the folder. It grows with the folder: checks take at most 2 % of a core. */
const CHECK_INTERVAL_MS = 2000
const CHECK_INTERVAL_FACTOR = 50
/** Codes of errors of SQLite. */
const SQLITE = { READONLY_DBMOVED: 1032, CORRUPT: 11, NOTADB: 26 }

const options = workerData as NodeSyncOptions
const post = (message: SyncMessage) => parentPort?.postMessage(message)
const logWith = (level: 'info' | 'warn') => (fields: object, text: string) => post({ log: { level, fields, text } })
const log = { info: logWith('info'), warn: logWith('warn') }

const sync = (await openNodeSync(options, log))!
let isClosing = false
parentPort?.once('message', () => {
  isClosing = true
})

let status: SyncStatus = { sequence: sync.sequence(), problem: undefined, edited: [] }
const report = (next: Partial<SyncStatus>) => {
  status = { ...status, ...next, sequence: sync.sequence(), incident: sync.incident() }
  post({ status })
}

await sync.recover().catch((error) => log.warn({ err: error }, 'an interrupted change cannot be recovered'))
post({ isReady: true })

let nextCheckAt = 0
while (!isClosing) {
  try {
    await sync.update({ isNode: true })
    if (performance.now() >= nextCheckAt) await check()
    report({ problem: undefined })
    await sleep(POLL_INTERVAL_MS)
  } catch (error) {
    // The next thread creates the file again, and compares the folder with Redis.
    if (isStateLost(error)) throw error
    const storeProblem = describeStoreError(error)
    // A store that is unavailable is reported elsewhere.
    const problem = isRejectedByStore(error) ? storeProblem : storeProblem ? undefined : describeProblem(error)
    report({ problem })
    await sleep(RETRY_INTERVAL_MS)
  }
}
await sync.close()
parentPort?.close()

/** Whether another program removed the file with the position of this node (READONLY_DBMOVED), or damaged it. */
function isStateLost(error: unknown): boolean {
  const { errcode = 0 } = error as { errcode?: number }
  return errcode === SQLITE.READONLY_DBMOVED || [SQLITE.CORRUPT, SQLITE.NOTADB].includes(errcode % 256)
}

/**
 * The message of a system error contains the full path of a file; this one names files of the content. Below a lock, the
 * system error is the cause of the error.
 */
function describeProblem(error: unknown): string {
  const { cause = error, message } = error as Error
  const { errno, syscall, path = '' } = cause as NodeJS.ErrnoException
  if (!errno || !syscall) return message
  const file = relative(options.contentDir, path).replaceAll(sep, '/')
  const isInContent = path !== '' && !file.startsWith('..') && !isAbsolute(file)
  const name = isInContent ? `CONTENT_DIR/${namePublicly(file)}` : 'a file of the content'
  return `${name} cannot be used: ${getSystemErrorMessage(errno)}`
}

async function check(): Promise<void> {
  const before = process.threadCpuUsage()
  const { edited, missing } = await sync.checkFolder()
  if (missing.length > 0)
    log.warn(
      { files: missing.slice(0, 10).map(namePublicly), count: missing.length },
      'restored files that were missing in the folder',
    )
  const { user, system } = process.threadCpuUsage(before)
  nextCheckAt = performance.now() + Math.max(CHECK_INTERVAL_MS, (CHECK_INTERVAL_FACTOR * (user + system)) / 1000)
  report({ edited })
}

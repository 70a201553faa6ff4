import { join, resolve } from 'node:path'
import { parseStoreUrl } from '../../config/store-url.ts'
import type { Log } from '../logging/index.ts'
import { openRedis } from './redis/index.ts'
import { openRedisResultCache, type ResultCacheOptions, type SharedResultCache } from './redis/result-cache.ts'
import { openSqlite } from './sqlite/index.ts'
import type { Clock, Store } from './store.ts'

export { StoreUrlError } from '../../config/store-url.ts'
export { CopyError, copyStore, countRecords, type RecordCounts } from './copy.ts'
export { type Counter, type CounterOptions, type CounterStatus, createCounter } from './counter.ts'
export { describeStoreError } from './health.ts'
export { assignJournalFolders } from './journal.ts'
export { inspectRedis, type RedisInspection } from './redis/inspect.ts'
export type { SharedResultCache } from './redis/result-cache.ts'
export { inspectSqlite, isDatabaseInUse, type SqliteInspection } from './sqlite/inspect.ts'
export type * from './store.ts'
export { ENDED_BAN_TTL_MS, GUARD } from './store.ts'

/** Called after each call of the store; `operation` is for example "bans.changes". */
export type OnStoreCall = (operation: string, ms: number, failed: boolean) => void

export interface StoreOptions {
  readonly dataDir: string
  readonly log: Log
  readonly clock?: Clock
  readonly onCall?: OnStoreCall | undefined
}

/** The database file of a SQLite URL; undefined for other URLs. */
export function sqliteFile(url: string, dataDir: string): string | undefined {
  const address = parseStoreUrl(url)
  return address.kind === 'sqlite' ? resolveFile(address.file, dataDir) : undefined
}

const resolveFile = (file: string, dataDir: string) => (file === '' ? join(dataDir, 'menagerie.sqlite') : resolve(file))

/**
 * Returns at once, even if the store is unavailable: calls then reject until it is available, and `health` gives the
 * reason. Throws only for a URL that can never work.
 */
export function openStore(url: string, { dataDir, log, clock = Date.now, onCall }: StoreOptions): Store {
  const address = parseStoreUrl(url)
  const store =
    address.kind === 'sqlite'
      ? openSqlite(resolveFile(address.file, dataDir), { log, clock })
      : openRedis(address, { log, clock })
  return onCall ? measureCalls(store, onCall) : store
}

/** Undefined for a store that nodes cannot share. */
export function openSharedResultCache(url: string, options: ResultCacheOptions): SharedResultCache | undefined {
  const address = parseStoreUrl(url)
  return address.kind === 'sqlite' ? undefined : openRedisResultCache(address, options)
}

type Method = (...args: unknown[]) => Promise<unknown>

/** The same store, with every method of its parts (bans, tokens …) timed. */
function measureCalls(store: Store, onCall: OnStoreCall): Store {
  const measured = Object.entries(store)
    .filter(([, part]) => part !== null && typeof part === 'object')
    .map(([name, part]) => {
      const methods = Object.entries(part as Record<string, Method>)
      return [
        name,
        Object.fromEntries(methods.map(([key, method]) => [key, measure(`${name}.${key}`, method, onCall)])),
      ]
    })
  return { ...store, ...Object.fromEntries(measured) }
}

const measure =
  (operation: string, method: Method, onCall: OnStoreCall): Method =>
  (...args) => {
    const start = performance.now()
    const result = method(...args)
    const report = (failed: boolean) => onCall(operation, performance.now() - start, failed)
    result.then(
      () => report(false),
      () => report(true),
    )
    return result
  }

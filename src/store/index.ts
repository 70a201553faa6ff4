import { join, resolve } from 'node:path'
import { openRedis } from './redis/index.ts'
import { openSqlite } from './sqlite/index.ts'
import type { Clock, Log, Store } from './store.ts'
import { type OnCall, watched } from './watched.ts'

export { CopyRefused, copyStore, type Holdings, holdingsIn } from './copy.ts'
export { countFolders } from './count-folders.ts'
export { type Counter, type CounterOptions, type CounterStatus, createCounter } from './counter.ts'
export { type ExaminedRedis, examineRedis } from './redis/examine.ts'
export { type ExaminedSqlite, examineSqlite } from './sqlite/examine.ts'
export type * from './store.ts'
export { troubleOf } from './unavailable.ts'
export type { OnCall } from './watched.ts'

/** STORE_URL is wrong; completes "STORE_URL must be …". */
export class StoreUrlError extends Error {}

export const storeUrlRule = 'sqlite:<file>, redis://…, rediss://…, or empty for a file in DATA_DIR'

export interface StoreOptions {
  readonly dataDir: string
  readonly log: Log
  readonly clock?: Clock
  readonly onCall?: OnCall | undefined
}

/** The file of a store in SQLite; undefined where the URL is of another one. */
export function sqliteFile(url: string, dataDir: string): string | undefined {
  if (url === '') return join(dataDir, 'menagerie.sqlite')
  return /^sqlite:./.test(url) ? resolve(url.slice('sqlite:'.length)) : undefined
}

/**
 * Opens at once, also where the store is away: calls then reject until it is back, and `health` says why.
 * Only a URL that can never work is an error.
 */
export function openStore(url: string, { onCall, ...options }: StoreOptions): Store {
  const store = openDriver(url, options)
  return onCall ? watched(store, onCall) : store
}

function openDriver(url: string, { dataDir, log, clock = Date.now }: StoreOptions): Store {
  const file = sqliteFile(url, dataDir)
  if (file !== undefined) return openSqlite(file, { log, clock })
  if (/^rediss?:/.test(url) && URL.parse(url)?.hostname) return openRedis(url, { log, clock })
  throw new StoreUrlError(storeUrlRule)
}

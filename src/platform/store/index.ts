import { join, resolve } from 'node:path'
import { parseStoreUrl } from '../../config/store-url.ts'
import type { Log } from '../logging/index.ts'
import { openRedis } from './redis/index.ts'
import { openPictures, type PictureOptions } from './redis/pictures.ts'
import type { SharedPictures } from './shared.ts'
import { openSqlite } from './sqlite/index.ts'
import type { Clock, Store } from './store.ts'
import { type OnCall, watched } from './watched.ts'

export { StoreUrlError } from '../../config/store-url.ts'
export { CopyRefused, copyStore, type Holdings, holdingsIn } from './copy.ts'
export { countFolders } from './count-folders.ts'
export { type Counter, type CounterOptions, type CounterStatus, createCounter } from './counter.ts'
export { type ExaminedRedis, examineRedis } from './redis/examine.ts'
export type * from './shared.ts'
export { type ExaminedSqlite, examineSqlite, isInUse } from './sqlite/examine.ts'
export type * from './store.ts'
export { GUARD, KEEP_ENDED_MS } from './store.ts'
export { troubleOf } from './unavailable.ts'
export type { OnCall } from './watched.ts'

export interface StoreOptions {
  readonly dataDir: string
  readonly log: Log
  readonly clock?: Clock
  readonly onCall?: OnCall | undefined
}

/** The file of a store in SQLite; undefined where the URL is of another one. */
export function sqliteFile(url: string, dataDir: string): string | undefined {
  const address = parseStoreUrl(url)
  return address.kind === 'sqlite' ? fileOf(address, dataDir) : undefined
}

const fileOf = ({ file }: { file: string }, dataDir: string) =>
  file === '' ? join(dataDir, 'menagerie.sqlite') : resolve(file)

/**
 * Opens at once, also where the store is away: calls then reject until it is back, and `health` says why.
 * Only a URL that can never work is an error.
 */
export function openStore(url: string, { onCall, ...options }: StoreOptions): Store {
  const store = openDriver(url, options)
  return onCall ? watched(store, onCall) : store
}

function openDriver(url: string, { dataDir, log, clock = Date.now }: StoreOptions): Store {
  const address = parseStoreUrl(url)
  if (address.kind === 'sqlite') return openSqlite(fileOf(address, dataDir), { log, clock })
  return openRedis(address, { log, clock })
}

/** Undefined where the store is not one that nodes share. */
export function openSharedPictures(url: string, options: PictureOptions): SharedPictures | undefined {
  const address = parseStoreUrl(url)
  return address.kind === 'sqlite' ? undefined : openPictures(address, options)
}

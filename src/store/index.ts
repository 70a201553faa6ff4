import { join, resolve } from 'node:path'
import { openRedis } from './redis/index.ts'
import { openSqlite } from './sqlite/index.ts'
import type { Clock, Log, Store } from './store.ts'

export { CopyRefused, copyStore, type Holdings, holdingsIn } from './copy.ts'
export { countFolders } from './count-folders.ts'
export { type Counter, type CounterOptions, createCounter } from './counter.ts'
export type * from './store.ts'
export { troubleOf } from './unavailable.ts'

/** STORE_URL is wrong; completes "STORE_URL must be …". */
export class StoreUrlError extends Error {}

export const storeUrlRule = 'sqlite:<file>, redis://…, rediss://…, or empty for a file in DATA_DIR'

/**
 * Opens at once, also where the store is away: calls then reject until it is back, and `health` says why.
 * Only a URL that can never work is an error.
 */
export function openStore(
  url: string,
  { dataDir, log, clock = Date.now }: { dataDir: string; log: Log; clock?: Clock },
): Store {
  const scheme = url.slice(0, url.indexOf(':') + 1)
  if (url === '') return openSqlite(join(dataDir, 'menagerie.sqlite'), { log, clock })
  if (scheme === 'sqlite:' && url.length > scheme.length) {
    return openSqlite(resolve(url.slice(scheme.length)), { log, clock })
  }
  if (/^rediss?:$/.test(scheme) && URL.parse(url)?.hostname) return openRedis(url, { log, clock })
  throw new StoreUrlError(storeUrlRule)
}

import { join, resolve } from 'node:path'
import { parseStoreUrl } from '../../config/store-url.ts'
import { copyStore, nameStore } from './copy.ts'
import { openDiskResultCache } from './disk-result-cache.ts'
import type { RedisInspection } from './redis/index.ts'
import type { ResultCacheOptions } from './redis/result-cache.ts'
import type { SharedContent } from './shared-content.ts'
import { checkIntegrity, copyDatabase, openSqlite } from './sqlite/index.ts'
import type { NodeContent } from './sqlite/node-content.ts'
import type { DriverOptions, Store } from './store.ts'

export { StoreUrlError } from '../../config/store-url.ts'
export {
  CopyError,
  copyStore,
  countRecords,
  createLastStoreCheck,
  isUnfinishedCopy,
  lastStoreFile,
  type RecordCounts,
} from './copy.ts'
export * from './counts.ts'
export { type DownloadCounter, openDownloadCounter } from './download-counter.ts'
export { forgetConfirmed } from './download-journal-file.ts'
export { describeStoreError, isRejectedByStore } from './health.ts'
export { createSipHash, HyperLogLog } from './hyper-log-log.ts'
export type { RedisInspection } from './redis/index.ts'
export type * from './shared-content.ts'
export { checkIntegrity, inspectSqlite, isDatabaseInUse } from './sqlite/index.ts'
export type { InstallStep, KnownFile, NodeContent } from './sqlite/node-content.ts'
export type * from './store.ts'
export { BANNED_AUTOMATICALLY, ENDED_BAN_TTL_MS } from './store.ts'

/** Called after each call of the store; `operation` is for example "bans.changes". */
export type OnStoreCall = (operation: string, ms: number, failed: boolean) => void

const MAX_AUTOMATIC_RECORDS = 50_000

interface StoreOptions extends Partial<Omit<DriverOptions, 'log'>> {
  readonly dataDir: string
  readonly log: DriverOptions['log']
  readonly onCall?: OnStoreCall | undefined
  /** Saves the number of probes in DATA_DIR, to notice lost data. Only for a service: commands do not write there. */
  readonly savesProbe?: boolean
}

/** The database file of a SQLite URL; undefined for other URLs. */
export function sqliteFile(url: string, dataDir: string): string | undefined {
  const address = parseStoreUrl(url)
  return address.kind === 'sqlite' ? resolveFile(address.file, dataDir) : undefined
}

const resolveFile = (file: string, dataDir: string) => (file === '' ? join(dataDir, 'menagerie.sqlite') : resolve(file))

/** Loaded only if it is used: the client of Redis takes 10 MB. */
const loadRedis = () => import('./redis/index.ts')

/**
 * Does not wait for the store: while it is unavailable, calls reject and `health` gives the reason. Throws only for a URL
 * that can never work.
 */
export async function openStore(url: string, { dataDir, log, onCall, ...options }: StoreOptions): Promise<Store> {
  const { clock = Date.now, maxAutomaticRecords = MAX_AUTOMATIC_RECORDS, replyTimeoutMs, savesProbe } = options
  const savedProbe = { file: join(dataDir, 'redis-probe'), storeName: nameStore(url) }
  const address = parseStoreUrl(url)
  const driver = { log, clock, maxAutomaticRecords, replyTimeoutMs, savedProbe: savesProbe ? savedProbe : undefined }
  const store =
    address.kind === 'sqlite'
      ? openSqlite(resolveFile(address.file, dataDir), driver)
      : (await loadRedis()).openRedis(address, driver)
  return onCall ? measureCalls(store, onCall) : store
}

/** Writes a verified copy of the store into a new SQLite file, while the store is in use. */
export async function writeStoreCopy(url: string, { dataDir, log }: StoreOptions, store: Store, target: string) {
  const file = sqliteFile(url, dataDir)
  if (file !== undefined) return copyDatabase(file, target)
  const copy = openSqlite(target, { log, clock: Date.now, maxAutomaticRecords: MAX_AUTOMATIC_RECORDS })
  await copyStore(store, copy).finally(() => copy.close())
  const fault = await checkIntegrity(target, true)
  if (fault) throw new Error(`the copy of the store is damaged: ${fault}`)
}

/** In Redis, where all nodes share it, or on the disk of a single node. */
export async function openSharedResultCache(url: string, folder: string, options: ResultCacheOptions) {
  const address = parseStoreUrl(url)
  return address.kind === 'sqlite'
    ? openDiskResultCache({ folder, ...options })
    : (await loadRedis()).openRedisResultCache(address, options)
}

/** Undefined: the store is not shared, so there are no other nodes. */
export async function openSharedContent(url: string, maxFileBytes: number): Promise<SharedContent | undefined> {
  const address = parseStoreUrl(url)
  return address.kind === 'sqlite' ? undefined : (await loadRedis()).openRedisContent(address, maxFileBytes)
}

/** Loaded only if it is used, like Redis. */
export const openNodeContent = async (path: string): Promise<NodeContent> =>
  (await import('./sqlite/node-content.ts')).openNodeContent(path)

export const inspectRedis = async (url: string): Promise<RedisInspection | undefined> =>
  (await loadRedis()).inspectRedis(url)

type Method = (...args: unknown[]) => Promise<unknown>

/** The same store, with every method of its parts (bans, tokens …) timed. */
function measureCalls(store: Store, onCall: OnStoreCall): Store {
  const measurePart = (name: string, part: Record<string, Method>) =>
    Object.fromEntries(Object.entries(part).map(([key, method]) => [key, measure(`${name}.${key}`, method, onCall)]))
  const parts = Object.entries(store).filter(([, part]) => typeof part === 'object')
  return { ...store, ...Object.fromEntries(parts.map(([name, part]) => [name, measurePart(name, part)])) }
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

// Opens the services that a command needs, and closes them afterwards. They are imported when a command runs.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { OperatorError, PublishError } from '../errors/index.ts'
import type { Publisher, Sync } from '../features/publishing/index.ts'
import type { Releases } from '../features/releases/index.ts'
import { isFolder, lastGoodFoldersIn } from '../platform/files/index.ts'
import type { Fetched } from '../platform/net/index.ts'
import type { Store } from '../platform/store/index.ts'

/** Commands report problems themselves. It is defined here because platform/logging would load pino for --help. */
export const silentLog = { info() {}, warn() {}, error() {} }

/** Enough to connect to a Redis on another continent. */
const CONNECT_TIMEOUT_MS = 2500
const RETRY_INTERVAL_MS = 25

/** Closes the part after the work, even if that fails. */
export async function withClosing<Part extends { close(): unknown }, T>(
  part: Part,
  work: (part: Part) => Promise<T> | T,
): Promise<T> {
  try {
    return await work(part)
  } finally {
    await part.close()
  }
}

export async function withStore<T>(
  { STORE_URL, DATA_DIR }: Pick<Config, 'STORE_URL' | 'DATA_DIR'>,
  work: (store: Store) => Promise<T>,
  name = 'The store',
): Promise<T> {
  const { openStore, StoreUrlError, describeStoreError } = await import('../platform/store/index.ts')
  let store: Store | undefined
  try {
    store = await openStore(STORE_URL, { dataDir: DATA_DIR, log: silentLog })
    await waitForStore(store, (error) => describeStoreError(error) !== undefined)
    return await work(store)
  } catch (error) {
    if (error instanceof StoreUrlError) throw new OperatorError(`${name} must be ${error.message}.`)
    const problem = describeStoreError(error)
    throw problem === undefined ? error : new OperatorError(`${name} cannot be used: ${problem}.`)
  } finally {
    await store?.close()
  }
}

/**
 * Opening a store does not wait for a connection, so its first call may fail: Redis may not be connected yet, and on a
 * busy machine the SQLite thread may start too late.
 */
async function waitForStore(store: Store, isStoreProblem: (error: unknown) => boolean): Promise<void> {
  const deadline = performance.now() + CONNECT_TIMEOUT_MS
  for (let tries = 1; ; tries++) {
    try {
      await store.tokens.revision()
      return
    } catch (error) {
      const isLastTry = store.driver === 'redis' ? performance.now() > deadline : tries === 2
      if (isLastTry || !isStoreProblem(error)) throw error
      await sleep(RETRY_INTERVAL_MS)
    }
  }
}

/** For work with published content. */
export async function withContentFolder<T>({ CONTENT_DIR }: Config, work: () => Promise<T>): Promise<T> {
  await assertContentFolder(CONTENT_DIR)
  try {
    return await work()
  } catch (error) {
    throw error instanceof PublishError ? new OperatorError(toFlagNames(error.message)) : error
  }
}

/** For commands that change published content, also on the other nodes. */
export async function withPublisher<T>(
  config: Config,
  work: (publisher: Publisher, sync: Sync | undefined) => Promise<T>,
): Promise<T> {
  const [{ createPublisher, openNodeSync, readSyncOptions }, { describeStoreError }] = await Promise.all([
    import('../features/publishing/index.ts'),
    import('../platform/store/index.ts'),
  ])
  const folders = { contentDir: config.CONTENT_DIR, dataDir: config.DATA_DIR }
  const options = readSyncOptions(config)
  const sync = options && (await openNodeSync({ ...folders, ...options }))
  try {
    return await withContentFolder(config, () => work(createPublisher({ ...folders, sync }), sync))
  } catch (error) {
    const problem = describeStoreError(error)
    throw problem === undefined ? error : new OperatorError(`Nothing was changed, because ${problem}.`)
  } finally {
    await sync?.close()
  }
}

/** For commands that only read. */
export async function openPublisher({ CONTENT_DIR, DATA_DIR }: Pick<Config, 'CONTENT_DIR' | 'DATA_DIR'>) {
  const { createPublisher } = await import('../features/publishing/index.ts')
  return createPublisher({ contentDir: CONTENT_DIR, dataDir: DATA_DIR })
}

/** The author of changes that commands make, in the history. */
export const COMMAND = 'command'

/** Messages of services mention the parameters `force` and `replace`; commands have options of these names. */
export const toFlagNames = (message: string) => message.replace(/with (force|replace)\b/, 'with --$1')

/** Without this check a misspelled folder would be created and filled, but never served. */
export async function assertContentFolder(dir: string): Promise<void> {
  if (await isFolder(dir)) return
  throw new OperatorError(
    `CONTENT_DIR (${dir}) is not a folder. Create it, set another one with --content-dir, or act on a remote service with --server (see "login --help").`,
  )
}

/** The folders in which a service keeps its last good state. Commands only read them. */
export const lastGoodIn = (dataDir: string) => lastGoodFoldersIn(dataDir, { isWriter: false, log: silentLog })

/** Opens the releases. With `lastGoodFolder`, the last good state replaces invalid or shrunk files, as in a service. */
export async function withReleases<T>(
  contentDir: string,
  work: (releases: Releases, dir: string) => Promise<T> | T,
  lastGoodFolder?: ReturnType<typeof lastGoodIn>,
): Promise<T> {
  const { openReleases } = await import('../features/releases/index.ts')
  const dir = join(contentDir, 'app')
  const releases = await openReleases({ dir, log: silentLog, lastGoodFolder: lastGoodFolder?.('app') })
  return withClosing(releases, () => work(releases, dir))
}

/** `file:line`, which editors can open. */
export const formatLocation = ({ file, line }: { file: string; line?: number | undefined }) =>
  `${file}${line === undefined ? '' : `:${line}`}`

/** Makes files of the releases feature relative to CONTENT_DIR. */
export const prefixAppFolder = <T extends { file: string }>(entries: readonly T[]): T[] =>
  entries.map((entry) => ({ ...entry, file: `app/${entry.file}` }))

export async function withBlocklist<T>(
  { DATA_DIR, CONTENT_DIR }: Pick<Config, 'DATA_DIR' | 'CONTENT_DIR'>,
  work: (blocklist: import('../features/blocklist/index.ts').Blocklist) => Promise<T>,
): Promise<T> {
  const { blocklistSources, openBlocklist } = await import('../features/blocklist/index.ts')
  const sources = blocklistSources(DATA_DIR, CONTENT_DIR, lastGoodIn(DATA_DIR))
  return withClosing(await openBlocklist({ sources, log: silentLog }), work)
}

/** Fetches images with the checks and limits of the filters, because the URLs may come from an untrusted list. */
export const withFetcher = <T>(config: Config, work: (get: (url: string) => Promise<Fetched>) => Promise<T>) =>
  withBlocklist(config, async (blocklist) => {
    const { createFetcher } = await import('../platform/net/index.ts')
    const { readFetcherOptions, withImageErrors } = await import('../features/images/index.ts')
    return withClosing(withImageErrors(createFetcher(readFetcherOptions(config, blocklist))), ({ get }) =>
      work((url) => get(url, { signal: new AbortController().signal })),
    )
  })

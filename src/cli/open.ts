// Opens what commands need of the services, and closes it again. Services are loaded here, when a command runs.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import type { Fetched } from '../platform/net/index.ts'
import type { Store } from '../platform/store/index.ts'
import { CommandError, UsageError } from './command.ts'

/** What a command cannot do it says itself; what a room would log is for a running service. */
export const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** A connection to Redis on another continent is made by then. */
const CONNECT_MS = 2500
const ASK_AGAIN_MS = 25

type StoreConfig = Pick<Config, 'STORE_URL' | 'DATA_DIR'>

export async function withStore<T>(
  { STORE_URL, DATA_DIR }: StoreConfig,
  work: (store: Store) => Promise<T>,
  name = 'The store',
): Promise<T> {
  const { openStore, StoreUrlError, describeStoreError } = await import('../platform/store/index.ts')
  let store: Store | undefined
  try {
    store = openStore(STORE_URL, { dataDir: DATA_DIR, log: silent })
    await connected(store, (error) => describeStoreError(error) !== undefined)
    return await work(store)
  } catch (error) {
    if (error instanceof StoreUrlError) throw new CommandError(`${name} must be ${error.message}.`)
    const trouble = describeStoreError(error)
    throw trouble === undefined ? error : new CommandError(`${name} cannot be used: ${trouble}.`)
  } finally {
    await store?.close()
  }
}

/**
 * Opening never fails; the first call tells. Redis says "not connected yet" for a while, and on a very busy machine the
 * thread of SQLite may not have started in time for the first call.
 */
async function connected(store: Store, isTrouble: (error: unknown) => boolean): Promise<void> {
  const giveUp = performance.now() + CONNECT_MS
  for (let tries = 1; ; tries++) {
    try {
      await store.tokens.revision()
      return
    } catch (error) {
      const enough = store.driver === 'redis' ? performance.now() > giveUp : tries === 2
      if (enough || !isTrouble(error)) throw error
      await sleep(ASK_AGAIN_MS)
    }
  }
}

type ReleasesRoom = typeof import('../features/releases/index.ts')

/** The room of the releases, and the folder it works on; what it refuses is told as it says it. */
export async function withReleases<T>(
  { CONTENT_DIR }: Pick<Config, 'CONTENT_DIR'>,
  work: (releases: ReleasesRoom, dir: string) => Promise<T>,
): Promise<T> {
  await demandContentFolder(CONTENT_DIR)
  const releases = await import('../features/releases/index.ts')
  try {
    return await work(releases, join(CONTENT_DIR, 'app'))
  } catch (error) {
    if (error instanceof releases.WrongWords) throw new UsageError(error.message)
    throw error instanceof releases.PublishError ? new CommandError(asTyped(error.message)) : error
  }
}

/** Services speak of `force`; here it is an option. */
export const asTyped = (message: string) => message.replace('with force', 'with --force')

/** A mistyped folder would be made, filled, and never be served. */
export async function demandContentFolder(dir: string): Promise<void> {
  const found = await stat(dir).catch(() => undefined)
  if (found?.isDirectory()) return
  throw new CommandError(`CONTENT_DIR (${dir}) is not a folder; make it first, or name another with --content-dir.`)
}

export async function withBlocklist<T>(
  { DATA_DIR, CONTENT_DIR }: Pick<Config, 'DATA_DIR' | 'CONTENT_DIR'>,
  work: (blocklist: import('../features/blocklist/index.ts').Blocklist) => Promise<T>,
): Promise<T> {
  const { Blocklist, blocklistCandidates } = await import('../features/blocklist/index.ts')
  const blocklist = await Blocklist.open({ candidates: blocklistCandidates(DATA_DIR, CONTENT_DIR), log: silent })
  try {
    return await work(blocklist)
  } finally {
    blocklist.close()
  }
}

/** Fetches pictures with the guards and limits of the filters: a list of URLs may be a stranger's work. */
export const withFetcher = <T>(config: Config, work: (get: (url: string) => Promise<Fetched>) => Promise<T>) =>
  withBlocklist(config, async (blocklist) => {
    const { createFetcher } = await import('../platform/net/index.ts')
    const { ACCEPTED_TYPES, toImageError } = await import('../features/images/index.ts')
    const fetcher = createFetcher({
      allowHosts: config.FILTER_ALLOW_HOSTS,
      ports: config.FILTER_PORTS,
      isBlockedHost: (host) => blocklist.blocks(host),
      maxBytes: config.FILTER_MAX_BYTES,
      totalTimeoutMs: config.FILTER_TIMEOUT_MS,
      accept: ACCEPTED_TYPES,
    })
    try {
      return await work(async (url) => {
        try {
          return await fetcher.get(url, { signal: new AbortController().signal })
        } catch (error) {
          throw toImageError(error)
        }
      })
    } finally {
      fetcher.close()
    }
  })

// Opens all services with their settings, and closes them again.
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { ROOT } from '../config/root.ts'
import { createBans, createClients, createTokens, readBanOptions } from '../features/access/index.ts'
import { readBackupOptions, scheduleBackups } from '../features/backup/index.ts'
import {
  blocklistSources,
  downloadedListFile,
  openBlocklist,
  scheduleUpdates,
  type UpdateOptions,
  updateBlocklist,
} from '../features/blocklist/index.ts'
import { createArtist, openContent } from '../features/content/index.ts'
import { createGeneratedFiles, createLogFiles, readVersion } from '../features/developer/index.ts'
import {
  createEngine,
  createImages,
  type OnStage,
  planMemory,
  readFetcherOptions,
  withOwnPictures,
} from '../features/images/index.ts'
import { createNotifier } from '../features/notifications/index.ts'
import {
  createPublisher,
  createUploads,
  listGroups,
  openContentSync,
  openPublisher,
  readSyncOptions,
} from '../features/publishing/index.ts'
import { createAdoption, createStatistics, openReleases } from '../features/releases/index.ts'
import { countBuffersAsHeap, createCollector } from '../platform/concurrency/index.ts'
import { lastGoodFoldersIn, readOpenFilesLimit } from '../platform/files/index.ts'
import { type Log, readLogOptions } from '../platform/logging/index.ts'
import { createFetcher, createSourceTurns, type FetcherOptions, LOOP_MARK } from '../platform/net/index.ts'
import {
  createLastStoreCheck,
  type OnStoreCall,
  openDownloadCounter,
  openSharedResultCache,
  openStore,
} from '../platform/store/index.ts'
import { singleProcess, type WorkerContext } from '../platform/workers/index.ts'
import { createSaveProblem, watchContentDisk } from './data-dir.ts'
import { createCloseLater } from './shutdown.ts'

/** More frames would let one animation keep a core busy. */
export const MAX_FRAMES = 500

export type Services = Awaited<ReturnType<typeof openServices>>

interface ServiceWatchers {
  readonly onProgress?: (done: number, total: number) => void
  readonly onStage?: OnStage
  readonly onFailed?: (code: string) => void
  readonly onStoreCall?: OnStoreCall
}

export async function openServices(
  config: Config,
  log: Log,
  watchers: ServiceWatchers = {},
  worker: WorkerContext = singleProcess(),
) {
  countBuffersAsHeap()
  const { CONTENT_DIR, DATA_DIR } = config
  // The workers of a node share its resources.
  const memory = planMemory(config, worker.workerCount)
  const queue = Math.ceil(config.FILTER_QUEUE / worker.workerCount)
  const version = await readVersion(ROOT)
  await using opened = new AsyncDisposableStack()
  const closeLater = createCloseLater(opened)
  const storeOptions = { dataDir: DATA_DIR, log, onCall: watchers.onStoreCall, savesProbe: true }
  const store = closeLater(await openStore(config.STORE_URL, storeOptions))
  const bans = closeLater(createBans(store.bans, store.strikes, { ...readBanOptions(config), log }))
  const counter = closeLater(await openDownloadCounter(store.downloads, { folder: join(DATA_DIR, 'counts'), log }))
  const engine = closeLater(
    createEngine({
      ...memory.engine,
      maxPixels: config.FILTER_MAX_PIXELS,
      maxFrames: MAX_FRAMES,
      decodeTimeoutMs: config.FILTER_TIMEOUT_MS,
      maxQueued: queue,
      log,
    }),
  )
  // Synchronisation and recovery come before the content is read. A read-only folder must not prevent the start.
  const syncOptions = readSyncOptions(config)
  let reload = async (): Promise<unknown> => undefined
  const folders = { contentDir: CONTENT_DIR, dataDir: DATA_DIR }
  const sync =
    worker.isLeader && syncOptions
      ? closeLater(await openContentSync({ ...folders, ...syncOptions }, log, () => void reload()))
      : undefined
  if (worker.isLeader && !sync) {
    const publisher = createPublisher(folders)
    await publisher.recover().catch((error) => log.warn({ err: error }, 'an interrupted change cannot be recovered'))
  }
  const contentDisk = closeLater(watchContentDisk(CONTENT_DIR))
  const lastGoodProblem = createSaveProblem()
  const lastGoodFolder = lastGoodFoldersIn(DATA_DIR, { isWriter: worker.isLeader, log, onSave: lastGoodProblem.onSave })
  const [blocklist, content, releases] = await Promise.all([
    openBlocklist({ sources: blocklistSources(DATA_DIR, CONTENT_DIR, lastGoodFolder), log }),
    openContent({
      dir: CONTENT_DIR,
      cacheFile: join(DATA_DIR, 'pictures.jsonl'),
      writesCache: worker.isLeader,
      lastGoodFolder,
      cacheBytes: memory.pictureCacheBytes,
      artist: createArtist(engine.renderSvg),
      analyseColor: engine.findColor,
      log,
      onProgress: watchers.onProgress,
    }),
    openReleases({
      dir: join(CONTENT_DIR, 'app'),
      log,
      lastGoodFolder: lastGoodFolder('app'),
      title: `${config.APP_NAME}: news`,
    }),
    bans.refresh(),
  ])
  for (const part of [blocklist, content, releases]) closeLater(part)
  // In a shared folder, the system does not report changes by other machines, so everything is reloaded. Otherwise the
  // files are watched, and a reload only makes a release live sooner.
  reload = () =>
    Promise.all((syncOptions?.isShared ? [blocklist, content, releases] : [releases]).map((part) => part.reload()))
  const adoption = closeLater(createAdoption(store.adoption, { releases, log }))

  const userAgent = `Menagerie/${version.version}`
  const sourceTurns = createSourceTurns()
  const listUpdates = worker.isLeader ? startListUpdates(config, { userAgent, sourceTurns }, log) : undefined
  if (listUpdates) closeLater(listUpdates)

  const backups = worker.isLeader
    ? closeLater(scheduleBackups({ ...readBackupOptions(config, store, log), hours: config.BACKUP_HOURS, log }))
    : undefined
  const notifier =
    worker.isLeader && config.NOTIFY_URLS.length > 0
      ? closeLater(createNotifier({ urls: config.NOTIFY_URLS, userAgent, sourceTurns, log }))
      : undefined

  const openFilesLimit = Math.max(OWN_FILES, readOpenFilesLimit() - OWN_FILES)
  const maxOpen = Math.ceil(openFilesLimit * SOURCES_SHARE)
  const fetching = { ...readFetcherOptions(config, blocklist), maxOpen, sourceTurns }
  const fetcher = closeLater(createFetcher({ ...fetching, userAgent, headers: LOOP_MARK }))
  const sharedResults =
    config.FILTER_STORE_CACHE_BYTES > 0
      ? await openSharedResultCache(config.STORE_URL, join(DATA_DIR, 'results'), {
          maxBytes: config.FILTER_STORE_CACHE_BYTES,
          log,
        })
      : undefined
  if (sharedResults) closeLater(sharedResults)
  const images = closeLater(
    createImages({
      fetcher: withOwnPictures(fetcher, content, config.FILTER_MAX_BYTES),
      engine,
      // Results outlive a restart, and an update of a clone changes only the commit.
      version: [version.version, version.commit].join('-'),
      queue: { jobs: memory.jobs, waiting: queue, maxOpen, onIdle: createCollector() },
      sources: { maxBytes: Math.ceil(memory.cacheBytes / 2) },
      budget: { maxHeldBytes: memory.sourceBytes },
      results: { maxBytes: memory.cacheBytes, sharedForMs: config.FILTER_STORE_CACHE_SECONDS * 1000 },
      secondLevelCache: sharedResults,
      log,
      onStage: watchers.onStage,
      onFailed: watchers.onFailed,
    }),
  )

  const uploadDir = join(DATA_DIR, 'uploads')
  const uploads = createUploads(uploadDir, config.UPLOAD_MAX_BYTES)
  const publisher = closeLater(
    openPublisher({ ...folders, uploadDir, uploadMaxBytes: config.UPLOAD_MAX_BYTES, sync: syncOptions }),
  )
  const [clients, tokens] = [createClients(store.clients), createTokens(store.tokens)]
  closeLater(refreshRegularly([clients, tokens]))
  const running = opened.move()
  return {
    version,
    startedAt: worker.startedAt,
    generated: createGeneratedFiles(join(DATA_DIR, 'generated')),
    logs: createLogFiles(readLogOptions(config).dir),
    blocklist,
    updateList: (options: Pick<UpdateOptions, 'source' | 'name' | 'force'>) =>
      updateBlocklist({ ...options, target: downloadedListFile(DATA_DIR), log }),
    entryGroups: () =>
      listGroups(
        { contentDir: CONTENT_DIR, dataDir: DATA_DIR },
        { content: content.entryCounts(), releases: releases.entryCounts(), blocklists: blocklist.entryCounts() },
      ),
    listUpdates,
    lastGoodProblem: lastGoodProblem.message,
    contentDisk,
    notifier,
    backups,
    content,
    engine,
    images,
    memory,
    sharedResults,
    openFilesLimit,
    /** The running and waiting fetches and image processes. */
    pipeline: () => ({ fetches: fetcher.status(), imageProcesses: engine.status() }),
    releases,
    uploads,
    publisher,
    sync,
    store,
    checkLastStore: worker.isLeader ? createLastStoreCheck(store, config.STORE_URL, DATA_DIR) : undefined,
    counter,
    adoption,
    statistics: createStatistics(store),
    clients,
    tokens,
    bans,
    close: () => running.disposeAsync(),
  }
}

/** Open files of the service itself: the store, logs, image processes. */
const OWN_FILES = 64
/** Of the others, for the sources of images that arrive: most take one connection. */
const SOURCES_SHARE = 1 / 8

const REFRESH_INTERVAL_MS = 2000

/** So that this node knows what was revoked, and revokes it again if Redis is restored from an older snapshot. */
function refreshRegularly(parts: readonly { refresh(): Promise<void> }[]) {
  const timer = setInterval(() => parts.forEach((part) => void part.refresh()), REFRESH_INTERVAL_MS).unref()
  return { close: () => clearInterval(timer) }
}

const HOUR_MS = 3_600_000

/** Downloads the blocklist regularly, if the operator configured a URL. */
function startListUpdates(config: Config, fetching: Partial<FetcherOptions>, log: Log) {
  const { BLOCKLIST_URL: source, BLOCKLIST_REFRESH_HOURS: hours, DATA_DIR } = config
  if (source === '' || hours === 0) return undefined
  const target = downloadedListFile(DATA_DIR)
  return scheduleUpdates({ intervalMs: hours * HOUR_MS, target, source, fetching, log })
}

// Keeps the content of all nodes the same. Redis has the published state. Each node has a complete copy in CONTENT_DIR,
// and knows which state its copy has.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../../../config/config.ts'
import { parseStoreUrl } from '../../../config/store-url.ts'
import { PublishError } from '../../../errors/index.ts'
import { type FileEdit, isFolder, type MovedFile, statFile, withLock } from '../../../platform/files/index.ts'
import { silentLog } from '../../../platform/logging/index.ts'
import { openNodeContent, openSharedContent } from '../../../platform/store/index.ts'
import { HISTORY_FOLDER, openHistory } from '../history.ts'
import type { Uploads } from '../uploads.ts'
import { editsFolder, fetchUploads, prepareChange, restoreEdits, shareUpload } from './commit.ts'
import type { Differences, SyncContext, SyncOptions } from './folder.ts'
import { findDifferences, hasLastChange, isSamePosition, listFiles, SyncProblem, withFolderLocks } from './folder.ts'
import { incidents } from './incidents.ts'
import { completeInstall, restore } from './install.ts'
import { catchUp, refill, seed, supplyFiles } from './join.ts'

/** In DATA_DIR. */
const SYNC_FOLDER = 'sync'
/** Nodes that know the content refill an empty Redis first. */
const SEED_DELAY_MS = 2000
const SEED_WAIT_MS = 250
/** Installing many files takes longer than a change. */
const NODE_LOCK_TIMEOUT_MS = 60_000
/** Other nodes may publish meanwhile. */
const MAX_TRIES = 20
const ANNOUNCE_INTERVAL_MS = 2000
const SUPPLY_INTERVAL_MS = 3_600_000

/** Time after which a change of another node must be in a folder that all nodes use, also on a slow network disk. */
const SHARED_FOLDER_DELAY_MS = 10_000

/** How long an incident is reported. */
const REPORTED_MS = 3_600_000

const NOT_SHARED =
  'The last change of another node is not in CONTENT_DIR of this node. With CONTENT_SYNC=shared, all nodes must use one ' +
  'folder: check that its disk is mounted.'

export interface NodeSyncOptions extends SyncOptions {
  readonly storeUrl: string
  readonly contentDir: string
  readonly dataDir: string
  readonly seedDelayMs?: number
  readonly sharedFolderDelayMs?: number
}

/** Undefined: there are no other nodes, or the operator copies the content. */
export function readSyncOptions(config: SyncConfig): Omit<NodeSyncOptions, 'contentDir' | 'dataDir'> | undefined {
  const { STORE_URL: storeUrl, CONTENT_SYNC } = config
  const { CONTENT_SYNC_FILE_BYTES: maxFileBytes, CONTENT_SYNC_BYTES: maxBytes } = config
  if (CONTENT_SYNC === 'off' || parseStoreUrl(storeUrl).kind === 'sqlite') return undefined
  return { storeUrl, isShared: CONTENT_SYNC === 'shared', maxFileBytes, maxBytes }
}

type SyncConfig = Pick<Config, 'STORE_URL' | 'CONTENT_SYNC' | 'CONTENT_SYNC_FILE_BYTES' | 'CONTENT_SYNC_BYTES'>

/** Undefined: the store is not Redis, so there are no other nodes. */
export async function openNodeSync({ storeUrl, ...options }: NodeSyncOptions, log: SyncContext['log'] = silentLog) {
  const shared = await openSharedContent(storeUrl, options.maxFileBytes)
  const history = openHistory(join(options.dataDir, HISTORY_FOLDER))
  return shared && openSync({ ...options, shared, history, log })
}

export type Sync = Awaited<ReturnType<typeof openSync>>

async function openSync({
  dataDir,
  seedDelayMs = SEED_DELAY_MS,
  sharedFolderDelayMs = SHARED_FOLDER_DELAY_MS,
  ...options
}: Omit<SyncContext, 'folder' | 'node'> & Pick<NodeSyncOptions, 'dataDir' | 'seedDelayMs' | 'sharedFolderDelayMs'>) {
  const folder = join(dataDir, SYNC_FOLDER)
  const context: SyncContext = { ...options, folder, node: await openNodeContent(join(folder, 'state.sqlite')) }
  const { node, shared, history, contentDir, isShared } = context
  let emptySince: number | undefined
  let announcedAt: number | undefined
  let suppliedAt: number | undefined
  let lastRequests: number | undefined
  /** When another node made the last change, if it is not in the folder that all nodes use yet. */
  let awaitedSince: number | undefined

  const isFolderEmpty = () => listFiles(contentDir).next().done === true

  /** One process of this node at a time. Take this lock before those of the folders. */
  const withNodeLock = <T>(work: () => Promise<T>) => withLock(folder, false, work, NODE_LOCK_TIMEOUT_MS)

  /** One process of this node publishes edits at a time. Those that were not published are in the folder afterwards. */
  function withEdits<T>(work: () => Promise<T>, timeoutMs?: number): Promise<T> {
    const workAndRestore = async () => {
      await restoreEdits(context)
      try {
        return await work()
      } finally {
        await restoreEdits(context)
      }
    }
    return withLock(join(folder, 'edits'), false, workAndRestore, timeoutMs)
  }

  const mustRecover = async () => node.target() !== undefined || (await history.listPending()).length > 0

  /** Recovers from changes that a killed process left. */
  const recoverNode = () => withNodeLock(() => withFolderLocks(context, () => completeInstall(context)))

  /** `isNode`: this process keeps the node up to date. Returns false if there may be more to do. */
  async function step(isNode: boolean): Promise<boolean> {
    if (await mustRecover()) await recoverNode()
    const announced = isNode ? await announce() : undefined
    // Only a node without published content may begin it.
    const hasFiles = announced !== undefined && !node.position() && !isShared && !isFolderEmpty()
    const { position, requests, nodes, firstNode } = await shared.position(announced, hasFiles)
    if (position && isSamePosition(node.position(), position)) {
      emptySince = undefined
      if (isNode) await supply(requests)
      return true
    }
    if (!position && !node.position() && !isShared) {
      // A single node works as without Redis: the operator may edit its folder with any editor.
      if (nodes <= 1) return true
      emptySince ??= performance.now()
      const emptyMs = performance.now() - emptySince
      // A new node, perhaps with examples, must not replace what the first one has.
      const isFirst = [node.id(), ''].includes(firstNode)
      if (isNode && (emptyMs < seedDelayMs || isFolderEmpty() || !isFirst)) return true
      // The first change waits until a node has published its folder. If all folders are empty, it begins the content.
      if (!isNode && (emptyMs < 2 * seedDelayMs || !isFirst)) {
        await sleep(SEED_WAIT_MS)
        return false
      }
    }
    await withNodeLock(change)
    return false
  }

  const isRecent = (name: string) => Math.abs(Date.now() - node.timeOfIncident(name)) < REPORTED_MS

  async function change(): Promise<void> {
    const local = node.position()
    const { position: remote } = await shared.position()
    const isOlder = remote && local?.lineage === remote.lineage && local.sequence > remote.sequence
    if (local && (!remote || isOlder)) {
      await refill(context, local)
      node.recordIncident('dataLost')
    } else if (!remote) await seed(context)
    else if (!isSamePosition(local, remote)) {
      await catchUp(context, local, remote)
      // Checked at once: an editor may change the file before the next check of the folder.
      const isAwaited = isShared && local && !(await hasLastChange(context).catch(() => false))
      awaitedSince = isAwaited ? performance.now() : undefined
    }
  }

  /** A service would serve old content without anybody noticing. */
  async function checkSharedFolder(): Promise<void> {
    if (awaitedSince === undefined) return
    if (await hasLastChange(context)) awaitedSince = undefined
    else if (performance.now() - awaitedSince > sharedFolderDelayMs) throw new SyncProblem(NOT_SHARED)
  }

  async function announce(): Promise<string | undefined> {
    if (announcedAt !== undefined && performance.now() - announcedAt < ANNOUNCE_INTERVAL_MS) return undefined
    // A node whose data folder is a copy has the id of the original, which must not look like the only node.
    if (announcedAt === undefined) {
      await shared.leave(node.id() ?? '')
      node.renewId()
    }
    announcedAt = performance.now()
    return node.id()
  }

  async function supply(requests: number): Promise<void> {
    const isDue = suppliedAt === undefined || performance.now() - suppliedAt > SUPPLY_INTERVAL_MS
    if (!isDue && requests === lastRequests) return
    await supplyFiles(context)
    suppliedAt = performance.now()
    lastRequests = requests
  }

  /** Until the work returns true. */
  async function repeat(work: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) if (await work()) return
    throw new PublishError(
      'Other nodes publish all the time, or the first node has not published its content yet. Try again.',
    )
  }

  const update = ({ isNode = false } = {}) => repeat(() => step(isNode))

  return {
    /** Returns when this node has the latest state. */
    update,
    /** After a restore: the files in the folder become the content of all nodes, if Redis has none. */
    async begin(): Promise<void> {
      node.clear()
      await withNodeLock(change)
    },
    prepareChange: (edits: readonly FileEdit[], moved: readonly MovedFile[]) => prepareChange(context, edits, moved),
    shareUpload: (uploads: Uploads, sha256: string) => shareUpload(context, uploads, sha256),
    fetchUploads: (uploads: Uploads, digests: readonly string[]) => fetchUploads(context, uploads, digests),
    /** Only one node that shares the folder publishes at a time. */
    async withSharedLock<T>(work: () => Promise<T>): Promise<T> {
      if (!isShared) return work()
      await using lock = await shared.lock()
      if (!lock) throw new PublishError('Another node is publishing. Wait for it.')
      return await work()
    },
    withEdits,
    /** Changes nothing. */
    differences: () => findDifferences(context),
    /** Restores missing files, for example after a lost mount, and returns the differences that there were. */
    async checkFolder(): Promise<Differences> {
      await checkSharedFolder()
      if (isShared || !node.position()) return { edited: [], attached: [], missing: [] }
      // If another process has the lock, it is publishing them.
      if (await isFolder(editsFolder(contentDir))) await withEdits(async () => {}, 0).catch(() => {})
      const differences = await findDifferences(context)
      if (differences.missing.length > 0)
        await withNodeLock(() => restore(context, differences.missing, async (path) => !(await statFile(path))))
      return differences
    },
    /** Replaces edited files by the published ones. Copies stay in DATA_DIR. */
    discard: (files: readonly string[], canReplace = async (_path: string) => true) =>
      repeat(async () => {
        await update()
        return withNodeLock(() => restore(context, files, canReplace))
      }),
    /** Of a published file. Null: it is not published. */
    versionOf: (file: string) => node.file(file)?.version ?? null,
    sequence: () => node.position()?.sequence,
    /** What happened within the last hour, whichever process of this node noticed it. */
    incident: (): string | undefined => {
      const recent = Object.entries(incidents).flatMap(([name, text]) => (isRecent(name) ? [text] : []))
      return recent.length > 0 ? recent.join('; ') : undefined
    },
    async recover(): Promise<void> {
      if (await mustRecover()) await recoverNode()
    },
    async close(): Promise<void> {
      if (announcedAt !== undefined) await shared.leave(node.id() ?? '').catch(() => {})
      node.close()
      await shared.close()
    },
  }
}

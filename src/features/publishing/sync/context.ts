import { join } from 'node:path'
import { PublishError } from '../../../errors/index.ts'
import { withLock } from '../../../platform/files/index.ts'
import type { Log } from '../../../platform/logging/index.ts'
import type { ContentPosition, NodeContent, SharedContent } from '../../../platform/store/index.ts'
import { APP_PREFIX, type History } from '../history.ts'
import { recover } from '../recover.ts'

export interface SyncOptions {
  /** All nodes use one folder, so only changes are announced. */
  readonly isShared: boolean
  /** Larger files are not synchronised. */
  readonly maxFileBytes: number
  /** Maximum bytes of all files together. */
  readonly maxBytes: number
}

export interface SyncContext extends SyncOptions {
  readonly contentDir: string
  /** In DATA_DIR. */
  readonly folder: string
  readonly shared: SharedContent
  readonly node: NodeContent
  readonly history: History
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** The content cannot be shared. */
export class SyncProblem extends PublishError {}

/** Another publisher was faster: the change must be made again with the new files. */
export class Outdated extends Error {}

export const isSamePosition = (a: ContentPosition | undefined, b: ContentPosition | undefined) =>
  a?.lineage === b?.lineage && a?.sequence === b?.sequence && a?.head === b?.head

/** Uploads and replaced files take at most this part of the bytes of all files. */
const UNUSED_DIVISOR = 4

/** Sends a file to Redis. Files that were sent before and are not published are removed if there are many. */
export async function putFile({ node, shared, maxBytes }: SyncContext, version: string, bytes: Buffer): Promise<void> {
  const old = await shared.put(version, bytes, maxBytes / UNUSED_DIVISOR)
  if (old.length > 0) await shared.remove(node.listUnused(old))
}

/** No process of this node publishes meanwhile. Changes that a killed process left are recovered first. */
export const withFolderLocks = <T>({ contentDir, history }: SyncContext, work: () => Promise<T>): Promise<T> =>
  withLock(contentDir, false, () =>
    withLock(join(contentDir, APP_PREFIX), false, async () => {
      await recover(history, contentDir, true)
      await recover(history, contentDir, false)
      return work()
    }),
  )

import { hash } from 'node:crypto'
import { readdirSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PublishError } from '../../../errors/index.ts'
import { computeSha256, isMissing, isPlainName, readRegularFile, withLock } from '../../../platform/files/index.ts'
import type { Log } from '../../../platform/logging/index.ts'
import type { ContentPosition, KnownFile, NodeContent, SharedContent } from '../../../platform/store/index.ts'
import { ATTACHED_PREFIX, isPublishedFile } from '../editors.ts'
import { APP_PREFIX, type History, recover } from '../history.ts'
import { parseEntry } from '../history-entry.ts'

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

/**
 * For logs and `/readyz`, which are public: the name of a file may be that of a scheduled release, or of news that are not
 * published yet.
 */
export const namePublicly = (file: string): string =>
  file.startsWith(APP_PREFIX) && file.slice(APP_PREFIX.length).includes('/') ? `a file in ${dirname(file)}` : file

/** The content cannot be shared. The message is public. */
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

// The files in CONTENT_DIR, and how they differ from the published content.

const MAX_READ_BYTES = 1024 * 1024
/** A link may lead back to a folder above it. */
const MAX_DEPTH = 8

/** The files that are published. Synchronous calls take a fifth of the time, and no request waits for this thread. */
export function* listFiles(dir: string, prefix = '', depth = 0): Generator<Omit<KnownFile, 'version'>> {
  for (const name of readNames(join(dir, prefix))) {
    const file = prefix + name
    const stats = isPlainName(file) ? statSync(join(dir, file), { throwIfNoEntry: false }) : undefined
    if (stats?.isDirectory() && depth < MAX_DEPTH) yield* listFiles(dir, `${file}/`, depth + 1)
    if (stats?.isFile() && isPublishedFile(file)) yield { file, size: stats.size, mtime: stats.mtimeMs }
  }
}

export function readNames(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** The base64url of its SHA-256, as `versionOf` computes it. Null: there is no file. */
export async function computeVersion(path: string): Promise<string | null> {
  try {
    // Reading a small file at once takes a fifth of the time.
    const isSmall = (await stat(path)).size <= MAX_READ_BYTES
    return isSmall ? hash('sha256', await readRegularFile(path), 'base64url') : await computeSha256(path, 'base64url')
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Undefined: there is no such file. */
export async function readKnownFile(dir: string, file: string): Promise<KnownFile | undefined> {
  const path = join(dir, file)
  const stats = await stat(path).catch(() => undefined)
  const version = stats?.isFile() ? await computeVersion(path) : null
  return version === null ? undefined : { file, version, size: stats!.size, mtime: stats!.mtimeMs }
}

export interface Differences {
  /** Edited or added in the folder of this node. */
  readonly edited: string[]
  /** Files of releases that no other node has. They have an effect only if a release names them. */
  readonly attached: string[]
  readonly missing: string[]
}

/** Only files whose size or time has changed are read. */
export async function findDifferences({ contentDir, node, maxFileBytes }: SyncContext): Promise<Differences> {
  const seen = new Set<string>()
  const [edited, attached]: string[][] = [[], []]
  for (const { file, size, mtime } of listFiles(contentDir)) {
    seen.add(file)
    const known = node.file(file)
    // Such a file cannot be published through Redis; it belongs to this node.
    if (!known && size > maxFileBytes) continue
    if (known?.size === size && known.mtime === mtime) continue
    const found = known && (await readKnownFile(contentDir, file))
    if (!known && file.startsWith(ATTACHED_PREFIX)) attached!.push(file)
    else if (!found || found.version !== known.version) edited!.push(file)
    else node.put([found])
  }
  const missing = [...node.files()].map(({ file }) => file).filter((file) => !seen.has(file))
  return { edited: edited!, attached: attached!, missing }
}

/** Whether the folder has a file as the last change left it. True also if it is not known what that change was. */
export async function hasLastChange({ contentDir, node, history }: SyncContext): Promise<boolean> {
  const entry = parseEntry((await history.readText(node.position()?.sequence ?? 0)) ?? '')
  for (const { file, after } of entry?.files ?? [])
    if ((await computeVersion(join(contentDir, file))) === after) return true
  return entry === undefined
}

// Publishes a change of this node to all nodes, before the files of this node are written.
import { randomUUID } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { formatPublicProgramCall } from '../../../config/program-call.ts'
import { ROOT } from '../../../config/root.ts'
import { PublishError } from '../../../errors/index.ts'
import { type FileEdit, type MovedFile, writeAtomically } from '../../../platform/files/index.ts'
import type { ContentPosition, KnownFile } from '../../../platform/store/index.ts'
import { type AttachedFile, versionOf } from '../history-entry.ts'
import type { Uploads } from '../uploads.ts'
import { isSamePosition, Outdated, putFile, type SyncContext } from './context.ts'
import { computeVersion, readKnownFile } from './folder.ts'

interface PublishedFile {
  readonly file: string
  readonly version: string | null
  readonly size: number
}

/**
 * Names are relative to CONTENT_DIR. Undefined: there are no other nodes yet. Throws `Outdated` if this node does not have
 * the latest state.
 */
export async function prepareChange(context: SyncContext, edits: readonly FileEdit[], moved: readonly MovedFile[]) {
  const { node, shared, isShared } = context
  const position = node.position()
  const { position: published } = await shared.position()
  if (!position && !published && !isShared) return undefined
  if (!position || !isSamePosition(position, published)) throw new Outdated()
  const files: PublishedFile[] = []
  const attached: AttachedFile[] = []
  for (const { from, file } of isShared ? [] : moved) {
    const { size } = await stat(from)
    assertSize(context, file, size)
    const version = (await computeVersion(from))!
    await putFile(context, version, await readFile(from))
    files.push({ file, version, size })
    attached.push({ file, version })
  }
  for (const { file, before, after } of isShared ? [] : edits) {
    if ((node.file(file)?.version ?? null) !== versionOf(before)) throw new PublishError(describeEdits([file]))
    const bytes = after === null ? null : Buffer.from(after)
    assertSize(context, file, bytes?.length ?? 0)
    if (bytes) await putFile(context, versionOf(bytes)!, bytes)
    files.push({ file, version: versionOf(bytes), size: bytes?.length ?? 0 })
  }
  return { id: position.sequence + 1, attached, publish: (entry: string) => publish(context, position, files, entry) }
}

async function publish(
  context: SyncContext,
  position: ContentPosition,
  files: readonly PublishedFile[],
  entry: string,
) {
  const { node, shared, maxBytes, contentDir } = context
  const nextHead = randomUUID()
  const result = await shared.commit(position, entry, { nextHead, maxBytes, files })
  if (result.outcome === 'conflict') throw new Outdated()
  if (result.outcome === 'full') throw new PublishError(`${describeFull(result.bytes, maxBytes)} Nothing was changed.`)
  return {
    /** Call it when the files of this node are written. */
    async advance(): Promise<void> {
      const next = { ...position, sequence: position.sequence + 1, head: nextHead }
      const changed: KnownFile[] = []
      for (const { file, version } of files) {
        const known = version === null ? undefined : await readKnownFile(contentDir, file)
        if (version !== null) changed.push(known?.version === version ? known : { file, version, size: 0, mtime: 0 })
      }
      const removed = files.flatMap(({ file, version }) => (version === null ? [file] : []))
      node.advance(next, changed, removed)
    },
  }
}

const formatCommand = (words: string) => `${formatPublicProgramCall(ROOT, process.cwd())} ${words}`

export const describeEdits = (files: readonly string[]) =>
  `${files.slice(0, 3).join(', ')}${files.length > 3 ? ` and ${files.length - 3} more files` : ''} ` +
  `${files.length === 1 ? 'was' : 'were'} edited in the folder of this node, so other nodes have other content. ` +
  `Run "${formatCommand('content edits --publish')}" to publish the edit, or ` +
  `"${formatCommand('content edits --discard')}" to discard it.`

export const describeFull = (bytes: number, maxBytes: number) =>
  `The content has ${bytes} bytes, but at most ${maxBytes} are synchronised through Redis (CONTENT_SYNC_BYTES). ` +
  'Use one folder for all nodes, with CONTENT_SYNC=shared.'

function assertSize({ maxFileBytes }: SyncContext, file: string, size: number): void {
  if (size <= maxFileBytes) return
  throw new PublishError(
    `${file} has ${size} bytes, but only files of at most ${maxFileBytes} bytes are synchronised through Redis ` +
      '(CONTENT_SYNC_FILE_BYTES). Publish it by URL, or use one folder for all nodes, with CONTENT_SYNC=shared.',
  )
}

// Complete uploads, for the node that gets the change that uses them.

const toVersion = (sha256: string) => Buffer.from(sha256, 'hex').toString('base64url')

/** Larger files are refused with the change. If Redis is unavailable, the upload stays on this node. */
export async function shareUpload(context: SyncContext, uploads: Uploads, sha256: string) {
  const path = uploads.pathOf(sha256)
  const { size } = await stat(path)
  if (!context.node.position() || size > context.maxFileBytes) return
  await putFile(context, toVersion(sha256), await readFile(path)).catch(() => {})
}

export async function fetchUploads({ node, shared }: SyncContext, uploads: Uploads, digests: readonly string[]) {
  for (const sha256 of digests) {
    if (!node.position() || !/^[0-9a-f]{64}$/.test(sha256) || (await uploads.find(sha256))?.complete) continue
    const bytes = await shared.get(toVersion(sha256)).catch(() => undefined)
    if (bytes && versionOf(bytes) === toVersion(sha256)) await writeAtomically(uploads.pathOf(sha256), bytes)
  }
}

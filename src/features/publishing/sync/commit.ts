// Publishes a change of this node to all nodes, before the files of this node are written.
import { randomUUID } from 'node:crypto'
import { chmod, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { formatPublicProgramCall, ROOT } from '../../../config/root.ts'
import { PublishError } from '../../../errors/index.ts'
import {
  copyContent,
  type FileEdit,
  giveTo,
  type MovedFile,
  makeFolder,
  writeAtomically,
} from '../../../platform/files/index.ts'
import type { ContentPosition, KnownFile } from '../../../platform/store/index.ts'
import { isPicture } from '../../content/index.ts'
import { ATTACHED_PREFIX, findEditor } from '../editors.ts'
import { APP_PREFIX, HISTORY_FOLDER, openHistory } from '../history.ts'
import { type AttachedFile, versionOf } from '../history-entry.ts'
import { createRecorder } from '../record.ts'
import type { Uploads } from '../uploads.ts'
import {
  computeVersion,
  isSamePosition,
  listFiles,
  Outdated,
  putFile,
  readKnownFile,
  readNames,
  type SyncContext,
} from './folder.ts'
import { keepEdit, moveFile } from './install.ts'
import type { Sync } from './sync.ts'

type PublishedFile = { readonly file: string; readonly version: string | null; readonly size: number }

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

// Publishes what was edited in the folder of this node with an editor.

interface EditsOptions {
  readonly contentDir: string
  readonly dataDir: string
  readonly sync: Sync
  readonly by: string
}

/** Where edits are while they are published: on the disk of the content, so that files of releases can be moved. */
export const editsFolder = (contentDir: string) => join(contentDir, APP_PREFIX, '.incoming/edits')

/**
 * Puts edits back that could not be published, also if the process was killed. If somebody changed the file meanwhile, the
 * edit is kept as a copy: published later, it would undo that change. Call it with the lock of the edits.
 */
export async function restoreEdits(context: SyncContext): Promise<void> {
  const { contentDir, node } = context
  const copies = editsFolder(contentDir)
  for (const base of readNames(copies)) {
    for (const { file } of listFiles(join(copies, base))) {
      const [copy, path] = [join(copies, base, file), join(contentDir, file)]
      const published = node.file(file)?.version ?? null
      const [version, current] = [await computeVersion(copy), await computeVersion(path)]
      if (version === published || version === current) continue
      if (current !== published || base !== nameBase(published)) await keepEdit(context, file, copy)
      else if (!(await moveFile(copy, path))) await writeAtomically(path, await readFile(copy))
    }
  }
  await rm(copies, { recursive: true, force: true })
}

/** The folder for edits of files that have this version. */
const nameBase = (version: string | null) => version ?? 'unpublished'

/**
 * First restores the published files, then makes the edits again as changes with the usual checks, so that they are in
 * the history. If one is refused, the edits are in the folder again as they were. Returns the names of the files.
 */
export const publishEdits = ({ contentDir, dataDir, sync, by }: EditsOptions): Promise<string[]> =>
  sync.withEdits(async () => {
    await sync.update()
    const { edited, attached } = await sync.checkFolder()
    const hasReleases = edited.some((file) => file.startsWith(APP_PREFIX))
    const files = hasReleases ? [...attached, ...edited] : edited
    const bases = new Map(files.map((file) => [file, nameBase(sync.versionOf(file))]))
    const copies = editsFolder(contentDir)
    const copyOf = (file: string, folder = copies) => join(folder, bases.get(file) ?? '', file)
    const incomplete = `${copies}-incomplete`
    await rm(incomplete, { recursive: true, force: true })
    for (const file of files) {
      const copy = copyOf(file, incomplete)
      await makeFolder(dirname(copy))
      const edit = join(contentDir, file)
      await copyContent(edit, copy)
      await chmod(copy, (await stat(edit)).mode & 0o777)
      await giveTo(edit, copy)
    }
    if (files.length > 0) await rename(incomplete, copies)
    // Somebody may save a file again.
    const isCopied = async (path: string) =>
      (await computeVersion(path)) === (await computeVersion(copyOf(relative(contentDir, path))))
    await sync.discard(files, isCopied)
    const history = openHistory(join(dataDir, HISTORY_FOLDER))
    const record = createRecorder({ history, contentDir, sync })
    for (const group of Map.groupBy(files, (file) => findEditor(contentDir, file).prefix).values()) {
      const { dir, edit, isApp, nameOf } = findEditor(contentDir, group[0]!)
      const about = { change: 'content edits', subject: group.length === 1 ? group[0]! : `${group.length} files` }
      await record(about, isApp, { by }, (options) =>
        edit(dir, options, async ({ write, move }) => {
          for (const file of group) {
            const name = nameOf(file)
            if (nameBase(sync.versionOf(file)) !== bases.get(file)) throw new PublishError(describeOvertaken(file))
            if (file.startsWith(ATTACHED_PREFIX)) move({ from: copyOf(file), file: name })
            else await write(name, await readFile(copyOf(file), isPicture(file) ? null : 'utf8'))
          }
        }),
      )
    }
    return files
  })

const describeOvertaken = (file: string) =>
  `${file} was changed on another node at the same time. Your edit of it is in DATA_DIR/sync/replaced.`

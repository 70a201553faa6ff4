// Writes published files into CONTENT_DIR: all of them or none, even if the process is killed. They are fetched first,
// and the steps are recorded before the first one is made, so that the next start completes them.
import { chmod, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { succeeds } from '../../../platform/concurrency/index.ts'
import {
  copyContent,
  type FileEdit,
  giveTo,
  isPlainName,
  makeFolder,
  readOptionalFile,
  writeAtomically,
} from '../../../platform/files/index.ts'
import type { ContentPosition, InstallStep, KnownFile } from '../../../platform/store/index.ts'
import { isPicture } from '../../content/index.ts'
import { ATTACHED_PREFIX, findEditor } from '../editors.ts'
import { APP_PREFIX, limitFolder, MAX_KEPT_BYTES } from '../history.ts'
import { isVersion, versionOf } from '../history-entry.ts'
import type { SyncContext } from './folder.ts'
import { computeVersion, isSamePosition, namePublicly, readKnownFile, SyncProblem, withFolderLocks } from './folder.ts'

/** At most 64 MiB in memory with the default size of files. */
const CONCURRENT_FILES = 8
/** Pictures that are kept together, because the folder is listed each time. */
const KEPT_CHUNK = 32

/** A step, and the file that it has to replace. */
type ChangedFile = InstallStep & { readonly current: KnownFile | undefined }

const stagedPath = ({ folder }: SyncContext, version: string) => join(folder, 'incoming', version)

/** Files of releases come before the releases that name them, credits before their pictures, and removals last. */
function rankOf({ file, version }: InstallStep): number {
  if (version === null) return 4
  if (file.startsWith(ATTACHED_PREFIX)) return 0
  if (basename(file) === 'credits.yaml') return 1
  return `${dirname(file)}/` === APP_PREFIX ? 3 : 2
}

/** Works on a few files at a time. */
export async function forEachFile<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += CONCURRENT_FILES)
    await Promise.all(items.slice(start, start + CONCURRENT_FILES).map(work))
}

/** Fetches the bytes of a file that is not there yet. */
async function stageFile(context: SyncContext, { file, version }: InstallStep): Promise<void> {
  const { contentDir, shared, maxFileBytes } = context
  if (version !== null && !isVersion(version))
    throw new SyncProblem(`Redis holds an invalid version of ${namePublicly(file)}.`)
  if (version === null || (await stat(stagedPath(context, version)).catch(() => undefined))) return
  if ((await computeVersion(join(contentDir, file))) === version) return
  const bytes = await shared.get(version)
  if (bytes && bytes.length > maxFileBytes)
    throw new SyncProblem(`${namePublicly(file)} has more than ${maxFileBytes} bytes (CONTENT_SYNC_FILE_BYTES).`)
  if (versionOf(bytes ?? null) !== version) {
    // Otherwise damaged bytes would count as present.
    if (bytes) await shared.remove([version])
    await shared.requestFiles()
    throw new SyncProblem(
      `${namePublicly(file)} is missing in Redis. It is installed when another node has supplied it.`,
    )
  }
  await writeAtomically(stagedPath(context, version), bytes!)
}

/**
 * A name that is file and folder at once, or a pipe here, can never be installed: a node that began it would not take
 * later changes.
 */
async function refuseImpossibleNames({ contentDir }: SyncContext, steps: readonly InstallStep[]): Promise<void> {
  const files = new Set(steps.filter(({ version }) => version !== null).map(({ file }) => file))
  const folders = new Set<string>()
  for (const file of files)
    for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) folders.add(folder)
  const statOf = (name: string) => stat(join(contentDir, name)).catch(() => undefined)
  for (const folder of folders) {
    const name = namePublicly(folder)
    if (files.has(folder)) throw new SyncProblem(`Redis holds ${name} as a file and as a folder.`)
    if ((await statOf(folder))?.isFile())
      throw new SyncProblem(`${name} is a folder on the other nodes, but a file in CONTENT_DIR. Remove it.`)
  }
  for (const file of files) {
    const found = await statOf(file)
    if (!found || found.isFile()) continue
    const what = found.isDirectory()
      ? 'is a folder in CONTENT_DIR, but not on the other nodes'
      : 'is not a regular file'
    throw new SyncProblem(`${namePublicly(file)} ${what}. Remove it.`)
  }
}

/** Returns false if another process has changed the position meanwhile. `confirm` returns the steps that are left. */
export async function install(
  context: SyncContext,
  target: ContentPosition,
  steps: readonly InstallStep[],
  confirm = async () => steps,
): Promise<boolean> {
  const { node } = context
  const before = node.position()
  // Names are checked first, before any of them is used as a path.
  for (const { file } of steps)
    if (!isPlainName(file)) throw new SyncProblem(`Redis holds a file with an invalid name: ${JSON.stringify(file)}.`)
  await refuseImpossibleNames(context, steps)
  await forEachFile(steps, (step) => stageFile(context, step))
  return withFolderLocks(context, async () => {
    if (!isSamePosition(node.position(), before)) return false
    node.beginInstall(target, await confirm())
    await completeInstall(context)
    return true
  })
}

/** Restores published files of this node. Returns false if it does not have the latest state. */
export async function restore(
  context: SyncContext,
  files: readonly string[],
  canRestore: (path: string) => Promise<boolean>,
): Promise<boolean> {
  const { contentDir, node, shared } = context
  const position = node.position()
  if (!position || files.length === 0) return true
  const steps = files.map((file) => ({ file, version: node.file(file)?.version ?? null }))
  let isLatest = true
  const isInstalled = await install(context, position, steps, async () => {
    // Otherwise a process of this node has just published a change, and has not recorded it yet.
    isLatest = isSamePosition((await shared.position()).position, position)
    if (!isLatest) return []
    const isLeft = await Promise.all(steps.map(({ file }) => canRestore(join(contentDir, file))))
    return steps.filter((_, index) => isLeft[index])
  })
  return isInstalled && isLatest
}

/** Call it under the locks of the folders, also at the start. */
export async function completeInstall(context: SyncContext): Promise<void> {
  const { contentDir, node, folder } = context
  if (!node.target()) return
  const steps = node.steps().sort((a, b) => rankOf(a) - rankOf(b))
  const changed: ChangedFile[] = []
  const installed: KnownFile[] = []
  for (const step of steps) {
    const current = await readKnownFile(contentDir, step.file)
    if ((current?.version ?? null) !== step.version) changed.push({ ...step, current })
    else if (current) installed.push(current)
  }
  const staged = new Map<string, { size: number; mtime: number; uses: number }>()
  for (const { version } of changed) {
    if (version === null) continue
    const stats = await stat(stagedPath(context, version)).catch(() => undefined)
    // Somebody removed the fetched files: they are fetched again.
    if (!stats) return node.cancelInstall()
    staged.set(version, { size: stats.size, mtime: stats.mtimeMs, uses: (staged.get(version)?.uses ?? 0) + 1 })
  }
  await keepPictures(context, changed)
  await acceptRemoved(context, changed)
  for (const { file, version, current } of changed) {
    const path = join(contentDir, file)
    const now = await stat(path).catch(() => undefined)
    const isEdited = current?.version !== node.file(file)?.version || now?.mtimeMs !== current?.mtime
    if (now && isEdited) await keepEdit(context, file)
    if (version === null) {
      await rm(path, { force: true })
      continue
    }
    const { uses, ...stamp } = staged.get(version)!
    staged.set(version, { ...stamp, uses: uses - 1 })
    const isMoved = uses === 1 && (await moveFile(stagedPath(context, version), path))
    if (!isMoved) await writeAtomically(path, await readFile(stagedPath(context, version)))
    // The time of a copy is not known: the next check reads the file.
    installed.push({ file, version, ...stamp, ...(!isMoved && { mtime: 0 }) })
  }
  node.endInstall(installed)
  await rm(join(folder, 'incoming'), { recursive: true, force: true })
}

/** False: it is on another disk. */
export async function moveFile(from: string, to: string): Promise<boolean> {
  await makeFolder(dirname(to))
  const before = await stat(to).catch(() => undefined)
  if (before) {
    await chmod(from, before.mode & 0o777)
    await giveTo(to, from)
  }
  return succeeds(rename(from, to))
}

/** The history of this node can restore them, as on the node that removed them. */
async function keepPictures({ contentDir, history }: SyncContext, changed: readonly ChangedFile[]): Promise<void> {
  const pictures = changed.filter(({ file, current }) => current && isPicture(file))
  for (let start = 0; start < pictures.length; start += KEPT_CHUNK) {
    const edits = pictures.slice(start, start + KEPT_CHUNK).map(async ({ file }) => {
      return { file, before: await readOptionalFile(contentDir, file), after: null }
    })
    await history.keep(await Promise.all(edits))
  }
}

/** Entries were removed on purpose: the service must not take it for a fault. */
async function acceptRemoved(context: SyncContext, changed: readonly ChangedFile[]): Promise<void> {
  const others = changed.filter(({ file }) => !file.startsWith(ATTACHED_PREFIX))
  for (const group of Map.groupBy(others, ({ file }) => findEditor(context.contentDir, file).prefix).values()) {
    const { accept, dir } = findEditor(context.contentDir, group[0]!.file)
    await accept(dir, await Array.fromAsync(group, (step) => describeEdit(context, step)))
  }
}

/** Stands for the content of a picture: pictures are counted, not read. */
const PRESENT = Buffer.alloc(0)

async function describeEdit(context: SyncContext, { file, version, current }: ChangedFile): Promise<FileEdit> {
  const name = findEditor(context.contentDir, file).nameOf(file)
  const toPicture = (exists: boolean) => (exists ? PRESENT : null)
  if (isPicture(file)) return { file: name, before: toPicture(!!current), after: toPicture(version !== null) }
  const before = current ? await readOptionalFile(context.contentDir, file) : null
  const after = version === null ? null : await readFile(stagedPath(context, version))
  return { file: name, before: before && String(before), after: after && String(after) }
}

/** With sequence and version it fits into 255 bytes, whatever characters it has. */
const MAX_COPY_NAME = 64

/** Keeps a copy of a file that was edited in the folder of this node, before it is replaced. */
export async function keepEdit(context: SyncContext, file: string, path = join(context.contentDir, file)) {
  const { folder, log, node } = context
  const copies = join(folder, 'replaced')
  const sequence = (node.target() ?? node.position())?.sequence
  await makeFolder(copies)
  // With the version, no copy replaces another one.
  const version = (await computeVersion(path))?.slice(0, 8)
  const name = `${sequence}-${version}-${file.replaceAll('/', '_').slice(-MAX_COPY_NAME)}`
  await copyContent(path, join(copies, name))
  await limitFolder(copies, MAX_KEPT_BYTES)
  const fields = { file: namePublicly(file), copies, sequence }
  log.warn(fields, 'a file that was edited in the folder of this node is replaced by the published one')
  // The position stays the same if an operator discards the edit.
  if (!isSamePosition(node.position(), node.target())) node.recordIncident('filesReplaced')
}

// Changes several files of the operator together: one publisher at a time, validated before the first one is written.
import { isUtf8 } from 'node:buffer'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync, unlinkSync } from 'node:fs'
import { rename, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { diff } from 'node:util'
import { PublishError } from '../../errors/index.ts'
import { isMissing } from './file-changes.ts'
import { withLock } from './lock-file.ts'
import { nameTemporary, prepareFile, readRegularFile, removeOldTemporaryFiles } from './safe-files.ts'

const DIFF_CONTEXT_LINES = 2
/** The time to compare grows with their square: 1,000 take about 15 ms. */
const MAX_COMPARED_LINES = 1000

/** Text, the bytes of a picture, or null if the file does not exist. */
export type FileContent = string | Buffer | null

/** A file before and after a change. Names are relative to the folder. */
export interface FileEdit {
  readonly file: string
  readonly before: FileContent
  readonly after: FileContent
}

/** A complete file that becomes a file of the folder, before the edits are written. */
export interface MovedFile {
  /** Its path now, on the same disk. */
  readonly from: string
  /** Relative to the folder. */
  readonly file: string
}

export interface EditOptions {
  /** Checks everything and changes nothing. */
  readonly dryRun?: boolean | undefined
  /** Called under the lock, before any file is read. */
  readonly onLock?: (() => Promise<void>) | undefined
  /** Called when all edits are valid, before the first one is written. If it rejects, nothing is changed. */
  readonly onEdit?: ((edits: readonly FileEdit[], moved: readonly MovedFile[]) => Promise<void>) | undefined
}

export interface Change {
  /** Relative to the folder. With several files, the last one. */
  readonly file: string
  /** Removed lines start with "-", added lines with "+". Empty: nothing changed. */
  readonly diff: string
  /** Files that were lost or damaged and are restored as published. They are not part of the diff. */
  readonly repaired?: readonly string[]
}

export interface EditedFiles {
  read(file: string): Promise<string | null>
  readBytes(file: string): Promise<Buffer | null>
  /** Null removes the file. Files are written in the order of these calls. */
  write(file: string, content: FileContent): Promise<void>
  /** For files that are too large to be read. A dry run does not move them. */
  move(file: MovedFile): void
}

interface EditRules {
  /** Whether the file is text. Default: always. */
  isText?(file: string): boolean
  /** Throws if the service would refuse one of the files. */
  check(edits: readonly FileEdit[]): Promise<void> | void
  /** Whether a folder is removed with its last file. */
  isTemporary?(folder: string): boolean
  /** Called right before the files are written. */
  prepare(edits: readonly FileEdit[]): Promise<void>
}

/** Collects edits under the lock of the folder, checks them, and writes them. */
export const editFolder = <T extends object>(
  dir: string,
  { dryRun, onLock, onEdit }: EditOptions,
  { isText = () => true, isTemporary = () => false, check, prepare }: EditRules,
  work: (files: EditedFiles) => Promise<T | undefined>,
): Promise<Change & T> =>
  withLock(dir, dryRun, async () => {
    if (!dryRun) await onLock?.()
    const collected = new Map<string, FileEdit>()
    const moved: MovedFile[] = []
    const toContent = (file: string, bytes: Buffer | null) => (bytes && isText(file) ? bytes.toString() : bytes)
    const readOriginal = async (file: string): Promise<FileContent> => {
      const bytes = await readOptionalFile(dir, file)
      // Other characters would be lost, also for an undo.
      if (bytes && isText(file) && !isUtf8(bytes))
        throw new PublishError(`${file} is not UTF-8. Save it as UTF-8 first.`)
      return toContent(file, bytes)
    }
    /** An editor may have saved a file since it was read. */
    const assertUnedited = (file: string, isUnedited: boolean) => {
      if (!isUnedited) throw new PublishError(`${file} was edited at the same time. Try again.`)
    }
    /** What the change is based on: the first read of each file. */
    const originals = new Map<string, FileContent>()
    const readOnce = async (file: string) => {
      if (!originals.has(file)) originals.set(file, await readOriginal(file))
      return originals.get(file)!
    }
    const read = async (file: string) => (collected.has(file) ? collected.get(file)!.after : readOnce(file))
    const result = await work({
      read: read as EditedFiles['read'],
      readBytes: read as EditedFiles['readBytes'],
      async write(file, after) {
        collected.set(file, { file, before: await readOnce(file), after })
      },
      move: (file) => moved.push(file),
    })
    const edits = [...collected.values()].filter(({ before, after }) => !isSame(before, after))
    await check(edits)
    const folders = dryRun ? [] : new Set(edits.map(({ file }) => dirname(file)))
    for (const folder of folders) await removeOldTemporaryFiles(join(dir, folder))
    // Written before anything is changed: the disk may be full.
    const prepared = new Map<string, Awaited<ReturnType<typeof prepareFile>>>()
    try {
      for (const { file, after } of dryRun ? [] : edits)
        if (after !== null) prepared.set(file, await prepareFile(join(dir, file), after))
      for (const { file, before } of edits) assertUnedited(file, isSame(await readOriginal(file), before))
      await onEdit?.(edits, moved)
      if (!dryRun) {
        for (const { from, file } of moved) await rename(from, join(dir, file))
        await prepare(edits)
        for (const { file, before } of edits) {
          const { file: path, temporary } = prepared.get(file) ?? { file: join(dir, file), temporary: null }
          const isBefore = (bytes: Buffer | null) => isSame(toContent(file, bytes), before)
          assertUnedited(file, replaceUnedited(path, temporary, isBefore))
        }
      }
    } catch (error) {
      for (const file of prepared.values()) await file.discard()
      throw error
    } finally {
      // A folder may have other files.
      for (const folder of folders) if (isTemporary(folder)) await rmdir(join(dir, folder)).catch(() => {})
    }
    return { file: [...collected.keys()].at(-1) ?? '', diff: edits.map(describeEdit).join('\n'), ...(result as T) }
  })

/**
 * Renames `from` to the file, or removes the file, unless an editor has saved it since it was read: then it returns false,
 * and the file is as the editor left it. Synchronous: microseconds are left between the last check and the rename. An
 * editor that writes to the file itself is noticed afterwards, too, because a second link keeps what was replaced.
 * `isUnedited` gets null if there is no file.
 */
export function replaceUnedited(
  file: string,
  from: string | null,
  isUnedited: (bytes: Buffer | null) => boolean,
): boolean {
  const link = nameTemporary(file)
  const inodeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino
  const read = (path: string) => (existsSync(path) ? readFileSync(path) : null)
  try {
    if (existsSync(file)) linkSync(file, link)
  } catch {
    // The file system has no links, or another user owns the file.
  }
  try {
    const inode = inodeOf(link)
    if (!isUnedited(read(inode ? link : file)) || (inode && inodeOf(file) !== inode)) return false
    if (from === null) unlinkSync(file)
    else renameSync(from, file)
    if (!inode || isUnedited(read(link))) return true
    renameSync(link, file)
    return false
  } finally {
    rmSync(link, { force: true })
  }
}

const isSame = (a: FileContent, b: FileContent) => a === b || (Buffer.isBuffer(a) && Buffer.isBuffer(b) && a.equals(b))

/** Null: it does not exist. */
export async function readOptionalFile(dir: string, file: string): Promise<Buffer | null> {
  try {
    return await readRegularFile(join(dir, file))
  } catch (error) {
    if (isMissing(error)) return null
    throw new PublishError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

function describeEdit({ file, before, after }: FileEdit): string {
  const binary = [before, after].find((content) => Buffer.isBuffer(content))
  if (binary) return `${after === null ? '-' : '+'}${file} (${binary.length} bytes)`
  return diffLines((before as string | null) ?? '', (after as string | null) ?? '')
}

/** The number of equal lines at the start and at the end. */
export function compareLines(before: readonly string[], after: readonly string[]) {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  return { head, tail }
}

/** The changed lines with context. " …" stands for unchanged lines between them. */
function diffLines(before: string, after: string): string {
  const [oldLines, newLines] = [before.split('\n'), after.split('\n')]
  const { head, tail } = compareLines(oldLines, newLines)
  const cutEnds = (lines: string[]) => lines.slice(head, lines.length - tail)
  const [removed, added] = [cutEnds(oldLines), cutEnds(newLines)]
  const withPrefix = (prefix: string, lines: readonly string[]) => lines.map((line) => `${prefix}${line}`)
  const oldEnd = oldLines.length - tail
  return [
    ...withPrefix(' ', oldLines.slice(Math.max(0, head - DIFF_CONTEXT_LINES), head)),
    ...(removed.length + added.length > MAX_COMPARED_LINES
      ? [...withPrefix('-', removed), ...withPrefix('+', added)]
      : compareInside(removed, added)),
    ...withPrefix(' ', oldLines.slice(oldEnd, oldEnd + DIFF_CONTEXT_LINES)),
  ]
    .join('\n')
    .trimEnd()
}

/** The first and the last lines differ. */
function compareInside(before: string[], after: string[]): string[] {
  const lines = diff(before, after).map(
    ([operation, line]) => `${operation === 0 ? ' ' : operation > 0 ? '-' : '+'}${line}`,
  )
  const isNearChange = (index: number) =>
    lines.slice(Math.max(0, index - DIFF_CONTEXT_LINES), index + DIFF_CONTEXT_LINES + 1).some((line) => line[0] !== ' ')
  return lines.flatMap((line, index) => (isNearChange(index) ? line : isNearChange(index - 1) ? ' …' : []))
}

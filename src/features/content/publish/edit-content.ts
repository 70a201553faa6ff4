// Edits lists, credits and pictures. A file that the service would refuse is never written.

import { readdir } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import type { Static } from 'typebox'
import { stringify } from 'yaml'
import { PublishError, UnknownEntryError, UsageError } from '../../../errors/index.ts'
import type { Change, EditedFiles, EditOptions, FileContent, FileEdit } from '../../../platform/files/index.ts'
import { acceptEntries, editFolder, isLoss, readOptionalFile } from '../../../platform/files/index.ts'
import { listFileNames, parseYaml, roleOf } from '../content-file.ts'
import { CREDITS_FILE, Credit, Credits } from '../credits.ts'
import { type Category, isKindName, type ListCategory, listCategories } from '../kinds.ts'
import { isListFile, listFileOf, parseListFile, type Videos } from '../lists.ts'

export const ANIMALS_DIR = 'animals'

/** Whether the service reads it: a list, a picture or credits. */
export const isContentFile = (file: string) =>
  isListFile(file) ||
  (/^animals\/[^/]+\/[^/]+$/.test(file) && ['picture', 'credits', 'sidecar'].includes(roleOf(basename(file))))

export const isPicture = (file: string) => file.startsWith(`${ANIMALS_DIR}/`) && roleOf(basename(file)) === 'picture'

/** `dir` is CONTENT_DIR. */
export const editContent = <T extends object>(
  dir: string,
  options: EditOptions,
  work: (files: EditedFiles) => Promise<T | undefined>,
): Promise<Change & T> =>
  editFolder(
    dir,
    options,
    {
      isText: (file) => !isPicture(file),
      // A kind without pictures does not exist.
      isTemporary: (folder) => dirname(folder) === ANIMALS_DIR,
      check: (edits) => edits.forEach(assertValid),
      prepare: (edits) => acceptShrinking(dir, edits),
    },
    work,
  )

/** Pictures are checked when they are added. */
function assertValid({ file, after }: FileEdit): void {
  if (after === null || isPicture(file)) return
  const bytes = Buffer.from(after)
  const { problems } = isListFile(file)
    ? parseListFile(file, bytes)
    : basename(file) === CREDITS_FILE
      ? parseYaml(file, bytes, Credits)
      : parseYaml(file, bytes, Credit)
  const [problem] = problems
  if (!problem) return
  const place = problem.line === undefined ? file : `${file}, line ${problem.line}`
  throw new PublishError(`${place}: ${problem.message.replace(/\.$/, '')}.`)
}

/** The operator removes entries on purpose: the service must not take it for a fault. */
export async function acceptShrinking(dir: string, edits: readonly FileEdit[]): Promise<void> {
  const accepted: Record<string, number> = {}
  const lost = new Map<string, number>()
  for (const { file, before, after } of edits) {
    if (isPicture(file)) {
      const change = Number(after === null) - Number(before === null)
      lost.set(dirname(file), (lost.get(dirname(file)) ?? 0) + change)
    } else if (isListFile(file)) {
      const count = (content: FileContent) =>
        content === null ? 0 : (parseListFile(file, Buffer.from(content)).value?.length ?? 0)
      if (count(after) < count(before)) accepted[file] = count(after)
    }
  }
  for (const [folder, count] of lost) {
    if (count > 0) accepted[folder] = (await listPictures(join(dir, folder))).length - count
  }
  if (Object.keys(accepted).length > 0) await acceptEntries(dir, accepted)
}

export const listPictures = async (folder: string) =>
  (await listFileNames(folder)).filter((name) => roleOf(name) === 'picture')

interface ListOptions extends EditOptions {
  /** CONTENT_DIR. */
  readonly dir: string
  readonly category: ListCategory
  readonly kind: string
}

export function assertKindName(kind: string): void {
  if (!isKindName(kind))
    throw new UsageError(`"${kind}" is not a name of a kind: use a-z, 0-9 and -; "any" is reserved.`)
}

interface PutOptions extends ListOptions {
  /** Allows a list with less than half of the current entries. */
  readonly force?: boolean | undefined
}

/** Replaces the list of a kind, or creates the kind. `text` is the file: one text per line, or YAML for videos. */
export async function putList({ dir, category, kind, text, force, ...options }: PutOptions & { text: string }) {
  assertKindName(kind)
  const file = listFileOf(category, kind)
  const count = (content: string) => parseListFile(file, Buffer.from(content)).value?.length ?? 0
  return editContent(dir, options, async ({ read, write }) => {
    const after = text === '' || text.endsWith('\n') ? text : `${text}\n`
    const [entries, previous] = [count(after), count((await read(file)) ?? '')]
    // An invalid list is refused with its own reason.
    if (!force && entries > 0 && isLoss(previous, entries))
      throw new PublishError(`${file} would have ${entries} of ${previous} entries; publish with force to allow it.`)
    await write(file, after)
  })
}

type VideoOptions = Omit<PutOptions, 'category'> & { readonly videos: Readonly<Static<typeof Videos>> }

export const putVideos = ({ videos, ...options }: VideoOptions) =>
  putList({ ...options, category: 'yt-video', text: stringify(videos, { lineWidth: 0 }) })

/** Removes the list of a kind. A built-in kind then has its default list. */
export async function removeList({ dir, category, kind, ...options }: ListOptions) {
  assertKindName(kind)
  const file = listFileOf(category, kind)
  return editContent(dir, options, async ({ read, write }) => {
    if ((await read(file)) === null) throw new UnknownEntryError(`There is no list ${file}.`)
    await write(file, null)
  })
}

export async function readListText(dir: string, category: ListCategory, kind: string) {
  assertKindName(kind)
  const file = listFileOf(category, kind)
  const bytes = await readOptionalFile(dir, file)
  if (!bytes) throw new UnknownEntryError(`There is no list ${file} in the content folder.`)
  return { file, text: bytes.toString() }
}

interface KindFiles {
  readonly category: Category
  readonly kind: string
  /** The number of pictures, texts or videos. */
  readonly items: number
}

/** The kinds that have files in the content folder, by name. */
export async function listKinds(dir: string): Promise<KindFiles[]> {
  const kinds: KindFiles[] = []
  const listNames = async (folder: string) => (await readdir(join(dir, folder)).catch(() => [])).sort()
  for (const kind of await listNames(ANIMALS_DIR)) {
    const items = isKindName(kind) ? (await listPictures(join(dir, ANIMALS_DIR, kind))).length : 0
    if (items > 0) kinds.push({ category: 'animals', kind, items })
  }
  for (const category of listCategories) {
    for (const name of await listNames(category)) {
      const kind = name.slice(0, -extname(name).length)
      const file = listFileOf(category, kind)
      if (!isKindName(kind) || file !== `${category}/${name}`) continue
      const { value = [] } = parseListFile(file, (await readOptionalFile(dir, file)) ?? Buffer.alloc(0))
      kinds.push({ category, kind, items: value.length })
    }
  }
  return kinds
}

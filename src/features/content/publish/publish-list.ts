import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { stringify } from 'yaml'
import { PublishError, UnknownEntryError, UsageError } from '../../../errors/index.ts'
import { type EditOptions, isLoss, readOptionalFile } from '../../../platform/files/index.ts'
import { type Category, isKindName, type ListCategory, listCategories } from '../kinds.ts'
import { listFileOf, parseListFile } from '../lists.ts'
import { ANIMALS_DIR, editContent, listPictures } from './edit-content.ts'

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
  /** Allows a list that has lost most of its entries. */
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
    return {}
  })
}

interface VideoEntry {
  readonly id: string
  readonly title: string
}

export const putVideos = ({ videos, ...options }: Omit<PutOptions, 'category'> & { videos: readonly VideoEntry[] }) =>
  putList({ ...options, category: 'yt-video', text: stringify(videos, { lineWidth: 0 }) })

/** Removes the list of a kind. A built-in kind has the list of the service again. */
export async function removeList({ dir, category, kind, ...options }: ListOptions) {
  assertKindName(kind)
  const file = listFileOf(category, kind)
  return editContent(dir, options, async ({ read, write }) => {
    if ((await read(file)) === null) throw new UnknownEntryError(`There is no list ${file}.`)
    await write(file, null)
    return {}
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

import { stringify } from 'yaml'
import { UnknownEntryError, UsageError } from '../../../errors/index.ts'
import { type EditOptions, readOptionalFile } from '../../../platform/files/index.ts'
import { isKindName, type ListCategory } from '../kinds.ts'
import { listFileOf } from '../lists.ts'
import { editContent } from './edit-content.ts'

interface ListOptions extends EditOptions {
  /** CONTENT_DIR. */
  readonly dir: string
  readonly category: ListCategory
  readonly kind: string
}

export function assertKindName(kind: string): void {
  if (!isKindName(kind)) throw new UsageError(`"${kind}" is not a name of a kind: use a-z, 0-9 and -.`)
}

/** Replaces the list of a kind, or creates the kind. `text` is the file: one text per line, or YAML for videos. */
export async function putList({ dir, category, kind, text, ...options }: ListOptions & { readonly text: string }) {
  assertKindName(kind)
  return editContent(dir, options, async ({ write }) => {
    await write(listFileOf(category, kind), text === '' || text.endsWith('\n') ? text : `${text}\n`)
    return {}
  })
}

export interface VideoEntry {
  readonly id: string
  readonly title: string
}

export const putVideos = ({ videos, ...options }: Omit<ListOptions, 'category'> & { videos: readonly VideoEntry[] }) =>
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

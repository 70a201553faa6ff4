import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { readOptionalFile } from '../../../platform/files/index.ts'
import { type Category, isKindName, listCategories } from '../kinds.ts'
import { listFileOf, parseListFile } from '../lists.ts'
import { ANIMALS_DIR, listPictures } from './edit-content.ts'

export interface KindFiles {
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

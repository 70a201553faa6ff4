// Removes pictures, and changes their credits.
import { join } from 'node:path'
import type { TSchema } from 'typebox'
import { isMap, parseDocument } from 'yaml'
import { PublishError, UnknownEntryError } from '../../../errors/index.ts'
import { type EditedFiles, type EditOptions, isPlainName, readOptionalFile } from '../../../platform/files/index.ts'
import { listFileNames, parseYaml, readStamps, roleOf, SIDECAR_EXTENSION } from '../content-file.ts'
import { CREDITS_FILE, Credit, Credits } from '../credits.ts'
import { isBuiltInKind } from '../kinds.ts'
import { ANIMALS_DIR, assertKindName, editContent, listPictures } from './edit-content.ts'

/** They are read, because the history keeps them. */
const MAX_REMOVED_BYTES = 128 * 2 ** 20

interface PictureOptions extends EditOptions {
  /** CONTENT_DIR. */
  readonly dir: string
  readonly kind: string
  /** Names of files. */
  readonly files: readonly string[]
}

const creditsFileOf = (kind: string) => `${ANIMALS_DIR}/${kind}/${CREDITS_FILE}`
const sidecarOf = (kind: string, picture: string) => `${ANIMALS_DIR}/${kind}/${picture}${SIDECAR_EXTENSION}`

/** The file whose version clients know. It is that of the credits for all files of a kind of animal. */
export const entryFileOf = (file: string) => {
  const [category, kind = ''] = file.split('/')
  return category === ANIMALS_DIR ? creditsFileOf(kind) : file
}

/** Edits the credits.yaml of a kind and keeps the rest of it. Undefined removes an entry. */
export async function editCredits(
  { read, write }: Pick<EditedFiles, 'read' | 'write'>,
  kind: string,
  credits: ReadonlyMap<string, Credit | undefined>,
): Promise<void> {
  const file = creditsFileOf(kind)
  const before = await read(file)
  // A repeated key is refused with the edited file. To find it here, each key would be compared with all others.
  const document = parseDocument(before ?? '', { uniqueKeys: false })
  if (document.errors.length > 0 || !(document.contents === null || isMap(document.contents)))
    throw new PublishError(`Fix ${file} first: it is not a YAML map.`)
  let isChanged = false
  for (const [name, credit] of credits) {
    if (credit === undefined && !document.has(name)) continue
    if (credit === undefined) document.delete(name)
    else document.set(name, document.createNode(credit))
    isChanged = true
  }
  if (isChanged) await write(file, document.toString({ lineWidth: 0 }))
}

/** Removes the credits files beside pictures, which override credits.yaml. */
async function removeSidecars({ read, write }: EditedFiles, kind: string, files: readonly string[]): Promise<void> {
  for (const sidecar of files.map((name) => sidecarOf(kind, name)))
    if ((await read(sidecar)) !== null) await write(sidecar, null)
}

/** Removes pictures with their credits. */
export async function removePictures({ dir, kind, files, ...options }: PictureOptions) {
  await assertPictures(dir, kind, files)
  let bytes = 0
  for (const { size } of (await readStamps(join(dir, ANIMALS_DIR, kind), files)).values()) bytes += size
  if (bytes > MAX_REMOVED_BYTES)
    throw new PublishError(`These pictures have ${bytes} bytes. Remove at most ${MAX_REMOVED_BYTES} at once.`)
  return editContent(dir, options, async (edited) => {
    for (const name of files) await edited.write(`${ANIMALS_DIR}/${kind}/${name}`, null)
    await removeSidecars(edited, kind, files)
    const isEmpty = (await listPictures(join(dir, ANIMALS_DIR, kind))).length === new Set(files).size
    // The kind does not exist any more.
    if (isEmpty && (await edited.read(creditsFileOf(kind))) !== null) await edited.write(creditsFileOf(kind), null)
    else await editCredits(edited, kind, new Map(files.map((name) => [name, undefined])))
    return { removed: files.length }
  })
}

export async function creditPictures({ dir, kind, files, credit, ...options }: PictureOptions & { credit: Credit }) {
  await assertPictures(dir, kind, files)
  return editContent(dir, options, async (edited) => {
    await removeSidecars(edited, kind, files)
    await editCredits(edited, kind, new Map(files.map((name) => [name, credit])))
    return { credited: files.length }
  })
}

async function assertPictures(dir: string, kind: string, files: readonly string[]): Promise<void> {
  assertKindName(kind)
  const known = new Set(await listPictures(join(dir, ANIMALS_DIR, kind)))
  const missing = files.find((name) => !isPlainName(name) || !known.has(name))
  if (missing !== undefined) throw new UnknownEntryError(`There is no picture "${missing}" in ${ANIMALS_DIR}/${kind}.`)
}

/** The pictures of a kind with their own credits, by name. */
export async function readPictures(dir: string, kind: string) {
  assertKindName(kind)
  const read = async <Schema extends TSchema>(file: string, schema: Schema) =>
    parseYaml(file, (await readOptionalFile(dir, file)) ?? Buffer.alloc(0), schema).value
  const names = new Set(await listFileNames(join(dir, ANIMALS_DIR, kind)))
  const pictures = [...names].filter((name) => roleOf(name) === 'picture').sort()
  if (pictures.length === 0 && !names.has(CREDITS_FILE) && !isBuiltInKind('animals', kind))
    throw new UnknownEntryError(`There is no kind "${kind}".`)
  const credits = (await read(creditsFileOf(kind), Credits)) ?? {}
  const readCredit = async (file: string) => ({
    ...(Object.hasOwn(credits, file) && credits[file]),
    ...(names.has(file + SIDECAR_EXTENSION) && (await read(sidecarOf(kind, file), Credit))),
  })
  return {
    file: creditsFileOf(kind),
    default: credits.default ?? {},
    pictures: await Array.fromAsync(pictures, async (file) => ({ file, credit: await readCredit(file) })),
  }
}

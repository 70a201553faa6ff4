import { hash } from 'node:crypto'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { StorageFull, UsageError } from '../../../errors/index.ts'
import { type EditOptions, hasSpace, isFolder } from '../../../platform/files/index.ts'
import { findSchemaError } from '../../../platform/yaml/index.ts'
import { readStamps } from '../content-file.ts'
import { Credit, DRAWINGS_ENTRY } from '../credits.ts'
import { isBuiltInKind, splitName, typeOfName } from '../kinds.ts'
import type { OnProgress } from '../read-queue.ts'
import { cleanPicture, digestOf, MAX_FILE_BYTES } from '../validate-picture.ts'
import { editCredits } from './change-pictures.ts'
import { ANIMALS_DIR, assertKindName, editContent, listPictures } from './edit-content.ts'

/** Pictures are written together, as one change, up to this many bytes. */
const MAX_BATCH_BYTES = 64 * 2 ** 20

type FetchPicture = (url: string) => Promise<{ bytes: Buffer }>

export interface AddPicturesOptions extends EditOptions {
  /** CONTENT_DIR. */
  readonly dir: string
  readonly kind: string
  /** Files, folders, URLs, and `.txt` files with one URL per line. */
  readonly sources: readonly (string | NamedFile)[]
  readonly credits?: Credit | undefined
  /** Serves drawings beside the pictures. Only the built-in kinds have drawings. */
  readonly keepDrawings?: boolean | undefined
  readonly fetch?: FetchPicture | undefined
  readonly onProgress?: OnProgress | undefined
}

/** A file whose path does not tell its name. */
interface NamedFile {
  readonly file: string
  readonly name: string
  /** The expected SHA-256. Other bytes are refused. */
  readonly sha256?: string
}

export type AddResult =
  | { source: string; outcome: 'added'; file: string }
  | { source: string; outcome: 'skipped' | 'refused'; reason: string }

/** One picture to add; `read` fails with a reason for the operator. */
type PictureSource = { source: string; name: string; read(): Promise<Buffer> }

type CleanPicture = { readonly file: string; readonly bytes: Buffer }

/** Adds pictures to a kind; creates the kind if it does not exist. */
export async function addPictures({ dir, kind, sources, fetch, onProgress, ...options }: AddPicturesOptions) {
  const { credits = {}, keepDrawings = false, ...editOptions } = options
  assertKindName(kind)
  assertCredits(credits)
  const isDrawn = isBuiltInKind('animals', kind)
  if (keepDrawings && !isDrawn) throw new UsageError(`There are no drawings of ${kind}.`)
  const existing = await readExisting(join(dir, ANIMALS_DIR, kind))
  const pictures = await findPictures(sources, fetch)
  const results: AddResult[] = []
  const changes: { file: string; diff: string }[] = []
  let batch: CleanPicture[] = []

  const write = async () => {
    const bytes = batch.reduce((sum, picture) => sum + picture.bytes.length, 0)
    if (bytes > 0 && !options.dryRun && !(await hasSpace(dir, bytes)))
      throw new StorageFull('The disk of CONTENT_DIR is full.')
    const change = await editContent(dir, editOptions, async (files) => {
      // The credits first: if the process stops in between, no picture is left without them.
      const entries = new Map(Object.keys(credits).length > 0 ? batch.map(({ file }) => [file, credits]) : [])
      if (keepDrawings) entries.set(DRAWINGS_ENTRY, {})
      if (entries.size > 0) await editCredits(files, kind, entries)
      for (const { file, bytes } of batch) await files.write(`${ANIMALS_DIR}/${kind}/${file}`, bytes)
    })
    changes.push(change)
    batch = []
  }

  for (const picture of pictures) {
    const { result, clean } = await readPicture(picture, existing)
    results.push(result)
    if (clean) batch.push(clean)
    if (batch.reduce((sum, { bytes }) => sum + bytes.length, 0) > MAX_BATCH_BYTES) await write()
    onProgress?.(results.length, pictures.length)
  }
  // A command that finds no usable picture fails, so it must not change the credits either.
  if (sources.length === 0 || results.some(({ outcome }) => outcome !== 'refused')) await write()
  const diff = changes.flatMap(({ diff }) => (diff === '' ? [] : diff)).join('\n')
  const isFirst = existing.count === 0 && results.some(({ outcome }) => outcome === 'added')
  return { file: `${ANIMALS_DIR}/${kind}`, diff, results, replacesDrawings: isDrawn && isFirst && !keepDrawings }
}

function assertCredits(credits: Credit): void {
  const error = findSchemaError(Credit, credits)
  if (error) throw new UsageError(`The credits are not valid: "${error.field}" ${error.rule}.`)
}

async function readPicture(
  { source, name, read }: PictureSource,
  existing: Awaited<ReturnType<typeof readExisting>>,
): Promise<{ result: AddResult; clean?: CleanPicture }> {
  try {
    const { bytes, id, extension } = await cleanPicture(await read())
    const duplicate = await existing.findDuplicate(bytes, id)
    if (duplicate) return { result: { source, outcome: 'skipped', reason: `it already exists as ${duplicate}` } }
    const file = `${toPlainStem(name)}-${id}.${extension}`
    existing.add(file, bytes.length, id)
    return { result: { source, outcome: 'added', file }, clean: { file, bytes } }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { result: { source, outcome: 'refused', reason } }
  }
}

/** A name that needs no escaping anywhere. */
function toPlainStem(name: string): string {
  const plain = splitName(name)
    .stem.normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  return plain.replace(/^-+|-+$/g, '').slice(0, 60) || 'picture'
}

/** Duplicates have the same size, so only few files of a large collection are read. */
async function readExisting(folder: string) {
  const bySize = new Map<number, Map<string, string | undefined>>()
  const add = (file: string, size: number, id?: string) => {
    const sameSize = bySize.get(size) ?? new Map<string, string | undefined>()
    bySize.set(size, sameSize.set(file, id))
  }
  const names = await listPictures(folder)
  for (const [name, { size }] of await readStamps(folder, names)) add(name, size)
  return {
    count: names.length,
    add,
    async findDuplicate(bytes: Buffer, id: string): Promise<string | undefined> {
      for (const [file, knownId] of bySize.get(bytes.length) ?? []) {
        const fileId = knownId ?? digestOf(await readFile(join(folder, file)).catch(() => Buffer.alloc(0)))
        add(file, bytes.length, fileId)
        if (fileId === id) return file
      }
      return undefined
    },
  }
}

const isUrl = (text: string) => /^https?:\/\//i.test(text)

/** The pictures in files, folders, URLs and lists of URLs. */
export async function findPictures(sources: AddPicturesOptions['sources'], fetch: FetchPicture | undefined) {
  const found: PictureSource[] = []
  for (const source of sources) {
    if (typeof source === 'object')
      found.push({ ...fromFile(source.file, MISSING_UPLOAD, source.sha256), source: source.name, name: source.name })
    else if (isUrl(source)) found.push(fromUrl(source, fetch))
    else if (source.endsWith('.txt')) {
      const lines = (await readFile(source, 'utf8')).split('\n').map((line) => line.trim())
      const urls = lines.filter((line) => line !== '' && !line.startsWith('#'))
      found.push(...urls.map((url) => fromUrl(url, fetch)))
    } else if (await isFolder(source)) found.push(...(await fromFolder(source)))
    else found.push(fromFile(source))
  }
  return found
}

/** The pictures in a folder and its subfolders. Hidden ones are thumbnails, or files of the operating system. */
async function fromFolder(folder: string, visited = new Set<string>()): Promise<PictureSource[]> {
  // A link may lead to a folder that contains it.
  const place = await realpath(folder)
  if (visited.has(place)) return []
  visited.add(place)
  const found: PictureSource[] = []
  const names = await readdir(folder)
  for (const name of names.filter((name) => !name.startsWith('.')).sort()) {
    const path = join(folder, name)
    if (await isFolder(path)) found.push(...(await fromFolder(path, visited)))
    else if (typeOfName(name)) found.push(fromFile(path))
  }
  return found
}

const MISSING_UPLOAD = 'the upload does not exist, or is not complete; send it first'

const fromFile = (path: string, missing = 'there is no such file', sha256?: string): PictureSource => ({
  source: path,
  name: basename(path),
  async read() {
    const stats = await stat(path).catch(() => undefined)
    if (!stats?.isFile()) throw new Error(missing)
    if (stats.size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES / 2 ** 20} MiB`)
    const bytes = await readFile(path)
    // A request that sends the same upload may still write to it after another one completed it.
    if (sha256 !== undefined && hash('sha256', bytes) !== sha256) throw new Error(missing)
    return bytes
  },
})

const fromUrl = (url: string, fetch: FetchPicture | undefined): PictureSource => ({
  source: url,
  name: basename(URL.parse(url)?.pathname ?? '') || 'picture',
  async read() {
    if (!isUrl(url) || !URL.canParse(url)) throw new Error('it is not an http or https URL')
    if (!fetch) throw new Error('URLs cannot be fetched here')
    return (await fetch(url)).bytes
  },
})

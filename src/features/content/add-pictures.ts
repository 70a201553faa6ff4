import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import Value from 'typebox/value'
import { OperatorError, UsageError } from '../../errors/index.ts'
import { isFolder, writeAtomically } from '../../platform/files/index.ts'
import { cleanPicture } from './clean-picture.ts'
import { addCredits, Credit } from './credits.ts'
import { isKindName, splitName, typeOfName } from './kinds.ts'
import { listFileNames, readStamps, roleOf } from './read-picture-file.ts'
import type { OnProgress } from './read-queue.ts'
import { digestOf, MAX_FILE_BYTES } from './validate-picture.ts'

type FetchPicture = (url: string) => Promise<{ bytes: Buffer }>

export interface AddPicturesOptions {
  /** CONTENT_DIR. */
  dir: string
  kind: string
  /** Files, folders, URLs, and `.txt` files with one URL per line. */
  sources: readonly string[]
  credits?: Credit
  fetch?: FetchPicture
  onProgress?: OnProgress
}

export type AddResult =
  | { source: string; outcome: 'added'; file: string }
  | { source: string; outcome: 'skipped' | 'refused'; reason: string }

/** One picture to add; `read` fails with a reason for the operator. */
interface PictureSource {
  source: string
  name: string
  read(): Promise<Buffer>
}

/** Adds pictures to a kind; creates the kind if it does not exist. */
export async function addPictures(options: AddPicturesOptions): Promise<AddResult[]> {
  const { dir, kind, sources, credits = {}, fetch, onProgress } = options
  assertValid(kind, credits)
  const folder = join(dir, 'animals', kind)
  const existing = await readExisting(folder)
  const pictures = await findPictures(sources, fetch)
  const results: AddResult[] = []
  try {
    for (const picture of pictures) {
      results.push(await addPicture(folder, picture, existing))
      onProgress?.(results.length, pictures.length)
    }
  } finally {
    const files = results.flatMap((result) => (result.outcome === 'added' ? [result.file] : []))
    await addCredits(folder, files, credits).catch(({ message }: Error) => {
      const text = `${message} The pictures were added without credits. Add them by hand for ${files.join(', ')}.`
      throw new OperatorError(text)
    })
  }
  return results
}

function assertValid(kind: string, credits: Credit): void {
  if (!isKindName(kind)) throw new UsageError(`"${kind}" is not a name of a kind: use a-z, 0-9 and -.`)
  const [error] = Value.Errors(Credit, credits)
  if (!error) return
  const { instancePath, message } = error
  const rule = instancePath === '/source' ? 'must be an http or https URL' : message
  throw new UsageError(`The credits are not valid: ${instancePath.slice(1)} ${rule}.`)
}

async function addPicture(
  folder: string,
  { source, name, read }: PictureSource,
  existing: ExistingPictures,
): Promise<AddResult> {
  try {
    const { bytes, id, extension } = await cleanPicture(await read())
    const duplicate = await existing.findDuplicate(bytes, id)
    if (duplicate) return { source, outcome: 'skipped', reason: `it already exists as ${duplicate}` }
    const file = `${toPlainStem(name)}-${id}.${extension}`
    await writeAtomically(join(folder, file), bytes)
    existing.add(file, bytes.length, id)
    return { source, outcome: 'added', file }
  } catch (error) {
    return { source, outcome: 'refused', reason: error instanceof Error ? error.message : String(error) }
  }
}

/** A name that needs no escaping anywhere. */
function toPlainStem(name: string): string {
  const plain = splitName(name)
    .stem.normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  return plain.replace(/^-+|-+$/g, '').slice(0, 60) || 'picture'
}

type ExistingPictures = Awaited<ReturnType<typeof readExisting>>

/** Duplicates have the same size, so only few files of a large collection are read. */
async function readExisting(folder: string) {
  const bySize = new Map<number, Map<string, string | undefined>>()
  const add = (file: string, size: number, id?: string) => {
    const sameSize = bySize.get(size) ?? new Map<string, string | undefined>()
    bySize.set(size, sameSize.set(file, id))
  }
  const names = (await listFileNames(folder)).filter((name) => roleOf(name) === 'picture')
  for (const [name, { size }] of await readStamps(folder, names)) add(name, size)
  return {
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

async function findPictures(sources: readonly string[], fetch: FetchPicture | undefined): Promise<PictureSource[]> {
  const found: PictureSource[] = []
  for (const source of sources) {
    if (isUrl(source)) found.push(fromUrl(source, fetch))
    else if (source.endsWith('.txt')) {
      const lines = (await readFile(source, 'utf8')).split('\n').map((line) => line.trim())
      const urls = lines.filter((line) => line !== '' && !line.startsWith('#'))
      found.push(...urls.map((url) => fromUrl(url, fetch)))
    } else if (await isFolder(source)) found.push(...(await fromFolder(source)))
    else found.push(fromFile(source))
  }
  return found
}

async function fromFolder(folder: string): Promise<PictureSource[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile() && typeOfName(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map(fromFile)
}

const fromFile = (path: string): PictureSource => ({
  source: path,
  name: basename(path),
  async read() {
    const stats = await stat(path).catch(() => undefined)
    if (!stats?.isFile()) throw new Error('there is no such file')
    if (stats.size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES / 2 ** 20} MiB`)
    return readFile(path)
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

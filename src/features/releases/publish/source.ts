// The file or URL to publish: computes its digests, and copies a file into the folder.
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ApiError, PublishError, StorageFull } from '../../../errors/index.ts'
import { giveTo, hasSpace, type MovedFile, makeFolder } from '../../../platform/files/index.ts'
import type { DownloadSource } from '../asset.ts'
import { isFileName, isWebUrl, urlRule } from '../read/rules.ts'
import { assertInput, assertRule } from './edit-file.ts'

/** Folders whose names start with a dot are not watched, so a large copy does not trigger checks of the service. */
const INCOMING_FOLDER = '.incoming'
/** An older copy belongs to a publisher that was killed. */
const MAX_COPY_AGE_MS = 24 * 60 * 60_000

const fileNameRule = 'must be that of a file, without folders, with at most 200 characters'

export interface SourceOptions {
  /** The path of a file, which is copied into files/ … */
  readonly file?: string | undefined
  /** The original name of the file. Default: that in its path. */
  readonly name?: string | undefined
  /** … or the URL of a download. */
  readonly url?: string | undefined
  /** The size of the file at the URL. With the SHA-256, it is not downloaded. */
  readonly bytes?: number | undefined
  /** The expected SHA-256. A file with a different SHA-256 is refused. */
  readonly sha256?: string | undefined
  /** SHA-512 of the file at the URL, if it is not downloaded. */
  readonly sha512?: string | undefined
  readonly sha1?: string | undefined
  /** Downloads the URL once to compute its size and digests, if they are not given. */
  readonly fetch?: ((url: string) => Promise<{ body: AsyncIterable<Uint8Array>; bytes?: number }>) | undefined
  readonly onProgress?: ((doneBytes: number, totalBytes: number | undefined) => void) | undefined
}

export interface StagedSource {
  readonly digest: { readonly bytes: number; readonly sha256: string; readonly sha512?: string; readonly sha1?: string }
  readonly source: DownloadSource
  /** The copy, which becomes a file in files/. */
  readonly moved: readonly MovedFile[]
  /** Removes a copy that was not moved. */
  discard(): Promise<void>
}

/** `name` is the future name in files/. */
export async function stageSource(dir: string, name: string, options: SourceOptions, dryRun = false) {
  const { file, url } = options
  assertInput((file === undefined) !== (url === undefined), 'A release', 'must have either a file or a URL')
  return url === undefined ? stageFile(dir, name, file!, options, dryRun) : stageUrl(url, options)
}

export function getSourceName({ file = '', name }: SourceOptions): string {
  assertInput(name === undefined || isFileName(name), 'The name', fileNameRule)
  return name ?? basename(file)
}

/** Undefined if the size or the SHA-256 is not stated. */
function readStatedDigest({ bytes, sha256, sha512, sha1 }: SourceOptions): StagedSource['digest'] | undefined {
  if (bytes === undefined || sha256 === undefined) return undefined
  return { bytes, sha256, ...(sha512 && { sha512 }), ...(sha1 && { sha1 }) }
}

async function stageUrl(url: string, options: SourceOptions): Promise<StagedSource> {
  const { bytes, sha256, fetch, onProgress } = options
  assertInput(isWebUrl(url), 'The URL', urlRule)
  assertInput(bytes !== 0, 'The size', 'must be more than 0 bytes')
  const staged = { source: { url }, moved: [], discard: async () => {} }
  const stated = readStatedDigest(options)
  if (stated) return { ...staged, digest: stated }
  assertInput(fetch !== undefined, 'A URL', 'must have its size in bytes and its SHA-256')
  try {
    const { body, bytes: total } = await fetch(url)
    const digest = await computeDigest(body, { total, onProgress })
    if (digest.bytes === 0) throw new Error('the server sends 0 bytes')
    assertDigest(url, digest.sha256, sha256)
    return { ...staged, digest }
  } catch (error) {
    if (error instanceof PublishError) throw error
    throw new PublishError(`The URL could not be read: ${(error as Error).message}.`)
  }
}

async function stageFile(
  dir: string,
  name: string,
  file: string,
  options: SourceOptions,
  dryRun: boolean,
): Promise<StagedSource> {
  const { onProgress, sha256, name: subject = file } = options
  const stated = readStatedDigest(options)
  const found = await stat(file).catch((error) => {
    // A dry run does not need the upload itself.
    if (dryRun && subject !== file && stated) return undefined
    if (subject === file) throw error
    throw new PublishError(`The upload of ${subject} does not exist, or is not complete.`)
  })
  if (!found) return { digest: stated!, source: { file: name }, moved: [], discard: async () => {} }
  assertRule(found.isFile(), subject, 'must be a regular file')
  assertRule(found.size > 0, subject, 'is empty: it has 0 bytes')
  const folder = join(dir, 'files')
  const incoming = join(dir, INCOMING_FOLDER)
  const copy = join(incoming, `${name}.${randomBytes(6).toString('hex')}`)
  const discard = () => rm(copy, { force: true })
  try {
    if (!dryRun) await prepareFolders(folder, incoming)
    if (!dryRun && !(await hasSpace(folder, found.size))) throw new StorageFull('The disk of CONTENT_DIR is full.')
    await using handle = dryRun ? null : await open(copy, 'wx')
    if (handle) await giveTo(incoming, copy)
    const stream = createReadStream(file)
    const digest = await computeDigest(stream, { total: found.size, onProgress, copyTo: handle ?? undefined })
    assertDigest(subject, digest.sha256, sha256)
    return { digest, source: { file: name }, moved: [{ from: copy, file: `files/${name}` }], discard }
  } catch (error) {
    await discard()
    if (error instanceof PublishError || error instanceof ApiError) throw error
    throw new PublishError(`The file could not be copied: ${(error as Error).message}.`)
  }
}

async function prepareFolders(folder: string, incoming: string): Promise<void> {
  await makeFolder(folder)
  await makeFolder(incoming)
  for (const name of await readdir(incoming)) {
    const copy = join(incoming, name)
    const found = await stat(copy).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > MAX_COPY_AGE_MS) await rm(copy, { recursive: true, force: true })
  }
}

function assertDigest(subject: string, sha256: string, expected = sha256): void {
  assertRule(sha256 === expected.toLowerCase(), subject, `has the SHA-256 ${sha256} instead of ${expected}`)
}

/** ".exe", ".tar.gz"; empty for a name without one. Linux programs look for ".AppImage" with these capitals. */
export const getExtension = (name: string) =>
  (/(\.tar)?\.[a-z0-9]{1,12}$/i.exec(name)?.[0].toLowerCase() ?? '').replace('.appimage', '.AppImage')

interface DigestOptions {
  readonly total?: number | undefined
  readonly onProgress?: SourceOptions['onProgress']
  /** Receives the same bytes, so that a large file is read once. */
  readonly copyTo?: FileHandle | undefined
}

/** Computes all digests that updaters need. Takes six times as long as `computeSha256`. */
async function computeDigest(source: AsyncIterable<Uint8Array>, options: DigestOptions) {
  const { total, onProgress, copyTo } = options
  const [sha256, sha512, sha1] = [createHash('sha256'), createHash('sha512'), createHash('sha1')]
  let bytes = 0
  for await (const chunk of source) {
    for (const hash of [sha256, sha512, sha1]) hash.update(chunk)
    await copyTo?.writeFile(chunk)
    bytes += chunk.byteLength
    onProgress?.(bytes, total)
  }
  await copyTo?.sync()
  return { bytes, sha256: sha256.digest('hex'), sha512: sha512.digest('hex'), sha1: sha1.digest('hex') }
}

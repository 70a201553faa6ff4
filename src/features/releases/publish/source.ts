// The file or URL that is published: measured, and where it is a file, copied next to where it will be served from.
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isWebUrl, urlRule } from '../rules.ts'
import { type Digest, digestOf, type OnProgress } from './digest.ts'
import { demand, demandWords, PublishError } from './publish-error.ts'

// A folder with a dot is not watched: the running service is not woken by every piece of a large copy.
const INCOMING = '.incoming'
// A copy that was not written to for a day is that of a publisher that was killed.
const SURELY_LEFT_MS = 24 * 60 * 60_000

export interface SourceOptions {
  /** The path of a file, which is copied into files/ … */
  readonly file?: string | undefined
  /** … or where it can be downloaded. */
  readonly url?: string | undefined
  /** What is behind a URL, where the operator knows it. */
  readonly bytes?: number | undefined
  readonly sha256?: string | undefined
  readonly sha512?: string | undefined
  /** Reads a URL once to measure it, where the operator does not know. */
  readonly fetch?: ((url: string) => Promise<{ body: AsyncIterable<Uint8Array>; bytes?: number }>) | undefined
  readonly onProgress?: OnProgress | undefined
}

export interface Staged {
  readonly digest: Omit<Digest, 'sha512'> & { sha512?: string | undefined }
  readonly source: { file: string } | { url: string }
  /** Puts the copy where it will be served from. */
  place(): Promise<void>
  /** Removes the copy where it was not placed. */
  discard(): Promise<void>
}

/** `name` is what the file is called in files/, without its extension. */
export async function stage(dir: string, name: string, options: SourceOptions, dryRun = false): Promise<Staged> {
  const { file, url } = options
  demandWords((file === undefined) !== (url === undefined), 'A release', 'must have either a file or a URL')
  return url === undefined ? stageFile(dir, name, file!, options, dryRun) : stageUrl(url, options)
}

async function stageUrl(url: string, { bytes, sha256, sha512, fetch, onProgress }: SourceOptions): Promise<Staged> {
  demandWords(isWebUrl(url), 'The URL', urlRule)
  demandWords(bytes !== 0, 'The size', 'must be more than 0 bytes')
  const nothing = async () => {}
  const staged = { source: { url }, place: nothing, discard: nothing }
  if (bytes !== undefined && sha256 !== undefined) return { ...staged, digest: { bytes, sha256, sha512 } }
  if (!fetch) throw new PublishError('A URL needs its size in bytes and its SHA-256.')
  try {
    const { body, bytes: total } = await fetch(url)
    const digest = await digestOf(body, { total, onProgress })
    if (digest.bytes === 0) throw new Error('the server answers with 0 bytes')
    return { ...staged, digest }
  } catch (error) {
    throw new PublishError(`The URL could not be read: ${(error as Error).message}.`)
  }
}

async function stageFile(
  dir: string,
  name: string,
  file: string,
  { onProgress }: SourceOptions,
  dryRun: boolean,
): Promise<Staged> {
  const found = await stat(file)
  demand(found.isFile(), file, 'must be a regular file')
  demand(found.size > 0, file, 'is empty: it has 0 bytes')
  const folder = join(dir, 'files')
  const incoming = join(dir, INCOMING)
  const finalName = name + extensionOf(file)
  const copy = join(incoming, `${finalName}.${randomBytes(6).toString('hex')}`)
  const discard = () => rm(copy, { force: true })
  try {
    if (!dryRun) await prepare(folder, incoming)
    await using handle = dryRun ? null : await open(copy, 'wx')
    const stream = createReadStream(file)
    const digest = await digestOf(stream, { total: found.size, onProgress, copyTo: handle ?? undefined })
    return { digest, source: { file: finalName }, place: () => rename(copy, join(folder, finalName)), discard }
  } catch (error) {
    await discard()
    throw new PublishError(`The file could not be copied: ${(error as Error).message}.`)
  }
}

async function prepare(folder: string, incoming: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await mkdir(incoming, { recursive: true })
  for (const name of await readdir(incoming)) {
    const left = join(incoming, name)
    const found = await stat(left).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > SURELY_LEFT_MS) await rm(left, { force: true })
  }
}

const extensionOf = (file: string) => /(\.tar)?\.[a-z0-9]{1,12}$/i.exec(file)?.[0].toLowerCase() ?? ''

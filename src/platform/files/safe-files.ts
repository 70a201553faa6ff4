// Paths that stay inside a folder, complete writes, and reads of files that do not change meanwhile.
import { createHash, randomBytes } from 'node:crypto'
import { constants, createReadStream, createWriteStream, read, type Stats } from 'node:fs'
import { copyFile, link, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { identify } from './file-changes.ts'
import { giveTo, makeFolder } from './folders.ts'

const MAX_NAME_LENGTH = 1024

/**
 * Returns the real path of `name` inside `root`, or undefined. Clients choose the name: nothing outside the folder may
 * be reached, or even be distinguished from what does not exist. Rejects `..`, absolute paths, backslashes (separators
 * on Windows), NUL (ends a path in C), dot files, and links that point outside.
 */
export async function resolveInside(root: string, name: string): Promise<string | undefined> {
  if (!isPlainName(name)) return undefined
  try {
    const [realRoot, real] = await Promise.all([realpath(root), realpath(join(root, name))])
    return real.startsWith(realRoot + sep) ? real : undefined
  } catch {
    return undefined
  }
}

/** One or more plain segments joined by single slashes. */
export function isPlainName(name: string): boolean {
  if (name.length === 0 || name.length > MAX_NAME_LENGTH || /[\0\\]/.test(name)) return false
  return name.split('/').every((segment) => segment !== '' && !segment.startsWith('.'))
}

/** Without O_NONBLOCK, opening a pipe would wait until a process writes to it. */
export const openRegular = async (file: string) => {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw Object.assign(new Error(`${file} is not a regular file`), { code: 'ENOTSUP' })
}

/** Fails at once where `readFile` would wait for a pipe, or read a device without end. */
export async function readRegularFile(file: string): Promise<Buffer> {
  await using handle = await openRegular(file)
  return await handle.readFile()
}

/** Undefined: the file is larger. */
export async function readUpTo(file: string, maxBytes: number): Promise<Buffer | undefined> {
  await using handle = await openRegular(file)
  const { size } = await handle.stat()
  return size > maxBytes ? undefined : handle.readFile()
}

/** Undefined: the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Undefined: there is no such file, or it is not JSON. */
export const readJson = async (file: string): Promise<unknown> =>
  parseJson((await readRegularFile(file).catch(() => '')).toString())

/** The SHA-256 of a file, or of bytes as they arrive. */
export async function computeSha256(
  source: string | AsyncIterable<Uint8Array>,
  encoding: 'hex' | 'base64url' = 'hex',
): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of typeof source === 'string' ? createReadStream(source) : source) digest.update(chunk)
  return digest.digest(encoding)
}

/** Not `copyFile` of Node: if somebody truncates the source meanwhile, libuv never ends the copy. */
export const copyContent = (from: string, to: string, mode = 0o666) =>
  pipeline(createReadStream(from), createWriteStream(to, { mode }))

/** Replaces a file. Readers see the old bytes or the new ones, never a part, even after a power failure. */
export async function writeAtomically(file: string, bytes: string | Uint8Array): Promise<void> {
  const prepared = await prepareFile(file, bytes)
  try {
    await prepared.replace()
  } catch (error) {
    await prepared.discard()
    throw error
  }
}

/** Creates a complete file. Rejects with EEXIST if there is one. */
export async function createAtomically(file: string, bytes: string | Uint8Array): Promise<void> {
  const { temporary, discard } = await prepareFile(file, bytes)
  try {
    await link(temporary, file).catch((error) => {
      if (error.code === 'EEXIST') throw error
      // Some file systems have no links.
      return copyFile(temporary, file, constants.COPYFILE_EXCL)
    })
  } finally {
    await discard()
  }
}

/** With the rest of a temporary name it fits into 255 bytes, whatever characters it has. */
const MAX_NAME_PART = 64

export const nameTemporary = (file: string) =>
  join(dirname(file), `.${basename(file).slice(0, MAX_NAME_PART)}.${randomBytes(6).toString('hex')}.tmp`)

const TEMPORARY_NAME = /^\..+\.[0-9a-f]{12}\.tmp$/
/** Far more than any process needs between writing and renaming a file. */
const MAX_TEMPORARY_AGE_MS = 3_600_000

/** Removes the temporary files that killed processes left in a folder. */
export async function removeOldTemporaryFiles(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const path of names.filter((name) => TEMPORARY_NAME.test(name)).map((name) => join(folder, name))) {
    const found = await stat(path).catch(() => undefined)
    if (found?.isFile() && Date.now() - found.mtimeMs > MAX_TEMPORARY_AGE_MS) await rm(path, { force: true })
  }
}

/** Writes the new bytes beside the file. `replace` needs no space on the disk any more. Of a link, the target is replaced. */
export async function prepareFile(name: string, bytes: string | Uint8Array) {
  const before = await stat(name).catch(() => undefined)
  const file = before?.isFile() ? await realpath(name) : name
  await makeFolder(dirname(file))
  const temporary = nameTemporary(file)
  const discard = () => rm(temporary, { force: true })
  try {
    await using handle = await open(temporary, 'wx')
    // An operator whose umask is stricter must not lock out the service that reads the file.
    if (before) await handle.chmod(before.mode & 0o777)
    await giveTo(before ? file : dirname(file), temporary)
    await handle.writeFile(bytes)
    await handle.sync()
  } catch (error) {
    await discard()
    throw error
  }
  return { file, temporary, replace: () => rename(temporary, file), discard }
}

/** More than the high-water mark of a stream: see `reuseBuffer`. */
const CHUNK_BYTES = 256 * 2 ** 10
/** Reads of a reply at a time. One by one takes this thread twice as long; more would delay others on a slow disk. */
const MAX_READS = 16

interface StreamOptions {
  /**
   * A chunk is valid only until the next one is requested. For `pipeline` into a response: it requests the next chunk when
   * the last one is sent. A new buffer per chunk would halve the throughput, because the allocator is set up to return
   * large buffers to the system at once (scripts/menagerie.mjs).
   */
  readonly reuseBuffer?: boolean
}

/** First and last byte, both within the file. */
export type ByteRange = { readonly start: number; readonly end: number }

/** A part of a body: this ASCII text, or a range of the file. */
export type Piece = string | ByteRange
export type Pieces = Iterable<Piece>

const isText = (piece: Piece) => typeof piece === 'string'

const measure = (piece: Piece) => (isText(piece) ? piece.length : piece.end - piece.start + 1)

export function countBytes(pieces: Pieces): number {
  let sum = 0
  for (const piece of pieces) sum += measure(piece)
  return sum
}

/** The pieces of a file that is in memory. */
export function joinPieces(file: Buffer, pieces: Pieces): Buffer {
  const slice = (piece: Piece) => (isText(piece) ? Buffer.from(piece) : file.subarray(piece.start, piece.end + 1))
  return Buffer.concat(Array.from(pieces, slice))
}

/**
 * Yields pieces of a file. `isExpected` says whether it is the file that is meant; it must not change meanwhile, either:
 * a chunk is yielded only after that check. After a change the reply is cut short, and caches do not store such a reply.
 */
export async function* streamUnchanged(
  path: string,
  isExpected: (stats: Stats) => boolean,
  pieces: Pieces,
  { reuseBuffer = false }: StreamOptions = {},
): AsyncGenerator<Uint8Array> {
  let [remaining, buffer] = [countBytes(pieces), Buffer.alloc(0)]
  const allocateChunk = () => {
    const length = Math.min(CHUNK_BYTES, remaining)
    remaining -= length
    // Only the last chunk is shorter: `pipeline` does not wait after a small one.
    if (!reuseBuffer || buffer.length < length) buffer = Buffer.allocUnsafe(length)
    return buffer.subarray(0, length)
  }
  await using handle = await open(path)
  const opened = await handle.stat()
  if (!isExpected(opened)) throw fileChanged()
  let [chunk, used, reads] = [allocateChunk(), 0, [] as Read[]]
  for (const piece of pieces) {
    for (let at = 0; at < measure(piece); ) {
      const length = Math.min(measure(piece) - at, chunk.length - used)
      if (isText(piece)) chunk.write(piece.slice(at, at + length), used, 'latin1')
      else reads.push({ bytes: chunk.subarray(used, used + length), position: piece.start + at })
      at += length
      used += length
      const isFull = used === chunk.length
      if (isFull || reads.length === MAX_READS) await readAll(handle.fd, reads.splice(0))
      if (!isFull) continue
      if (identify(await handle.stat()) !== identify(opened)) throw fileChanged()
      yield chunk
      ;[chunk, used] = [allocateChunk(), 0]
    }
  }
}

const fileChanged = () => new Error('the file changed')

type Read = { readonly bytes: Buffer; readonly position: number }

/** Settles when no read is under way: the file may be closed then. */
async function readAll(fd: number, reads: readonly Read[]): Promise<void> {
  if (reads.length === 0) return
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let [pending, failure] = [reads.length, undefined as Error | undefined]
  const start = ({ bytes, position }: Read) =>
    read(fd, bytes, 0, bytes.length, position, (error, bytesRead) => {
      if (error || bytesRead === 0) failure = error ?? fileChanged()
      else if (bytesRead < bytes.length)
        return start({ bytes: bytes.subarray(bytesRead), position: position + bytesRead })
      if (--pending > 0) return
      if (failure) reject(failure)
      else resolve()
    })
  reads.forEach(start)
  await promise
}

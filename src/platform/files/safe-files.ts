import { randomBytes } from 'node:crypto'
import { mkdir, open, realpath, rename, rm, stat, statfs } from 'node:fs/promises'
import { basename, dirname, join, sep } from 'node:path'

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

/** The store, the logs and small changes need space, too. */
const MIN_FREE_BYTES = 64 * 1024 * 1024

/** Whether a large file fits on the disk of a folder. A folder that does not exist yet counts as one with space. */
export async function hasSpace(folder: string, bytes: number): Promise<boolean> {
  const disk = await statfs(folder).catch(() => undefined)
  return !disk || disk.bavail * disk.bsize - bytes >= MIN_FREE_BYTES
}

/** Undefined: the file is larger. */
export async function readUpTo(file: string, maxBytes: number): Promise<Buffer | undefined> {
  await using handle = await open(file)
  const { size } = await handle.stat()
  return size > maxBytes ? undefined : handle.readFile()
}

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

/** With the rest of a temporary name it fits into 255 bytes, whatever characters it has. */
const MAX_NAME_PART = 64

/** Writes the new bytes beside the file. `replace` needs no space on the disk any more. */
export async function prepareFile(file: string, bytes: string | Uint8Array) {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true })
  const before = await stat(file).catch(() => undefined)
  const temporary = join(folder, `.${basename(file).slice(0, MAX_NAME_PART)}.${randomBytes(6).toString('hex')}.tmp`)
  const discard = () => rm(temporary, { force: true })
  try {
    const handle = await open(temporary, 'wx')
    try {
      // An operator whose umask is stricter must not lock out the service that reads the file.
      if (before) await handle.chmod(before.mode & 0o777)
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    await discard()
    throw error
  }
  return { replace: () => rename(temporary, file), discard }
}

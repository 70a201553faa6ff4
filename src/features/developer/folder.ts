import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { resolveInside } from '../../platform/files/index.ts'

export interface FileEntry {
  readonly name: string
  readonly path: string
  readonly isDir: boolean
  readonly size: number
  readonly sha256: string | null
  readonly modifiedAt: string
}

export interface FileContent {
  readonly path: string
  readonly size: number
  readonly sha256: string
  readonly modifiedAt: string
  readonly encoding: 'json' | 'utf8' | 'base64'
  readonly content: unknown
}

// Generated files are small; one that is not is no file of ours.
const LARGEST_FILE = 16 * 1024 * 1024

/** What a folder that is open to everyone holds; undefined where there is nothing that may be shown. */
export async function listFolder(root: string, path: string): Promise<FileEntry[] | undefined> {
  const folder = path === '' ? root : await resolveInside(root, path)
  if (!folder) return undefined
  const names = await readdir(folder).catch(() => undefined)
  if (!names) return undefined
  const entries = await Promise.all(names.sort().map((name) => entryOf(root, path === '' ? name : `${path}/${name}`)))
  return entries.filter((entry) => entry !== undefined)
}

async function entryOf(root: string, path: string): Promise<FileEntry | undefined> {
  const file = await resolveInside(root, path)
  const stats = file ? await stat(file).catch(() => undefined) : undefined
  if (!file || !stats) return undefined
  const name = path.slice(path.lastIndexOf('/') + 1)
  const facts = { name, path, modifiedAt: stats.mtime.toISOString() }
  if (stats.isDirectory()) return { ...facts, isDir: true, size: 0, sha256: null }
  const bytes = await readWhole(file)
  return bytes && { ...facts, isDir: false, size: bytes.length, sha256: sha256(bytes) }
}

export async function readFileInside(root: string, path: string): Promise<FileContent | undefined> {
  const file = await resolveInside(root, path)
  const stats = file ? await stat(file).catch(() => undefined) : undefined
  const bytes = file && stats?.isFile() ? await readWhole(file) : undefined
  if (!stats || !bytes) return undefined
  return {
    path,
    size: bytes.length,
    sha256: sha256(bytes),
    modifiedAt: stats.mtime.toISOString(),
    ...decode(path, bytes),
  }
}

/** Undefined where the file went meanwhile, is no plain file, or is too large to be shown. */
async function readWhole(file: string): Promise<Buffer | undefined> {
  try {
    await using handle = await open(file)
    const stats: Stats = await handle.stat()
    // Read as many bytes as there were: a file that grows meanwhile is cut, not chased.
    if (!stats.isFile() || stats.size > LARGEST_FILE) return undefined
    const bytes = Buffer.alloc(stats.size)
    const { bytesRead } = await handle.read(bytes, 0, stats.size, 0)
    return bytes.subarray(0, bytesRead)
  } catch {
    return undefined
  }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

function decode(path: string, bytes: Buffer): Pick<FileContent, 'encoding' | 'content'> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { encoding: 'base64', content: bytes.toString('base64') }
  }
  if (path.endsWith('.json')) {
    try {
      return { encoding: 'json', content: JSON.parse(text) }
    } catch {
      // Not JSON after all: shown as the text that it is.
    }
  }
  return { encoding: 'utf8', content: text }
}

import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Backup, CONTENT, listContent } from './backup-folder.ts'

/** Copies the content, which a restore replaces, to `keptDir`. */
export async function keepContent(contentDir: string, dir: string, keptDir: string): Promise<void> {
  await mkdir(contentDir, { recursive: true })
  for (const path of await listContent(contentDir, dir)) {
    await copyTo(join(contentDir, path), join(keptDir, CONTENT, path))
  }
}

/** Replaces the content with that of a backup. */
export async function restoreContent({ name, files }: Backup, dir: string, contentDir: string): Promise<void> {
  const current = await listContent(contentDir, dir)
  const wanted = files.flatMap(({ path }) => (path.startsWith(CONTENT + sep) ? path.slice(CONTENT.length + 1) : []))
  for (const path of wanted) await copyTo(join(dir, name, CONTENT, path), join(contentDir, path))
  const kept = new Set(wanted)
  for (const path of current) if (!kept.has(path)) await rm(join(contentDir, path))
}

/** Through a new name, because the target may be a link, or be read at this moment. */
export async function copyTo(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true })
  const { atime, mtime } = await stat(from)
  const unfinished = join(dirname(to), `.restored-${process.pid}`)
  try {
    await pipeline(createReadStream(from), createWriteStream(unfinished))
    await utimes(unfinished, atime, mtime)
    await rename(unfinished, to)
  } finally {
    await rm(unfinished, { force: true })
  }
}

// The space of folders, and their owner: the user of the service must be able to use what a command of root writes.
import { lchown, mkdir, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The store, the logs and small changes need space, too. */
const MIN_FREE_BYTES = 64 * 1024 * 1024

/** Whether a large file fits on the disk of a folder. A folder that does not exist yet counts as one with space. */
export async function hasSpace(folder: string, bytes: number): Promise<boolean> {
  const disk = await statfs(folder).catch(() => undefined)
  return !disk || disk.bavail * disk.bsize - bytes >= MIN_FREE_BYTES
}

/** Gives the path to the owner of `owned`, if this process runs as root. */
export async function giveTo(owned: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(owned)
  // Not the target of a link, which that user may have made.
  await lchown(path, uid, gid).catch(() => {})
}

/** A new folder belongs to the owner of the folder above. */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  if ((await stat(folder).catch(() => undefined))?.isDirectory()) return
  await makeFolder(dirname(folder))
  await mkdir(folder, { recursive: true, ...(mode !== undefined && { mode }) })
  await giveTo(dirname(folder), folder)
}

import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** Whoever reads `file` sees the old bytes or the new ones, never a part, also after a power cut; and may still read it. */
export async function writeAtomically(file: string, bytes: string | Uint8Array): Promise<void> {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true })
  const before = await stat(file).catch(() => undefined)
  const temporary = join(folder, `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const handle = await open(temporary, 'wx')
    try {
      // An operator with a stricter umask must not lock out the service that reads it.
      if (before) await handle.chmod(before.mode & 0o777)
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

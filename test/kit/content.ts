import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { type ContentOptions, openContent } from '../../src/features/content/index.ts'
import { plainArtist } from './artist.ts'
import { temporaryFolder } from './folder.ts'

type Files = Record<string, string | Uint8Array>

export const LONG_AGO = new Date('2024-01-01')

/** Writes files with an old time, so that they count as settled. */
export async function writeSettledFiles(dir: string, files: Files): Promise<void> {
  for (const [name, bytes] of Object.entries(files)) {
    const file = join(dir, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, bytes)
    await utimes(file, LONG_AGO, LONG_AGO)
  }
}

/** Opens content with the given files; closes and removes it after the test. */
export async function openTestContent(t: TestContext, files: Files, options: Partial<ContentOptions> = {}) {
  const root = await temporaryFolder(t)
  const dir = join(root, 'content')
  await writeSettledFiles(dir, files)
  const logged: { fields: object; message: string }[] = []
  const keep = (fields: object, message: string) => void logged.push({ fields, message })
  const log = { info: keep, warn: keep, error: keep }
  const open = async (more: Partial<ContentOptions> = {}) => {
    const content = await openContent({ dir, artist: plainArtist, log, pooledDrawings: 0, ...options, ...more })
    t.after(() => content.close())
    return content
  }
  return { root, dir, logged, open, content: await open() }
}

// What an operator's folder is made of.
import { readdir, readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { envExample } from '../env-example.ts'
import { contentReadme, folderReadme } from './texts.ts'

export interface PlannedFile {
  /** Relative to the folder, with slashes. */
  readonly path: string
  readonly bytes: Buffer
  readonly mode?: number
}

/** A password may come to stand in it. */
const FOR_OWNER_ONLY = 0o600

export async function planFolder(starterDir: string, call: string): Promise<PlannedFile[]> {
  const written = (path: string, text: string, mode?: number): PlannedFile => ({
    path,
    bytes: Buffer.from(text),
    ...(mode !== undefined && { mode }),
  })
  return [
    written('README.md', folderReadme(call)),
    written('.env', envExample('Take the # away from what you change. "doctor" tells what is wrong.'), FOR_OWNER_ONLY),
    // For those who keep the folder in git: content belongs there, secrets and state do not.
    written('.gitignore', '.env*\ndata/\nbackup/\n*.sqlite*\n'),
    written('content/README.md', contentReadme),
    ...(await copiesOf(starterDir)),
  ]
}

async function copiesOf(starterDir: string): Promise<PlannedFile[]> {
  const entries = await readdir(starterDir, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  return Promise.all(
    paths.sort().map(async (path) => ({
      path: `content${path.slice(starterDir.length).replaceAll(sep, '/')}`,
      bytes: await readFile(path),
    })),
  )
}

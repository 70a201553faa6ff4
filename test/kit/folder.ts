import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Disposer = { after(work: () => Promise<void> | void): void }

/** A folder that is removed when the test (or suite) ends. */
export async function temporaryFolder(t: Disposer): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'menagerie-')))
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

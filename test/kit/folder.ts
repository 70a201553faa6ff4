import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Scope } from './scope.ts'

/** A folder that is removed when the test (or suite) ends. */
export async function temporaryFolder(t: Scope): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'menagerie-')))
  // Errors are ignored: a failing hook would skip the hooks that stop the processes that still write to the folder.
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }).catch(() => {}))
  return folder
}

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readOptionalFile, writeAtomically } from '../../platform/files/index.ts'
import { APP_PREFIX, type History } from './history.ts'
import { type FilePatch, versionOf } from './history-entry.ts'

/**
 * Recovers from changes that a killed process left: if all files of a change were written, it is kept, otherwise all of
 * them are restored. Call it under the lock of the folder: then no process is making these changes.
 */
export async function recover(history: History, contentDir: string, isApp: boolean): Promise<void> {
  for (const { id, files } of await history.listPending()) {
    if (files.some(({ file }) => file.startsWith(APP_PREFIX) !== isApp)) continue
    const states = await Promise.all(files.map((patch) => readState(contentDir, patch)))
    const isComplete = files.length > 0 && states.every(({ isAfter }) => isAfter)
    if (isComplete) {
      await history.commit(id)
      continue
    }
    for (const { patch, content, isAfter } of states.toReversed()) {
      // A file that was edited meanwhile stays as it is.
      if (!isAfter) continue
      const path = join(contentDir, patch.file)
      const before = await history.revert(patch, content)
      if (before === null) await rm(path, { force: true })
      else await writeAtomically(path, before)
    }
    await history.remove(id)
  }
}

async function readState(contentDir: string, patch: FilePatch) {
  const bytes = await readOptionalFile(contentDir, patch.file)
  const content = bytes && patch.bytes === undefined ? bytes.toString() : bytes
  return { patch, content, isAfter: versionOf(content) === patch.after }
}

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readBatches } from '../../src/platform/store/download-journal-file.ts'

/** The number of counts that the journals in a folder hold, also those of running processes. */
export const countInJournals = (folder: string): number =>
  globSync('*.journal', { cwd: folder })
    .flatMap((name) => readBatches(readFileSync(join(folder, name))))
    .reduce((sum, { total }) => sum + total, 0)

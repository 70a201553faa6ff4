import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { stampOf } from './read-list.ts'

export interface Candidate {
  readonly file: string
  /** Which list this is, where nothing more is known of it. */
  readonly source: string
}

export interface FoundList extends Candidate {
  readonly modifiedAt: Date
}

/** The list that is there, and what shows whether it changed. */
export interface Seen {
  readonly stamp: string
  readonly list: FoundList | undefined
}

const BLOCKLIST_FILE = 'blocklist.txt'

/** Where `updateBlocklist` puts a list. */
export const fetchedListFile = (dataDir: string) => join(dataDir, 'cache', BLOCKLIST_FILE)

/** The list that comes with the content. */
export const contentListFile = (contentDir: string) => join(contentDir, BLOCKLIST_FILE)

/** A list that the operator fetched goes before the one that comes with the content. */
export const blocklistCandidates = (dataDir: string, contentDir: string) => [
  { file: fetchedListFile(dataDir), source: 'update' },
  { file: contentListFile(contentDir), source: 'content' },
]

/** The first that exists. One that exists and cannot be read is an error: the next would block something else. */
export async function lookFor(candidates: readonly Candidate[]): Promise<Seen> {
  for (const candidate of candidates) {
    const stats = await stat(candidate.file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
      throw error
    })
    if (!stats) continue
    if (!stats.isFile()) throw new Error('it is not a file')
    return { stamp: `${candidate.file} ${stampOf(stats)}`, list: { ...candidate, modifiedAt: stats.mtime } }
  }
  return { stamp: '', list: undefined }
}

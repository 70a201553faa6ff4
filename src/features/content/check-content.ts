import type { Log, Problem } from '../../platform/logging/index.ts'
import type { Content, KindSummary } from './content.ts'
import type { Category } from './kinds.ts'
import { openContent } from './open-content.ts'
import type { Artist, Progress } from './types.ts'

/** The longest that a timer can wait: 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1

const noArtist: Artist = {
  kinds: [],
  describe: () => '',
  render: () => Promise.reject(new Error('a check renders no drawings')),
}
const silentLog: Log = { info() {}, warn() {}, error() {} }

export interface ContentReport {
  catalogue: Record<Category, KindSummary[]>
  problems: Problem[]
}

/** Reads all files of a content folder, without a cache, and finds their problems. */
export async function checkContent(dir: string, onProgress?: (progress: Progress) => void): Promise<ContentReport> {
  // No starter lists: they would hide that a list of this folder is missing or wrong.
  const options = { dir, starterDir: dir, artist: noArtist, log: silentLog, startTimeoutMs: MAX_TIMER_MS }
  const content = await openContent({ ...options, onProgress })
  try {
    return { catalogue: content.catalogue(), problems: [...content.problems(), ...findDuplicates(content)] }
  } finally {
    await content.close()
  }
}

function findDuplicates(content: Content): Problem[] {
  const first = new Map<string, string>()
  return [...content.pictures()].flatMap(({ kind, id, file }) => {
    const original = first.get(`${kind}/${id}`)
    if (original) return [{ file, rule: 'duplicate', message: `The same picture as ${original}.` }]
    first.set(`${kind}/${id}`, file)
    return []
  })
}

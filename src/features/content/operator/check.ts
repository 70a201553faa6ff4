import type { Content, KindSummary } from '../content.ts'
import type { Category } from '../kinds.ts'
import { openContent } from '../open.ts'
import type { Artist, Log, Problem, Progress } from '../types.ts'

const noArtist: Artist = {
  kinds: [],
  describe: () => '',
  picture: () => Promise.reject(new Error('nothing is drawn here')),
}
const silent: Log = { info() {}, warn() {}, error() {} }

export interface Checked {
  catalogue: Record<Category, KindSummary[]>
  problems: Problem[]
}

/** Reads all of a content folder, believing nothing that was remembered of it, and names what is wrong. */
export async function checkContent(dir: string, onProgress?: (progress: Progress) => void): Promise<Checked> {
  // No starter lists: they would hide that a list of this folder is missing or wrong.
  const options = { dir, starterDir: dir, artist: noArtist, log: silent, startWithinMs: FOR_AS_LONG_AS_IT_TAKES }
  const content = await openContent({ ...options, onProgress })
  try {
    return { catalogue: content.catalogue(), problems: [...content.problems(), ...twins(content)] }
  } finally {
    await content.close()
  }
}

/** The longest that a timer can wait: 24 days. */
const FOR_AS_LONG_AS_IT_TAKES = 2 ** 31 - 1

function twins(content: Content): Problem[] {
  const first = new Map<string, string>()
  return [...content.pictures()].flatMap(({ kind, id, file }) => {
    const twin = first.get(`${kind}/${id}`)
    if (twin) return [{ file, rule: 'duplicate', message: `The same picture as ${twin}.` }]
    first.set(`${kind}/${id}`, file)
    return []
  })
}

import type { Log, Problem } from '../../platform/logging/index.ts'
import { Content } from './content.ts'
import type { OnProgress } from './read-queue.ts'
import type { Artist } from './types.ts'

const noArtist: Artist = {
  kinds: [],
  describe: () => '',
  render: () => Promise.reject(new Error('a check renders no drawings')),
}
const silentLog: Log = { info() {}, warn() {}, error() {} }

/** Reads all files of a content folder, without a cache, and finds their problems. */
export async function checkContent(dir: string, onProgress?: OnProgress) {
  // No starter lists: they would hide that a list of this folder is missing or wrong.
  const content = await Content.open({ dir, starterDir: dir, artist: noArtist, log: silentLog, onProgress })
  try {
    await content.whenIndexed()
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

import { type Problem, silentLog } from '../../platform/logging/index.ts'
import { createArtist } from './artist.ts'
import { Content, type ContentOptions } from './content.ts'

/** Reads all files of a content folder, without a cache, and finds their problems. */
export async function checkContent(
  dir: string,
  { onProgress, lastGoodFolder }: Pick<ContentOptions, 'onProgress' | 'lastGoodFolder'> = {},
) {
  // No starter lists: they would hide that a list of this folder is missing or wrong.
  const options = { dir, starterDir: dir, artist: createArtist(), pooledDrawings: 0, log: silentLog }
  const content = await Content.open({ ...options, onProgress, lastGoodFolder })
  try {
    await content.whenIndexed()
    await content.reload()
    const problems = [...content.problems(), ...findDuplicates(content)]
    return { catalogue: content.catalogue(), problems, entryCounts: content.entryCounts() }
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

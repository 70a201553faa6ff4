import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { textItem } from './list.ts'
import type { Parsed } from './parsed.ts'
import type { Item, Problem } from './types.ts'
import { readYaml } from './yaml-file.ts'

const Videos = Type.Array(
  Type.Object(
    { id: Type.String({ pattern: '^[A-Za-z0-9_-]{11}$' }), title: Type.String({ minLength: 1, maxLength: 200 }) },
    { additionalProperties: false },
  ),
  { minItems: 1 },
)

const schema = Compile(Videos)

/** A YAML list of `id` (what stands behind `watch?v=`) and `title`. */
export function readVideoList(file: string, bytes: Buffer): Parsed<Item[]> {
  const { value, problems } = readYaml<Type.Static<typeof Videos>>(file, bytes, schema)
  if (!value) return { problems }
  const seen = new Set<string>()
  const doubled: Problem[] = []
  const items = value.flatMap((video) => {
    if (seen.has(video.id)) {
      doubled.push({ file, rule: 'duplicate', message: `The video ${video.id} is in the list more than once.` })
      return []
    }
    seen.add(video.id)
    return [textItem(`https://www.youtube.com/watch?v=${video.id}`, video)]
  })
  return { value: items, problems: doubled }
}

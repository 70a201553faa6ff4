import { type AnimalKind, describe } from '../../../../packages/artist/src/index.ts'

/** The cache is emptied as a whole when it is full. */
const MAX_CACHED = 500
const texts = new Map<string, string>()

/** What a drawing shows. The artist needs milliseconds for it, and pages show the same few drawings again and again. */
export function describeDrawing(kind: AnimalKind, name: string, background: 'scene' | 'none' = 'scene'): string {
  const key = `${kind} ${background} ${name}`
  const known = texts.get(key)
  if (known !== undefined) return known
  const { alt } = describe(kind, name, { background })
  if (texts.size >= MAX_CACHED) texts.clear()
  texts.set(key, alt)
  return alt
}

import type { AnimalKind } from './kind.ts'
import { kinds } from './kinds/index.ts'

export const artistKinds: readonly AnimalKind[] = kinds.map(({ name }) => name)

const byName = new Map(kinds.map((kind) => [kind.name, kind]))

function kindOf(name: AnimalKind) {
  const kind = byName.get(name)
  if (!kind) throw new RangeError(`Unknown kind "${name}". Known kinds: ${artistKinds.join(', ')}.`)
  return kind
}

/** The same kind and seed give the same bytes for ever. */
export const draw = (kind: AnimalKind, seed: string): string => kindOf(kind).draw(seed)

/** Alternative text for the picture of the same kind and seed. */
export const describe = (kind: AnimalKind, seed: string): string => kindOf(kind).describe(seed)

/** How many pictures differ in more than positions and sizes. */
export const combinations = (kind: AnimalKind): number => kindOf(kind).combinations

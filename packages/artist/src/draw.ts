import type { AnimalKind } from './kind.ts'
import { kinds } from './kinds/index.ts'

export const artistKinds: readonly AnimalKind[] = kinds.map(({ name }) => name)

const byName = new Map(kinds.map((kind) => [kind.name, kind]))

function findKind(name: AnimalKind) {
  const kind = byName.get(name)
  if (!kind) throw new RangeError(`Unknown kind "${name}". Known kinds: ${artistKinds.join(', ')}.`)
  return kind
}

/** The same kind and seed always give the same bytes, in every version. */
export const draw = (kind: AnimalKind, seed: string): string => findKind(kind).draw(seed)

/** The alt text of the picture of this kind and seed. */
export const describe = (kind: AnimalKind, seed: string): string => findKind(kind).describe(seed)

/** Number of pictures that differ in more than positions and sizes. */
export const combinations = (kind: AnimalKind): number => findKind(kind).combinations

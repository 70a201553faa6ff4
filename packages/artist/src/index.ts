import { alpaca } from './kinds/alpaca/index.ts'
import { bird } from './kinds/bird/index.ts'
import { cat } from './kinds/cat/index.ts'
import { dog } from './kinds/dog/index.ts'
import { fish } from './kinds/fish/index.ts'
import { fox } from './kinds/fox/index.ts'

export { SIZE } from './svg.ts'

/** The one list of animal kinds, in the order of the API. To add a kind, add its folder and one entry here. */
const kinds = { cat, dog, fox, fish, alpaca, bird }
export type AnimalKind = keyof typeof kinds
export const artistKinds = Object.keys(kinds) as AnimalKind[]

function findKind(name: AnimalKind) {
  if (!Object.hasOwn(kinds, name)) {
    throw new RangeError(`Unknown kind "${name}". Known kinds: ${artistKinds.join(', ')}.`)
  }
  return kinds[name]
}

/** The same kind and seed always give the same bytes, in every version. */
export const draw = (kind: AnimalKind, seed: string): string => findKind(kind).draw(seed)

/** The alt text of the picture of this kind and seed. */
export const describe = (kind: AnimalKind, seed: string): string => findKind(kind).describe(seed)

/** Number of pictures that differ in more than positions and sizes. */
export const combinations = (kind: AnimalKind): number => findKind(kind).combinations

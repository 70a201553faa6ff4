import type { Background, Description } from './kind.ts'
import { alpaca } from './kinds/alpaca/index.ts'
import { bird } from './kinds/bird/index.ts'
import { cat } from './kinds/cat/index.ts'
import { dog } from './kinds/dog/index.ts'
import { fish } from './kinds/fish/index.ts'
import { fox } from './kinds/fox/index.ts'
import { SIZE } from './svg.ts'

export { type Background, type Description, SIZE }

/** The one list of animal kinds, in the order of the API. To add a kind, add its folder and one entry here. */
const kinds = { cat, dog, fox, fish, alpaca, bird }
export type AnimalKind = keyof typeof kinds
export const artistKinds = Object.keys(kinds) as AnimalKind[]

/** The newest edition. An edition never changes after its release; changed drawings become a new edition. */
export const EDITION = 1
export const MIN_SIZE = 16
export const MAX_SIZE = 1024

export interface DrawOptions {
  /** `none`: only the animal, as for a sticker. Default: `scene`. */
  background?: Background | undefined
  /** Width and height of the picture, 16 to 1024; default: 512. */
  size?: number | undefined
  /** Default: 1, in every version of this package. */
  edition?: number | undefined
}

/** Not part of the package's interface. @internal */
export function findKind(name: AnimalKind) {
  if (!Object.hasOwn(kinds, name)) {
    throw new RangeError(`Unknown kind "${name}". Known kinds: ${artistKinds.join(', ')}.`)
  }
  return kinds[name]
}

function checkOptions({ background = 'scene', size = SIZE, edition = 1 }: DrawOptions) {
  if (background !== 'scene' && background !== 'none') {
    throw new RangeError(`The background is "scene" or "none", not "${background}".`)
  }
  if (!(Number.isInteger(size) && size >= MIN_SIZE && size <= MAX_SIZE)) {
    throw new RangeError(`The size is an integer from ${MIN_SIZE} to ${MAX_SIZE}, not ${size}.`)
  }
  if (edition !== EDITION) throw new RangeError(`There is no edition ${edition}. Known editions: ${EDITION}.`)
  return { background, size }
}

/**
 * An SVG document. Any text is a seed. The same arguments always give the same bytes, in every version from 1.0 on.
 */
export function draw(kind: AnimalKind, seed: string, options: DrawOptions = {}): string {
  const { background, size } = checkOptions(options)
  return findKind(kind).draw(seed, size, background)
}

/** What the picture of this kind and seed shows. `tags` and `color` are those of the picture with its scene. */
export function describe(kind: AnimalKind, seed: string, options: DrawOptions = {}): Description {
  return findKind(kind).describe(seed, checkOptions(options).background)
}

/** Number of pictures that differ in more than positions and sizes. */
export const combinations = (kind: AnimalKind): number => findKind(kind).combinations

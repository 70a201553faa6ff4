import { createChance, type Options } from './random.ts'
import { createSketch, type Sketch } from './sketch.ts'

export type AnimalKind = 'cat' | 'dog' | 'fox' | 'fish' | 'alpaca' | 'bird'
export type Traits = Readonly<Record<string, Options>>
export type Look<T extends Traits> = { [K in keyof T]: keyof T[K] & string }

export interface Kind {
  name: AnimalKind
  /** Number of combinations of visible traits; positions, sizes and angles vary in addition. */
  combinations: number
  draw(seed: string): string
  describe(seed: string): string
}

interface Definition<T extends Traits, D extends Traits> {
  name: AnimalKind
  /** Choices that are visible in every picture. */
  traits: T
  /** Choices that other choices may hide; they do not count as combinations. */
  details: D
  paint(look: Look<T & D>, sketch: Sketch): string
  describe(look: Look<T & D>): string
}

export const SIZE = 512

export function defineKind<const T extends Traits, const D extends Traits>(definition: Definition<T, D>): Kind {
  const { name, traits, details, paint } = definition
  const chanceFor = (seed: string) => createChance(`${name}/${seed}`)
  const features = Object.entries({ ...traits, ...details })
  const lookOf = (chance: ReturnType<typeof createChance>) => {
    const look: Record<string, string> = {}
    for (const [feature, options] of features) look[feature] = chance.choose(feature, options)
    return look as Look<T & D>
  }

  return {
    name,
    combinations: Object.values(traits).reduce((product, options) => product * Object.keys(options).length, 1),
    draw(seed) {
      const chance = chanceFor(seed)
      const content = paint(lookOf(chance), createSketch(chance))
      return `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}" viewBox="0 0 ${SIZE} ${SIZE}" stroke-linecap="round" stroke-linejoin="round">${content}</svg>`
    },
    describe: (seed) => definition.describe(lookOf(chanceFor(seed))),
  }
}

import { createChance, type Weights } from './random.ts'
import { createSketch, type Side, type Sketch } from './sketch.ts'
import { SIZE } from './svg.ts'

type Traits = Readonly<Record<string, Weights>>
/** The chosen option of each trait. */
export type Look<T extends Traits> = { [K in keyof T]: keyof T[K] & string }

interface KindDefinition<T extends Traits, D extends Traits> {
  /** Part of every seed: it must not change. */
  name: string
  /** Choices that are visible in every picture. */
  traits: T
  /** Choices that other choices may hide; they do not count as combinations. */
  details: D
  paint(look: Look<T & D>, sketch: Sketch): string
  describe(look: Look<T & D>): string
}

const sides: Record<Side, number> = { left: 1, right: 1 }

export function defineKind<const T extends Traits, const D extends Traits>(definition: KindDefinition<T, D>) {
  const { name, traits, details, paint, describe } = definition
  const features = Object.entries({ ...traits, ...details })
  const seededChance = (seed: string) => createChance(`${name}/${seed}`)
  const chooseLook = (chance: ReturnType<typeof createChance>) => {
    const look: Record<string, string> = {}
    for (const [feature, options] of features) look[feature] = chance.choose(feature, options)
    return look as Look<T & D>
  }

  return {
    /** Number of combinations of visible traits; positions, sizes and angles vary in addition. */
    combinations: Object.values(traits).reduce((product, options) => product * Object.keys(options).length, 1),
    draw(seed: string): string {
      const chance = seededChance(seed)
      const content = paint(chooseLook(chance), createSketch(chance, chance.choose('side', sides)))
      return `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE}" height="${SIZE}" viewBox="0 0 ${SIZE} ${SIZE}" stroke-linecap="round" stroke-linejoin="round">${content}</svg>`
    },
    describe: (seed: string): string => describe(chooseLook(seededChance(seed))),
  }
}

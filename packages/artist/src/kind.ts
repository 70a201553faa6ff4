import { listBoxes } from './boxes.ts'
import type { Colour } from './colour.ts'
import { createChance, type Weights } from './random.ts'
import { drawSparkles, type Shiny, shinyWeights } from './shiny.ts'
import { createSketch, type Side, type Sketch } from './sketch.ts'
import { SIZE } from './svg.ts'

type Traits = Readonly<Record<string, Weights>>
/** The chosen option of each trait. */
export type Look<T extends Traits> = { [K in keyof T]: keyof T[K] & string } & { shiny: Shiny }

/** A look, for code that treats all kinds alike. */
export type Choices = Readonly<Record<string, string>>

/** What the search by tags needs of a kind. */
export interface LookSource {
  /** Precedes every seed. */
  readonly name: string
  /** All traits with their options. */
  readonly features: readonly (readonly [name: string, options: Weights])[]
  chooseLook(seed: string): Choices
  listTags(look: Choices): readonly string[]
}

export interface Painting {
  /** The scene behind the animal. */
  back: string
  animal: string
  /** The part of the scene in front of the animal. */
  front: string
  /** The colour that fills most of the picture. */
  color: Colour
}

/** What a picture shows, in words. */
export interface LookDescription {
  /** "A ginger cat with a red scarf, smiling and sitting" */
  animal: string
  /** "in falling snow" */
  scene: string
  tags: readonly string[]
}

interface KindDefinition<T extends Traits, D extends Traits> {
  /** Part of every seed: it must not change. */
  name: string
  /** Choices that are visible in every picture. */
  traits: T
  /** Choices that other choices may hide; they do not count as combinations. */
  details: D
  /** True if the parts of this look would collide, hide each other or lack contrast; another look is then chosen. */
  isFaulty?(look: Look<T & D>): boolean
  paint(look: Look<T & D>, sketch: Sketch): Painting
  describe(look: Look<T & D>): LookDescription
}

export type Background = 'scene' | 'none'

export interface Description {
  /** The alt text. */
  alt: string
  /** Lowercase words, joined by hyphens. */
  tags: string[]
  /** The colour that fills most of the picture, as #rrggbb. */
  color: Colour
}

const sides: Record<Side, number> = { left: 1, right: 1 }

/** Nearly every seed finds a good look with a few attempts. */
const MAX_ATTEMPTS = 50

const formatTag = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-')

export function defineKind<const T extends Traits, const D extends Traits>(definition: KindDefinition<T, D>) {
  const { name, traits, details, isFaulty, paint, describe } = definition
  const features = Object.entries({ ...traits, ...details, shiny: shinyWeights })

  /** The same seed always gives the same look. */
  function chooseLook(seed: string) {
    // "é" may be one character or two; both are the same name.
    const text = seed.normalize('NFC')
    for (let attempt = 0; ; attempt++) {
      const chance = createChance(attempt === 0 ? `${name}/${text}` : `${name}/${text}/${attempt}`)
      const choices: Record<string, string> = {}
      for (const [feature, options] of features) choices[feature] = chance.choose(feature, options)
      const look = choices as unknown as Look<T & D>
      if (attempt === MAX_ATTEMPTS || !isFaulty?.(look)) return { look, chance }
    }
  }

  function compose(seed: string) {
    const { look, chance } = chooseLook(seed)
    const painting = paint(look, createSketch(chance, chance.choose('side', sides), look.shiny))
    if (look.shiny !== 'none') painting.animal += drawSparkles(look.shiny, chance, listBoxes(painting.animal))
    return { look, painting }
  }

  const listTags = (look: Look<T & D>, tags = describe(look).tags) => [
    ...new Set([name, ...tags.map(formatTag), ...(look.shiny === 'none' ? [] : ['shiny', look.shiny])]),
  ]

  return {
    /** For the search by tags. */
    looks: {
      name,
      features,
      chooseLook: (seed) => chooseLook(seed).look,
      listTags: (look) => listTags(look as Look<T & D>),
    } satisfies LookSource,
    /** Number of combinations of visible traits; positions, sizes and angles vary in addition. */
    combinations: Object.values(traits).reduce((product, options) => product * Object.keys(options).length, 1),
    draw(seed: string, size: number, background: Background): string {
      const { back, animal, front } = compose(seed).painting
      const content = background === 'none' ? animal : back + animal + front
      return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${SIZE} ${SIZE}" stroke-linecap="round" stroke-linejoin="round">${content}</svg>`
    },
    describe(seed: string, background: Background): Description {
      const { look, painting } = compose(seed)
      const { animal, scene, tags } = describe(look)
      return {
        alt: background === 'none' ? animal : `${animal} ${scene}`,
        tags: listTags(look, tags),
        color: painting.color,
      }
    },
  }
}

import { type Colour, shadeOn } from './colour.ts'
import type { Chance } from './random.ts'
import { drawSheen, type Shiny } from './shiny.ts'
import { mirror, mirrorPicture, opacity, rect, svg } from './svg.ts'

export type Side = 'left' | 'right'

/** The state of one drawing: random choices, ids, and the light, which comes from the top left in every picture. */
export interface Sketch {
  chance: Chance
  facing: Side
  clip(outline: string, ...content: string[]): string
  /**
   * A flat shape with markings inside the outline and a crescent of shade, `depth` wide, on the side away from the light.
   * Shiny animals have a sheen on all shapes.
   */
  shadedShape(outline: string, fill: Colour, markings?: string, depth?: number): string
  /** The same for an object beside the animal: without a sheen. */
  shadedObject(outline: string, fill: Colour, markings?: string, depth?: number): string
  /** A part, and a reference that draws it again elsewhere. */
  reusable(part: string): readonly [part: string, reference: string]
  /** A part and its mirror image about x = 0, which is a reference: smaller than `bothSides` of svg.ts for large parts. */
  bothSides(part: string): string
  /** All animals are drawn facing left; this mirrors the picture of an animal that faces right. */
  turnToSide(animal: string): string
  /** A part around 0,0 that `turnToSide` shall not mirror. */
  unturn(part: string): string
}

export function createSketch(chance: Chance, facing: Side, shiny: Shiny = 'none'): Sketch {
  let ids = 0
  const newId = () => `a${chance.id}${(ids++).toString(36)}`
  const reusable = (part: string) => {
    const id = newId()
    return [`<g id="${id}">${part}</g>`, `<use href="#${id}"/>`] as const
  }
  const clip = (outline: string, ...content: string[]) => {
    const id = newId()
    return `<clipPath id="${id}"><path d="${outline}"/></clipPath><g clip-path="url(#${id})">${content.join('')}</g>`
  }
  let sheenReference = ''
  const sheen = () => {
    if (shiny === 'none' || sheenReference) return sheenReference
    const [first, reference] = reusable(drawSheen(shiny))
    sheenReference = reference
    return first
  }
  // The shade is everything outside a copy of the outline that is moved towards the light.
  const shadedObject = (outline: string, fill: Colour, markings = '', depth = 12) => {
    const x = facing === 'left' ? -depth : depth
    const [colour, strength] = shadeOn(fill, 0.17)
    const shade = svg`<path d="M-999-999H1999V1999H-999Z${outline}" transform="translate(${x} ${-depth})" fill="${colour}" fill-rule="evenodd" ${opacity(strength)}/>`
    return clip(outline, rect(-600, -600, 1700, 1700, fill), markings, shade)
  }
  return {
    chance,
    facing,
    clip,
    shadedObject,
    reusable,
    bothSides(part) {
      const [first, reference] = reusable(part)
      return first + mirror(reference)
    },
    shadedShape: (outline, fill, markings = '', depth = 12) => shadedObject(outline, fill, markings + sheen(), depth),
    unturn: (part) => (facing === 'left' ? part : mirror(part)),
    turnToSide: (animal) => (facing === 'left' || !animal ? animal : mirrorPicture(animal)),
  }
}

/** For another animal beside a shiny one. */
export const withoutSheen = (sketch: Sketch): Sketch => ({ ...sketch, shadedShape: sketch.shadedObject })

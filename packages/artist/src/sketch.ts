import { SHADOW } from './colour.ts'
import type { Chance } from './random.ts'
import { box, flipped, n } from './svg.ts'

/** One picture in the making: its chances, its ids, and the light, which falls from the top left in every picture. */
export interface Sketch {
  chance: Chance
  clip(outline: string, ...content: string[]): string
  /** A flat shape with its markings inside the outline and a crescent of shade on the side away from the light. */
  solid(outline: string, fill: string, markings?: string, depth?: number): string
  /** A part that has ids of its own, and its like to be put elsewhere. */
  twice(part: string): readonly [first: string, again: string]
  /** The same as the two sides of something about x = 0. */
  pair(part: string): string
  /** While an animal is drawn for mirroring, its light must come from the other side. */
  facing: 'left' | 'right'
}

export function sketchOf(chance: Chance): Sketch {
  let ids = 0
  const newId = () => `a${chance.id}${(ids++).toString(36)}`
  const twice = (part: string) => {
    const id = newId()
    return [`<g id="${id}">${part}</g>`, `<use href="#${id}"/>`] as const
  }
  const clip = (outline: string, ...content: string[]) => {
    const id = newId()
    return `<clipPath id="${id}"><path d="${outline}"/></clipPath><g clip-path="url(#${id})">${content.join('')}</g>`
  }
  const sketch: Sketch = {
    chance,
    facing: 'left',
    clip,
    twice,
    pair(part) {
      const [first, again] = twice(part)
      return first + flipped(again)
    },
    solid(outline, fill, markings = '', depth = 12) {
      const x = sketch.facing === 'left' ? -depth : depth
      const shade = `<path d="M-999-999H1999V1999H-999Z${outline}" transform="translate(${n(x)} ${n(-depth)})" fill="${SHADOW}" fill-rule="evenodd" opacity=".17"/>`
      return clip(outline, box(-600, -600, 1700, 1700, fill), markings, shade)
    },
  }
  return sketch
}

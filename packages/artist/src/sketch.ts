import { SHADOW } from './colour.ts'
import type { Chance } from './random.ts'
import { box, flip, n } from './svg.ts'

/** The state of one drawing: random choices, ids, and the light, which comes from the top left in every picture. */
export interface Sketch {
  chance: Chance
  clip(outline: string, ...content: string[]): string
  /** A flat shape with markings inside the outline, and a crescent of shade on the side away from the light. */
  solid(outline: string, fill: string, markings?: string, depth?: number): string
  /** A part, and a reference to it that draws it again elsewhere. */
  twice(part: string): readonly [first: string, again: string]
  /** A part and its mirror image about x = 0, by reference. */
  pair(part: string): string
  /** An animal that will be mirrored is drawn with light from the other side. */
  facing: 'left' | 'right'
}

export function createSketch(chance: Chance): Sketch {
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
      return first + flip(again)
    },
    solid(outline, fill, markings = '', depth = 12) {
      const x = sketch.facing === 'left' ? -depth : depth
      const shade = `<path d="M-999-999H1999V1999H-999Z${outline}" transform="translate(${n(x)} ${n(-depth)})" fill="${SHADOW}" fill-rule="evenodd" opacity=".17"/>`
      return clip(outline, box(-600, -600, 1700, 1700, fill), markings, shade)
    },
  }
  return sketch
}

import { type Eyewear, eyewear, eyewearWords } from './accessories/eyewear.ts'
import { type Headwear, headwear, headwearWords } from './accessories/headwear.ts'
import { hang, type Neckwear, neckwear, neckwearWords } from './accessories/neckwear.ts'
import type { Posed } from './bodies/pose.ts'
import { type Colour, SHADOW } from './colour.ts'
import { type EyeStyle, eyeStyles, eyeWords } from './faces/eyes.ts'
import { type Accent, accentOptions, wornColours } from './palette.ts'
import { equalWeights } from './random.ts'
import { landScenes } from './scenes/land.ts'
import { paintScene } from './scenes/scene.ts'
import type { Sketch } from './sketch.ts'
import { ellipse, fade, place } from './svg.ts'

/** Traits that all land animals share. */
export const landTraits = { eyes: eyeStyles, headwear, neckwear, scene: equalWeights(landScenes) } as const

/** Choices that are not visible in every picture, for example the colour of accessories. */
export const landDetails = { accent: accentOptions, eyewear, side: { left: 1, right: 1 } } as const

export interface LandLook {
  eyes: EyeStyle
  headwear: Headwear
  neckwear: Neckwear
  scene: keyof typeof landScenes
  accent: Accent
  eyewear: Eyewear
  side: 'left' | 'right'
}

export const mirror = (content: string) => `<g transform="matrix(-1 0 0 1 512 0)">${content}</g>`

interface Parts {
  /** The colours that must stand out from the background. */
  coat: readonly Colour[]
  /** `pose` and `head` are called after the direction of the light is set. */
  pose(): Posed
  head(): string
}

export function composeOnLand(look: LandLook, { coat, pose, head }: Parts, sketch: Sketch): string {
  const { back, front } = paintScene(landScenes[look.scene], coat, sketch)
  const { main, second } = wornColours(look.accent, coat[0]!)
  sketch.facing = look.side
  const posed = pose()
  const animal = [
    posed.shadow ? ellipse(posed.shadow.x, 447, posed.shadow.rx, 15, SHADOW, 0, fade(0.22)) : '',
    posed.body,
    place(posed.neck, hang(look.neckwear, main, second)),
    place(posed.head, head()),
    posed.front ?? '',
  ].join('')
  return back + (look.side === 'left' ? animal : mirror(animal)) + (posed.shadow ? front : '')
}

export const inColour = (words: string, accent: Accent) =>
  words.replace('COLOUR', accent).replace('a orange', 'an orange')

const joinWords = (things: readonly string[]) =>
  things.length > 1 ? `${things.slice(0, -1).join(', ')} and ${things.at(-1)}` : things.join('')

/** "A ginger tabby cat with green eyes and a red scarf, smiling, sitting in falling snow." */
export function composeSentence(
  what: string,
  having: readonly string[],
  doing: readonly string[],
  where: string,
): string {
  const things = having.filter(Boolean)
  const article = /^[aeiou]/i.test(what) ? 'An' : 'A'
  return `${article} ${what}${things.length > 0 ? ` with ${joinWords(things)}` : ''}, ${joinWords(doing)} ${where}`
}

export function describeOnLand(
  look: LandLook,
  what: string,
  having: readonly string[],
  doing: readonly string[],
): string {
  const worn = [
    inColour(headwearWords[look.headwear], look.accent),
    inColour(neckwearWords[look.neckwear], look.accent),
    eyewearWords[look.eyewear],
  ]
  return composeSentence(what, [...having, ...worn], [eyeWords[look.eyes], ...doing], landScenes[look.scene].words)
}

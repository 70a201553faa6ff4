import { type Eyewear, eyewearPhrases, eyewearWeights } from './accessories/eyewear.ts'
import { type Headwear, headwearPhrases, headwearWeights } from './accessories/headwear.ts'
import { drawNeckwear, type Neckwear, neckwearPhrases, neckwearWeights } from './accessories/neckwear.ts'
import { type Accent, accentWeights, accessoryColours, type Colour, SHADOW } from './colour.ts'
import { type EyeStyle, eyePhrases, eyeStyleWeights } from './face.ts'
import type { LookDescription, Painting } from './kind.ts'
import { equalWeights } from './random.ts'
import { landScenes } from './scenes/land.ts'
import { paintScene } from './scenes/scene.ts'
import { composeSentence, insertColour } from './sentence.ts'
import type { Sketch } from './sketch.ts'
import { ellipse, opacity, type Placement, place } from './svg.ts'

export const landTraits = {
  eyes: eyeStyleWeights,
  headwear: headwearWeights,
  neckwear: neckwearWeights,
  scene: equalWeights(landScenes),
} as const

export const landDetails = { accent: accentWeights, eyewear: eyewearWeights } as const

export interface LandLook {
  eyes: EyeStyle
  headwear: Headwear
  neckwear: Neckwear
  scene: keyof typeof landScenes
  accent: Accent
  eyewear: Eyewear
}

/** A body in a pose, and the places of its head and its neckwear. */
export interface PosedBody {
  body: string
  /** Parts in front of the head: paws, the rim of a box. */
  front?: string
  head: Placement
  neck: Placement
  /** The shadow on the ground; none if the body does not touch the ground inside the picture. */
  shadow?: { x: number; rx: number }
}

/** `mainColours` must stand out from the background. */
export function paintLandAnimal(
  look: LandLook,
  mainColours: readonly [Colour, ...Colour[]],
  posed: PosedBody,
  head: string,
  sketch: Sketch,
): Painting {
  const { back, front, color } = paintScene(landScenes[look.scene], mainColours, sketch)
  const { main, second } = accessoryColours(look.accent, mainColours[0])
  const shadow = posed.shadow ? ellipse(posed.shadow.x, 447, posed.shadow.rx, 15, SHADOW, 0, opacity(0.22)) : ''
  const animal = [
    posed.body,
    place(posed.neck, drawNeckwear(look.neckwear, main, second)),
    place(posed.head, head),
    posed.front ?? '',
  ].join('')
  return {
    back: back + sketch.turnToSide(shadow),
    animal: sketch.turnToSide(animal),
    front: posed.shadow ? front : '',
    color,
  }
}

export function describeLandAnimal(
  look: LandLook,
  animal: string,
  features: readonly string[],
  actions: readonly string[],
  eyes = eyePhrases[look.eyes],
): LookDescription {
  const accessories = [
    insertColour(headwearPhrases[look.headwear], look.accent),
    insertColour(neckwearPhrases[look.neckwear], look.accent),
    eyewearPhrases[look.eyewear],
  ]
  const { headwear, neckwear, eyewear } = look
  return {
    animal: composeSentence(animal, [...features, ...accessories], [eyes, ...actions]),
    scene: landScenes[look.scene].phrase,
    tags: [
      look.scene,
      ...(landScenes[look.scene].tags ?? []),
      ...[headwear, neckwear, eyewear].filter((name) => name !== 'none'),
    ],
  }
}

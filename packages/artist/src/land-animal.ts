import { type Eyewear, eyewearPhrases, eyewearTags, eyewearWeights, isEyewearColoured } from './accessories/eyewear.ts'
import {
  getHatColour,
  type Headwear,
  headwearPhrases,
  headwearTags,
  headwearWeights,
  isHeadwearColoured,
} from './accessories/headwear.ts'
import { drawNeckwear, type Neckwear, neckwearPhrases, neckwearTags, neckwearWeights } from './accessories/neckwear.ts'
import { listBoxes } from './boxes.ts'
import { type Accent, accentWeights, accessoryColours, type Colour, contrast, isVisibleOn, shadeOn } from './colour.ts'
import {
  describeExpression,
  type EyeStyle,
  eyePhrases,
  eyeStyleWeights,
  isContradictory,
  listMoods,
  type MouthStyle,
} from './face.ts'
import type { LookDescription, Painting } from './kind.ts'
import { equalWeights } from './random.ts'
import { landScenes } from './scenes/land.ts'
import { paintScene, standsOut } from './scenes/scene.ts'
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
  /** Undefined for birds, which have a beak. */
  mouth?: MouthStyle
}

/** Sunglasses hide the eyes. */
const visibleEyes = ({ eyes, eyewear }: LandLook) => (eyewear === 'shades' ? 'hidden' : eyes)

/** The colour of a hat, which must stand out from coat and background. */
export const listHatColours = ({ headwear, accent }: LandLook, coat: Colour) => {
  const { main, second } = accessoryColours(accent, coat)
  const colour = getHatColour(headwear, main)
  // A woolly hat has a bobble, a cap a peak.
  return colour ? [colour, ...(headwear === 'beanie' || headwear === 'cap' ? [second] : [])] : []
}

/** Hats of gold, straw or felt have a shape that is easy to see, so that less contrast to the coat is enough. */
const MIN_HAT_CONTRAST = 105

/** About the colour of the moon in every scheme. */
export const MOON = '#feb'

/**
 * True if an accessory has the colour of the coat, the animal or its hat has the colours of the scene, or eyes and
 * mouth contradict each other. `minorColours` are those of ears and tails. `mainColours` must stand out from the scene;
 * by default, they are those of the coats.
 */
export function isLandLookFaulty(
  look: LandLook,
  coats: readonly [Colour, ...Colour[]],
  minorColours: readonly Colour[] = [],
  mainColours: readonly Colour[] = coats,
) {
  const { headwear, neckwear, eyewear, accent, scene, eyes, mouth } = look
  const isAccentVisible = isHeadwearColoured(headwear) || neckwear !== 'none' || isEyewearColoured(eyewear)
  const hatColours = listHatColours(look, coats[0])
  return (
    (mouth !== undefined && isContradictory(eyes, mouth)) ||
    (isAccentVisible && coats.some((coat) => !isVisibleOn(accent, coat))) ||
    hatColours.some((hat) => contrast(hat, coats[0]) < MIN_HAT_CONTRAST) ||
    // The large moon may be behind the head.
    (scene === 'night' && hatColours.some((hat) => contrast(hat, MOON) < MIN_HAT_CONTRAST)) ||
    !standsOut(landScenes[scene], mainColours, [...minorColours, ...hatColours])
  )
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

/** `mainColours` must stand out from the background; so should `minorColours`, those of ears and tails. */
export function paintLandAnimal(
  look: LandLook,
  mainColours: readonly [Colour, ...Colour[]],
  posed: PosedBody,
  head: string,
  sketch: Sketch,
  minorColours: readonly Colour[] = [],
): Painting {
  const { main, second } = accessoryColours(look.accent, mainColours[0])
  const placedHead = place(posed.head, head)
  const neckwear = drawNeckwear(look.neckwear, main, second)
  // Neckwear lies below the chin, or the head would hide it.
  const chin = neckwear ? Math.max(...listBoxes(placedHead).map(([, , , bottom]) => bottom)) : 0
  const neck = { ...posed.neck, y: Math.max(posed.neck.y, chin - 4 * (posed.neck.scale ?? 1)) }
  const animal = sketch.turnToSide([posed.body, place(neck, neckwear), placedHead, posed.front ?? ''].join(''))
  const { back, front, near, ...rest } = paintScene(
    landScenes[look.scene],
    mainColours,
    sketch,
    [...minorColours, ...listHatColours(look, mainColours[0])],
    listBoxes(animal),
  )
  const [shade, strength] = shadeOn(near, 0.22)
  const shadow = posed.shadow ? ellipse(posed.shadow.x, 447, posed.shadow.rx, 15, shade, 0, opacity(strength)) : ''
  return {
    back: back + sketch.turnToSide(shadow),
    animal,
    front: posed.shadow ? front : '',
    ...rest,
  }
}

/** `actions` follow the expression of the face. `eyePhrase` is for animals without a mouth. */
export function describeLandAnimal(
  look: LandLook,
  animal: string,
  features: readonly string[],
  actions: readonly string[],
  eyePhrase = eyePhrases[look.eyes],
): LookDescription {
  const { headwear, neckwear, eyewear, mouth } = look
  const hat = mouth ? headwearPhrases[headwear] : headwearPhrases[headwear].replace('ear', 'head')
  const accessories = [hat, neckwearPhrases[neckwear], eyewearPhrases[eyewear]]
  const eyes = visibleEyes(look)
  const expression = mouth ? describeExpression(eyes, mouth) : eyes === 'hidden' ? [] : [eyePhrase]
  return {
    animal: composeSentence(
      animal,
      [...features, ...accessories.map((phrase) => insertColour(phrase, look.accent))],
      // A sleeping animal does not pose.
      [...expression, ...actions.filter((action) => eyes !== 'closed' || !action.startsWith('posing'))],
    ),
    scene: landScenes[look.scene].phrase,
    tags: [
      look.scene,
      ...(landScenes[look.scene].tags ?? []),
      ...([headwearTags[headwear], neckwearTags[neckwear], eyewearTags[eyewear]].join(' ').match(/\S+/g) ?? []),
      ...listMoods(eyes, mouth),
    ],
  }
}

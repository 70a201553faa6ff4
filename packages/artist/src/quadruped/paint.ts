import { isEyewearColoured } from '../accessories/eyewear.ts'
import { isHeadwearColoured } from '../accessories/headwear.ts'
import type { Neckwear } from '../accessories/neckwear.ts'
import { listBoxes } from '../boxes.ts'
import { type Colour, darken, hasVisibleLines, isVisibleOn } from '../colour.ts'
import { isLineStyle } from '../face.ts'
import type { Painting } from '../kind.ts'
import { isLandLookFaulty, listHatColours, type PosedBody, paintLandAnimal } from '../land-animal.ts'
import { landScenes } from '../scenes/land.ts'
import { standsOut } from '../scenes/scene.ts'
import { type Sketch, withoutSheen } from '../sketch.ts'
import { mirrorPicture, type Placement, place, SIZE } from '../svg.ts'
import { type Character, type PoseName, poses, type QuadrupedLook } from './look.ts'
import type { Build } from './pose.ts'
import { sittingInPair } from './poses/sitting.ts'

/** On snow, nearly every tip of a tail would be too pale. */
const listMinorColours = ({ build: { coat }, ears }: Character, { scene }: QuadrupedLook) => [
  ears,
  coat.tail ?? coat.base,
  ...(coat.tailTip && scene !== 'snow' ? [coat.tailTip] : []),
]

/** Animals in these poses are awake. */
const activePoses = new Set<PoseName>(['standing', 'running', 'jumping', 'playing'])

/** In these poses, the rim of a box would cut a bow or a bell, or it would lie on the chest or on a leg. */
const narrowPoses = new Set<PoseName>(['boxed', 'stretching', 'running', 'jumping'])

/** The head of a curled animal lies on its neck. */
const hidesNeckwear = (pose: PoseName, neckwear: Neckwear) =>
  pose === 'curled' || (narrowPoses.has(pose) && neckwear !== 'scarf' && neckwear !== 'bandana')

export function isQuadrupedFaulty(look: QuadrupedLook, character: Character): boolean {
  const { eyes, eyewear, neckwear, pose } = look
  return (
    isLandLookFaulty(look, [character.build.coat.base], listMinorColours(character, look)) ||
    (neckwear !== 'none' && hidesNeckwear(pose, neckwear)) ||
    // Cardboard has the colour of sand.
    (pose === 'boxed' && look.scene === 'seaside') ||
    (pose === 'running' && look.scene === 'room') ||
    // A portrait hides the flowers.
    (pose === 'portrait' && look.scene === 'meadow') ||
    // A ball may have the colour of the circle.
    (pose === 'playing' && look.scene === 'spot') ||
    ((isHeadwearColoured(look.headwear) || isEyewearColoured(eyewear)) &&
      character.eyeBackgrounds.some((colour) => !isVisibleOn(look.accent, colour))) ||
    (isLineStyle(eyes) && !hasVisibleLines(...character.eyeBackgrounds)) ||
    // Closed or sleepy eyes contradict an active pose, and look like a mistake behind glasses.
    ((eyes === 'closed' || eyes === 'sleepy') && (activePoses.has(pose) || eyewear !== 'none'))
  )
}

/** Tall ears and hats must stay inside the picture. */
const MARGIN = 8
function fitHead(placement: Placement, head: string): Placement {
  const top = Math.min(...listBoxes(place({ ...placement, x: 0, y: 0, scale: 1 }, head)).map((box) => box[1]))
  return { ...placement, scale: Math.min(placement.scale ?? 1, (MARGIN - placement.y) / top) }
}

/** Two animals sit side by side: the first wears the accessories; the other is smaller or has the same size. */
const pairPlacements = {
  family: [
    { x: 184, scale: 0.84 },
    { x: 388, scale: 0.56 },
  ],
  friends: [
    { x: 150, scale: 0.72 },
    { x: 362, scale: 0.72 },
  ],
} as const

/** The feet stay on the ground. */
const GROUND_Y = 446
const moveToPair = ({ x, scale }: { x: number; scale: number }): Placement => ({
  x: x - (SIZE / 2) * scale,
  y: GROUND_Y * (1 - scale),
  scale,
})

/** A pale tip would vanish in front of the moon. */
const dimTailTip = ({ scene }: QuadrupedLook, build: Build): Build => {
  const { tailTip } = build.coat
  return scene === 'night' && tailTip ? { ...build, coat: { ...build.coat, tailTip: darken(tailTip, 0.15) } } : build
}

/** `createCompanion` is only called for pairs. */
export function paintQuadruped(
  look: QuadrupedLook,
  character: Character,
  createCompanion: () => Character,
  sketch: Sketch,
): Painting {
  const { drawHead } = character
  const build = dimTailTip(look, character.build)
  const posed: PosedBody = poses[look.pose](build, sketch)
  const headArt = drawHead(sketch)
  const head = fitHead(posed.head, headArt)
  if (look.pose !== 'family' && look.pose !== 'friends') {
    return paintLandAnimal(
      look,
      [build.coat.base],
      { ...posed, head },
      headArt,
      sketch,
      listMinorColours(character, look),
    )
  }
  const [first, second] = pairPlacements[look.pose]
  const companion = createCompanion()
  // The young has the coat of its parent, so its body is a reference. Its head is larger.
  const [body, reference] = sketch.reusable(posed.body)
  const isYoung = look.pose === 'family'
  const otherHead = isYoung ? { ...posed.head, y: 206, scale: 1.24 } : posed.head
  const otherSketch = isYoung ? sketch : withoutSheen(sketch)
  const otherHeadArt = companion.drawHead(otherSketch)
  const other = place(
    moveToPair(second),
    isYoung ? reference : sittingInPair(dimTailTip(look, companion.build), otherSketch).body,
    place(fitHead(otherHead, otherHeadArt), otherHeadArt),
  )
  // The tail of the first animal points away from the other one.
  const frame = moveToPair(first)
  const inFrame = (part: Placement): Placement => ({
    ...part,
    x: frame.x + part.x * first.scale,
    y: frame.y + part.y * first.scale,
    scale: (part.scale ?? 1) * first.scale,
  })
  return paintLandAnimal(
    look,
    [build.coat.base, companion.build.coat.base],
    {
      body: other + place(frame, mirrorPicture(body)),
      head: inFrame(head),
      neck: inFrame(posed.neck),
      shadow: { x: 256, rx: 200 },
    },
    headArt,
    sketch,
    [...listMinorColours(character, look), companion.build.coat.base],
  )
}

/** The look of the second animal of a pair: no accessories, and a face that fits any coat. */
export const createCompanionLook = <T extends QuadrupedLook>(look: T, { chance }: Sketch): T => ({
  ...look,
  headwear: 'none',
  neckwear: 'none',
  eyewear: 'none',
  eyes: chance.pick('companion eyes', ['round', 'sparkle', 'up', 'starry'] as const),
  mouth: chance.pick('companion mouth', ['smile', 'open', 'tongue'] as const),
})

/** Coats of friends: all that are visible in the same colours of the scene. */
export const findFriendCoats = <T>(
  look: QuadrupedLook,
  character: Character,
  candidates: readonly T[],
  getColour: (candidate: T) => Colour,
): readonly T[] => {
  const { base } = character.build.coat
  const minor = [...listMinorColours(character, look), ...listHatColours(look, base)]
  return candidates.filter((candidate) => {
    const colour = getColour(candidate)
    return standsOut(landScenes[look.scene], [base, colour], [...minor, colour])
  })
}

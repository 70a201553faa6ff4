import { headwearPhrases, headwearWeights } from '../../accessories/headwear.ts'
import { accentWeights } from '../../colour.ts'
import { eyePhrases, eyeStyleWeights } from '../../face.ts'
import { defineKind } from '../../kind.ts'
import { equalWeights } from '../../random.ts'
import { paintScene } from '../../scenes/scene.ts'
import { waterScenes } from '../../scenes/water.ts'
import { composeSentence, insertColour } from '../../sentence.ts'
import { nameColour, recolour } from '../../shiny.ts'
import type { Sketch } from '../../sketch.ts'
import { place } from '../../svg.ts'
import { drawFishFromFront, drawFishFromSide, type FishAppearance, fishMouthWeights } from './fish.ts'
import { fishColours, fishPatternWeights } from './patterns.ts'
import { dorsalFins, type FishShape, fishShapes, fishTails } from './shapes.ts'

const posePhrases = {
  level: 'swimming along',
  rising: 'swimming up',
  diving: 'diving',
  front: 'swimming towards you',
  family: 'swimming with two little ones',
} as const

// Headphones need ears.
const { headphones: _, ...fishHeadwear } = headwearWeights

/** Two small copies of the fish, by reference. */
function drawYoung(appearance: FishAppearance, scale: number, sketch: Sketch) {
  const [first, reference] = sketch.reusable(drawFishFromSide(appearance, sketch))
  return (
    place({ x: 350, y: 384, scale: 0.3 * scale, turn: -6 }, first) +
    place({ x: 190, y: 392, scale: 0.27 * scale, turn: 4 }, reference)
  )
}

export const fish = defineKind({
  name: 'fish',
  traits: {
    pose: equalWeights(posePhrases),
    shape: equalWeights(fishShapes),
    tail: equalWeights(fishTails),
    dorsal: equalWeights(dorsalFins),
    pattern: fishPatternWeights,
    colour: { ...equalWeights(fishColours), orange: 1.6 },
    eyes: eyeStyleWeights,
    mouth: fishMouthWeights,
    headwear: { ...fishHeadwear, none: 14 },
    scene: equalWeights(waterScenes),
  },
  details: { accent: accentWeights },
  paint(look, sketch) {
    const { chance } = sketch
    const shape: FishShape = fishShapes[look.shape]
    const natural = fishColours[look.colour]
    const [body, marks, fins, belly] = recolour(look.shiny, natural[0], natural)
    const appearance = { ...look, shape, spiny: look.shape === 'puffer', colours: { body, marks, fins, belly } }
    const { back, front, color } = paintScene(waterScenes[look.scene], [body], sketch)
    const turn = {
      level: chance.between('turn', -5, 5),
      rising: 15,
      diving: -14,
      front: chance.between('turn', -6, 6),
      family: -4,
    }[look.pose]
    // The fish must fit into the glass.
    const size = shape.scale * (look.scene === 'bowl' ? 0.78 : 1)
    const poseScale = look.pose === 'family' ? 0.86 : look.pose === 'front' ? 1.06 : 1
    const x = look.pose === 'family' ? 226 : 234
    const main = place(
      { x: look.pose === 'front' ? 256 : x, y: look.pose === 'family' ? 226 : 256, scale: size * poseScale, turn },
      look.pose === 'front' ? drawFishFromFront(appearance, sketch) : drawFishFromSide(appearance, sketch),
    )
    const family = look.pose === 'family' ? drawYoung({ ...appearance, headwear: 'none' }, shape.scale, sketch) : ''
    return { back, animal: sketch.turnToSide(main + family), front, color }
  },
  describe(look) {
    const headwear = insertColour(headwearPhrases[look.headwear], look.accent)
    const pattern = {
      plain: '',
      bands: 'banded ',
      stripes: 'striped ',
      spots: 'spotted ',
      scales: 'scaly ',
      koi: 'patched ',
      mask: 'masked ',
      halves: 'two-toned ',
    }[look.pattern]
    return {
      animal: composeSentence(
        `${pattern}${nameColour(look.shiny, look.colour)} ${fishShapes[look.shape].name}`,
        [`a ${look.tail} tail`, headwear],
        [eyePhrases[look.eyes], posePhrases[look.pose]],
      ),
      scene: waterScenes[look.scene].phrase,
      tags: [look.scene, look.pose, look.colour, ...(look.headwear === 'none' ? [] : [look.headwear])],
    }
  },
})

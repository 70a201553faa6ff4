import { headwear, headwearWords } from '../../accessories/headwear.ts'
import { composeSentence, inColour, mirror } from '../../compose.ts'
import { eyeStyles, eyeWords } from '../../faces/eyes.ts'
import { defineKind } from '../../kind.ts'
import { accentOptions } from '../../palette.ts'
import { equalWeights } from '../../random.ts'
import { paintScene } from '../../scenes/scene.ts'
import { waterScenes } from '../../scenes/water.ts'
import type { Sketch } from '../../sketch.ts'
import { place } from '../../svg.ts'
import { fishColours } from './colours.ts'
import { fishPatterns } from './patterns.ts'
import { dorsals, type FishShape, shapes, tails } from './shapes.ts'
import { fishMouths, fromTheFront, fromTheSide, type Swimmer } from './swimmer.ts'

const poseWords = {
  level: 'swimming along',
  rising: 'swimming up',
  diving: 'diving',
  front: 'swimming towards you',
  family: 'swimming with two little ones',
} as const

// Headphones need ears.
const { headphones: _, ...fishHats } = headwear

/** Two small copies of the fish, by reference. */
function young(swimmer: Swimmer, scale: number, sketch: Sketch) {
  const [first, second] = sketch.twice(fromTheSide(swimmer, sketch))
  return (
    place({ x: 350, y: 384, scale: 0.3 * scale, turn: -6 }, first) +
    place({ x: 190, y: 392, scale: 0.27 * scale, turn: 4 }, second)
  )
}

export const fish = defineKind({
  name: 'fish',
  traits: {
    pose: equalWeights(poseWords),
    shape: equalWeights(shapes),
    tail: equalWeights(tails),
    dorsal: equalWeights(dorsals),
    pattern: fishPatterns,
    colour: { ...equalWeights(fishColours), orange: 1.6 },
    eyes: eyeStyles,
    mouth: fishMouths,
    headwear: { ...fishHats, none: 14 },
    scene: equalWeights(waterScenes),
  },
  details: { accent: accentOptions, side: { left: 1, right: 1 } },
  paint(look, sketch) {
    const { chance } = sketch
    const shape: FishShape = shapes[look.shape]
    const [body, marks, fins, belly] = fishColours[look.colour]
    const swimmer = { ...look, shape, spiny: look.shape === 'puffer', scales: { body, marks, fins, belly } }
    const { back, front } = paintScene(waterScenes[look.scene], [body], sketch)
    sketch.facing = look.side
    const turn = {
      level: chance.between('turn', -5, 5),
      rising: 15,
      diving: -14,
      front: chance.between('turn', -6, 6),
      family: -4,
    }[look.pose]
    const size = shape.scale * (look.scene === 'bowl' ? 0.78 : 1)
    const room = look.pose === 'family' ? 0.86 : look.pose === 'front' ? 1.06 : 1
    const x = look.pose === 'family' ? 226 : 234
    const main = place(
      { x: look.pose === 'front' ? 256 : x, y: look.pose === 'family' ? 226 : 256, scale: size * room, turn },
      look.pose === 'front' ? fromTheFront(swimmer, sketch) : fromTheSide(swimmer, sketch),
    )
    const family = look.pose === 'family' ? young({ ...swimmer, headwear: 'none' }, shape.scale, sketch) : ''
    return back + (look.side === 'left' ? main + family : mirror(main + family)) + front
  },
  describe(look) {
    const worn = inColour(headwearWords[look.headwear], look.accent)
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
    return composeSentence(
      `${pattern}${look.colour} ${shapes[look.shape].words}`,
      [`a ${look.tail} tail`, worn],
      [eyeWords[look.eyes], poseWords[look.pose]],
      waterScenes[look.scene].words,
    )
  },
})

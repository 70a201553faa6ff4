import { isLineStyle } from '../../face.ts'
import { defineKind } from '../../kind.ts'
import { type Character, type QuadrupedLook, quadrupedDetails, quadrupedTraits } from '../../quadruped/look.ts'
import { createCompanionLook, findFriendCoats, isQuadrupedFaulty, paintQuadruped } from '../../quadruped/paint.ts'
import { describeQuadruped } from '../../quadruped/words.ts'
import { equalWeights } from '../../random.ts'
import { nameColour, recolour } from '../../shiny.ts'
import { createFoxHead, type FoxColours, type FoxHead, foxBuildWeights, foxColours, foxMarkingWeights } from './head.ts'

type FoxColour = keyof typeof foxColours
type FoxLook = QuadrupedLook & FoxHead & { colour: FoxColour }

function createFox(look: FoxLook): Character {
  const natural = foxColours[look.colour]
  const colours: FoxColours = recolour(look.shiny, natural.base, natural)
  const { base, pale, socks } = colours
  const head = createFoxHead(look, colours)
  return {
    ...head,
    // The colour of the tips.
    ears: socks,
    build: {
      coat: {
        base,
        marks: socks,
        pattern: look.marking === 'cross' ? 'saddle' : 'plain',
        chest: pale,
        socks,
        tailTip: pale,
      },
      tail: 'brush',
      girth: look.build === 'slender' ? 0.88 : look.build === 'fluffy' ? 1.08 : 0.96,
      legs: look.build === 'kit' ? 0.8 : 1,
      fluffy: look.build !== 'slender',
      toy: 'ball',
    },
  }
}

export const fox = defineKind({
  name: 'fox',
  traits: {
    ...quadrupedTraits,
    build: foxBuildWeights,
    colour: { ...equalWeights(foxColours), red: 3, rust: 1.6, amber: 1.6 },
    marking: foxMarkingWeights,
  },
  details: { ...quadrupedDetails, eyeColour: { dark: 3, amber: 2, green: 1 } },
  isFaulty: (look) =>
    isQuadrupedFaulty(look, createFox(look)) ||
    // A young fox has no young.
    (look.pose === 'family' && look.build === 'kit') ||
    // Headphones would be wider than the head.
    (look.build === 'slender' && look.headwear === 'headphones') ||
    // Closed eyes in a dark mask look angry; starry ones are larger than the mask.
    (look.marking === 'mask' && (isLineStyle(look.eyes) || look.eyes === 'starry')),
  paint(look, sketch) {
    const character = createFox(look)
    const createCompanion = () => {
      const companion = createCompanionLook(look, sketch)
      if (look.pose === 'family') return createFox({ ...companion, build: 'kit' })
      const colours = findFriendCoats(
        look,
        character,
        (Object.keys(foxColours) as FoxColour[]).filter((colour) => colour !== look.colour),
        (colour) => foxColours[colour].base,
      )
      const colour = colours.length > 0 ? sketch.chance.pick('friend', colours) : look.colour
      return createFox({ ...companion, marking: 'classic', shiny: 'none', colour })
    }
    return paintQuadruped(look, character, createCompanion, sketch)
  },
  describe(look) {
    const build = { classic: '', fluffy: 'fluffy ', slender: 'slender ', fennec: 'big-eared ', kit: 'young ' }[
      look.build
    ]
    return describeQuadruped(look, {
      animal: `${build}${nameColour(look.shiny, look.colour)} fox`,
      colour: look.colour,
      breed: look.build === 'fennec' ? 'fennec' : look.colour === 'arctic' ? 'arctic-fox' : 'fox',
      young: 'kit',
      toy: 'ball',
    })
  },
})

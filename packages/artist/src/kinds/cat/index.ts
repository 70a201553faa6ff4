import { defineKind } from '../../kind.ts'
import { type Character, type QuadrupedLook, quadrupedDetails, quadrupedTraits } from '../../quadruped/look.ts'
import { createCompanionLook, findFriendCoats, isQuadrupedFaulty, paintQuadruped } from '../../quadruped/paint.ts'
import { describeQuadruped } from '../../quadruped/words.ts'
import { equalWeights } from '../../random.ts'
import { nameColour, recolour } from '../../shiny.ts'
import { type CatColour, catColours, catPatternWeights, catPhrases, createCatCoat, nameCatColour } from './coats.ts'
import { type CatHead, catBreedWeights, createCatHead, isFluffy } from './head.ts'

type CatLook = QuadrupedLook & CatHead & { colour: CatColour }

function createCat(look: CatLook): Character {
  const natural = createCatCoat(look.colour, look.pattern)
  const coat = recolour(look.shiny, natural.base, natural)
  const fluffy = isFluffy(look.breed)
  const head = createCatHead(look, coat)
  return {
    ...head,
    ears: coat.ears,
    build: {
      coat,
      tail: fluffy ? 'plume' : 'slim',
      girth: look.breed === 'slender' || look.breed === 'kitten' ? 0.88 : fluffy ? 1.1 : 1,
      legs: look.breed === 'kitten' ? 0.85 : 1,
      fluffy,
      toy: 'yarn',
    },
  }
}

export const cat = defineKind({
  name: 'cat',
  traits: {
    ...quadrupedTraits,
    breed: catBreedWeights,
    pattern: catPatternWeights,
    colour: { ...equalWeights(catColours), ginger: 2 },
  },
  details: { ...quadrupedDetails, iris: { green: 3, amber: 3, blue: 2, copper: 2, violet: 0.5 } },
  // A kitten has no kitten.
  isFaulty: (look) => isQuadrupedFaulty(look, createCat(look)) || (look.pose === 'family' && look.breed === 'kitten'),
  paint(look, sketch) {
    const character = createCat(look)
    const createCompanion = () => {
      const companion = createCompanionLook(look, sketch)
      if (look.pose === 'family') return createCat({ ...companion, breed: 'kitten' })
      const colours = findFriendCoats(
        look,
        character,
        (Object.keys(catColours) as CatColour[]).filter((colour) => colour !== look.colour),
        (colour) => createCatCoat(colour, 'plain').base,
      )
      const colour = colours.length > 0 ? sketch.chance.pick('friend', colours) : look.colour
      return createCat({ ...companion, pattern: 'plain', shiny: 'none', colour })
    }
    return paintQuadruped(look, character, createCompanion, sketch)
  },
  describe(look) {
    const hair = look.breed === 'longhair' || look.breed === 'flat' ? 'long-haired ' : ''
    const colour = nameCatColour(look.colour, look.pattern)
    // A shiny coat has no white.
    const phrase = catPhrases[look.shiny === 'none' ? look.pattern : 'plain']
    const { animal, features } = phrase(nameColour(look.shiny, colour))
    const hasVisibleIris = look.eyes !== 'happy' && look.eyes !== 'closed' && look.eyewear !== 'shades'
    return describeQuadruped(look, {
      animal: look.breed === 'kitten' ? animal.replace('cat', 'kitten') : hair + animal,
      features: hasVisibleIris ? [...features, `${look.iris} eyes`] : features,
      colour,
      breed: look.breed === 'flat' ? 'longhair' : look.breed,
      young: 'kitten',
      toy: 'ball of yarn',
    })
  },
})

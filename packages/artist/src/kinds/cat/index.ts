import { defineKind } from '../../kind.ts'
import { describeQuadruped, paintQuadruped, quadrupedDetails, quadrupedTraits } from '../../quadruped/index.ts'
import { equalWeights } from '../../random.ts'
import { nameColour, recolour } from '../../shiny.ts'
import { catColours, catPatternWeights, catPhrases, createCatCoat } from './coats.ts'
import { catBreedWeights, drawCatHead } from './head.ts'

export const cat = defineKind({
  name: 'cat',
  traits: {
    ...quadrupedTraits,
    breed: catBreedWeights,
    pattern: catPatternWeights,
    colour: { ...equalWeights(catColours), ginger: 2 },
  },
  details: { ...quadrupedDetails, iris: { green: 3, amber: 3, blue: 2, copper: 2, violet: 0.5 } },
  paint(look, sketch) {
    const natural = createCatCoat(look.colour, look.pattern)
    const coat = recolour(look.shiny, natural.base, natural)
    const fluffy = look.breed === 'longhair' || look.breed === 'flat' || look.breed === 'tufted'
    const build = {
      coat,
      tail: fluffy ? 'plume' : 'slim',
      girth: look.breed === 'slender' || look.breed === 'kitten' ? 0.88 : fluffy ? 1.1 : 1,
      legs: look.breed === 'kitten' ? 0.85 : 1,
      fluffy,
    } as const
    return paintQuadruped(look, build, () => drawCatHead(look, coat, sketch), sketch)
  },
  describe(look) {
    const hair = look.breed === 'longhair' || look.breed === 'flat' ? 'long-haired ' : ''
    const coat = catPhrases[look.pattern](nameColour(look.shiny, look.colour))
    const hasClosedEyes = look.eyes === 'happy' || look.eyes === 'closed'
    const animal = look.breed === 'kitten' ? coat.replace('cat', 'kitten') : hair + coat
    return describeQuadruped(look, animal, hasClosedEyes ? [] : [`${look.iris} eyes`])
  },
})

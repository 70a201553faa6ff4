import { defineKind } from '../../kind.ts'
import { describeQuadruped, paintQuadruped, quadrupedDetails, quadrupedTraits } from '../../quadruped/index.ts'
import { equalWeights } from '../../random.ts'
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
    const coat = createCatCoat(look.colour, look.pattern)
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
    const words = catPhrases[look.pattern](look.colour)
    const shut = look.eyes === 'happy' || look.eyes === 'closed'
    const what = look.breed === 'kitten' ? words.replace('cat', 'kitten') : hair + words
    return describeQuadruped(look, what, shut ? [] : [`${look.iris} eyes`])
  },
})

import { describeQuadruped, paintQuadruped, quadrupedDetails, quadrupedTraits } from '../../bodies/quadruped.ts'
import { defineKind } from '../../kind.ts'
import { equalWeights } from '../../random.ts'
import { catCoat, catColours, catPatterns, catWords } from './coats.ts'
import { catBreeds, catHead } from './head.ts'

export const cat = defineKind({
  name: 'cat',
  traits: {
    ...quadrupedTraits,
    breed: catBreeds,
    pattern: catPatterns,
    colour: { ...equalWeights(catColours), ginger: 2 },
  },
  details: { ...quadrupedDetails, iris: { green: 3, amber: 3, blue: 2, copper: 2, violet: 0.5 } },
  paint(look, sketch) {
    const coat = catCoat(look.colour, look.pattern)
    const fluffy = look.breed === 'longhair' || look.breed === 'flat' || look.breed === 'tufted'
    const build = {
      coat,
      tail: fluffy ? 'plume' : 'slim',
      girth: look.breed === 'slender' || look.breed === 'kitten' ? 0.88 : fluffy ? 1.1 : 1,
      legs: look.breed === 'kitten' ? 0.85 : 1,
      fluffy,
    } as const
    return paintQuadruped(look, build, () => catHead(look, coat, sketch), sketch)
  },
  describe(look) {
    const hair = look.breed === 'longhair' || look.breed === 'flat' ? 'long-haired ' : ''
    const words = catWords[look.pattern](look.colour)
    const shut = look.eyes === 'happy' || look.eyes === 'closed'
    const what = look.breed === 'kitten' ? words.replace('cat', 'kitten') : hair + words
    return describeQuadruped(look, what, shut ? [] : [`${look.iris} eyes`])
  },
})

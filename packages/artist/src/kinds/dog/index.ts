import { describeQuadruped, paintQuadruped, quadrupedDetails, quadrupedTraits } from '../../bodies/quadruped.ts'
import { defineKind } from '../../kind.ts'
import { irises } from '../../palette.ts'
import { equalWeights } from '../../random.ts'
import { type DogBreed, dogBreeds, dogCoat } from './breeds.ts'
import { dogCoatChoices } from './coats.ts'
import { dogHead } from './head.ts'

const fluffyTails = new Set(['plume', 'pompom'])

export const dog = defineKind({
  name: 'dog',
  traits: { ...quadrupedTraits, breed: equalWeights(dogBreeds), coat: dogCoatChoices },
  details: quadrupedDetails,
  paint(look, sketch) {
    const breed: DogBreed = dogBreeds[look.breed]
    const { tail, girth, legs } = breed
    const build = { coat: dogCoat(breed, look.coat), tail, girth, legs, fluffy: fluffyTails.has(tail) }
    const iris = look.breed === 'husky' ? irises.blue : undefined
    return paintQuadruped(look, build, () => dogHead(look, breed, iris, sketch), sketch)
  },
  describe(look) {
    const breed: DogBreed = dogBreeds[look.breed]
    return describeQuadruped(look, `${breed.coats[look.coat][0]} ${breed.words}`)
  },
})

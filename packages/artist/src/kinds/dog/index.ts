import { irises } from '../../colour.ts'
import { defineKind } from '../../kind.ts'
import { describeQuadruped, paintQuadruped, quadrupedDetails, quadrupedTraits } from '../../quadruped/index.ts'
import { equalWeights } from '../../random.ts'
import { createDogCoat, type DogBreed, dogBreeds } from './breeds.ts'
import { dogCoatWeights } from './coats.ts'
import { drawDogHead } from './head.ts'

const fluffyTails = new Set(['plume', 'pompom'])

export const dog = defineKind({
  name: 'dog',
  traits: { ...quadrupedTraits, breed: equalWeights(dogBreeds), coat: dogCoatWeights },
  details: quadrupedDetails,
  paint(look, sketch) {
    const breed: DogBreed = dogBreeds[look.breed]
    const { tail, girth, legs } = breed
    const build = { coat: createDogCoat(breed, look.coat), tail, girth, legs, fluffy: fluffyTails.has(tail) }
    const iris = look.breed === 'husky' ? irises.blue : undefined
    return paintQuadruped(look, build, () => drawDogHead(look, breed, iris, sketch), sketch)
  },
  describe(look) {
    const breed: DogBreed = dogBreeds[look.breed]
    const [colour] = breed.coats[look.coat]
    return describeQuadruped(look, `${colour} ${breed.name}`)
  },
})

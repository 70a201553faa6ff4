import { irises } from '../../colour.ts'
import { defineKind } from '../../kind.ts'
import { describeQuadruped, paintQuadruped, quadrupedDetails, quadrupedTraits } from '../../quadruped/index.ts'
import { equalWeights } from '../../random.ts'
import { nameColour, recolour } from '../../shiny.ts'
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
    const natural = breed.coats[look.coat]
    const colours = recolour(look.shiny, natural[1], natural)
    const build = { coat: createDogCoat(breed, colours), tail, girth, legs, fluffy: fluffyTails.has(tail) }
    const iris = look.breed === 'husky' ? irises.blue : undefined
    return paintQuadruped(look, build, () => drawDogHead(look, breed, colours, iris, sketch), sketch)
  },
  describe(look) {
    const breed: DogBreed = dogBreeds[look.breed]
    const [colour] = breed.coats[look.coat]
    return describeQuadruped(look, `${nameColour(look.shiny, colour)} ${breed.name}`)
  },
})

import { irises } from '../../colour.ts'
import { defineKind } from '../../kind.ts'
import { type Character, type QuadrupedLook, quadrupedDetails, quadrupedTraits } from '../../quadruped/look.ts'
import { createCompanionLook, findFriendCoats, isQuadrupedFaulty, paintQuadruped } from '../../quadruped/paint.ts'
import { describeQuadruped } from '../../quadruped/words.ts'
import { equalWeights } from '../../random.ts'
import { nameColour, recolour } from '../../shiny.ts'
import { createDogCoat, type DogBreed, dogBreeds } from './breeds.ts'
import { type DogCoat, type DogCoatChoice, dogCoats, dogCoatWeights } from './coats.ts'
import { createDogHead } from './head.ts'

type DogLook = QuadrupedLook & { breed: keyof typeof dogBreeds; coat: DogCoatChoice }

const fluffyTails = new Set(['plume', 'pompom'])

function createDog(look: DogLook): Character {
  const breed: DogBreed = dogBreeds[look.breed]
  const { tail, girth, legs } = breed
  const natural: DogCoat = dogCoats[look.breed][look.coat]
  const colours = recolour(look.shiny, natural[1], natural)
  const head = createDogHead(look, breed, colours, look.breed === 'husky' ? irises.blue : undefined)
  const coat = createDogCoat(breed, colours)
  return { ...head, build: { coat, tail, girth, legs, fluffy: fluffyTails.has(tail), toy: 'ball' } }
}

const brimmedHats = new Set(['straw', 'top', 'cap'])

const allCoats = (Object.keys(dogBreeds) as (keyof typeof dogBreeds)[]).flatMap((breed) =>
  (Object.keys(dogCoatWeights) as DogCoatChoice[]).map((coat) => ({ breed, coat })),
)

export const dog = defineKind({
  name: 'dog',
  traits: { ...quadrupedTraits, breed: equalWeights(dogBreeds), coat: dogCoatWeights },
  details: quadrupedDetails,
  isFaulty: (look) =>
    isQuadrupedFaulty(look, createDog(look)) ||
    // A beard hides the neckwear.
    (look.breed === 'schnauzer' && look.neckwear !== 'none') ||
    // Lids have one colour; the eyes of a bulldog are on two.
    (look.breed === 'bulldog' && look.eyes === 'sleepy') ||
    (look.breed === 'poodle' && brimmedHats.has(look.headwear)),
  paint(look, sketch) {
    const character = createDog(look)
    const createCompanion = () => {
      const companion = createCompanionLook(look, sketch)
      if (look.pose === 'family') return createDog(companion)
      const friends = findFriendCoats(
        look,
        character,
        allCoats.filter(({ breed }) => breed !== look.breed),
        ({ breed, coat }) => dogCoats[breed][coat][1],
      )
      const friend = friends.length > 0 ? sketch.chance.pick('friend', friends) : {}
      return createDog({ ...companion, ...friend, shiny: 'none' })
    }
    return paintQuadruped(look, character, createCompanion, sketch)
  },
  describe(look) {
    const breed: DogBreed = dogBreeds[look.breed]
    const [colour] = dogCoats[look.breed][look.coat]
    const { name = look.breed } = breed
    return describeQuadruped(look, {
      animal: `${nameColour(look.shiny, colour)} ${name}`,
      colour,
      breed: name,
      young: 'puppy',
      toy: 'ball',
    })
  },
})

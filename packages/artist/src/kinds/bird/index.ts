import { defineKind } from '../../kind.ts'
import { describeLandAnimal, landDetails, landTraits, paintLandAnimal } from '../../land-animal.ts'
import { equalWeights } from '../../random.ts'
import { nameColour, recolour } from '../../shiny.ts'
import { beakMoodWeights } from './beaks.ts'
import { drawFrontHead, drawSideHead } from './head.ts'
import { birdPoses, profilePoses } from './poses.ts'
import { plumages, type Species, species } from './species.ts'

const posePhrases: Record<keyof typeof birdPoses, string> = {
  standing: 'standing',
  perched: 'perched on a branch',
  sideways: 'strolling',
  flying: 'flying',
  nesting: 'sitting in its nest',
}

const beakPhrases = { closed: 'quiet', smiling: 'smiling', singing: 'singing' } as const

export const bird = defineKind({
  name: 'bird',
  traits: {
    ...landTraits,
    pose: equalWeights(birdPoses),
    species: equalWeights(species),
    plumage: equalWeights(plumages),
    beak: beakMoodWeights,
  },
  details: landDetails,
  paint(look, sketch) {
    const shape: Species = species[look.species]
    const natural = plumages[look.plumage]
    const [main, wing, front, bright] = recolour(look.shiny, natural[0], natural)
    const plumage = { main, wing, front, bright }
    const posed = birdPoses[look.pose](shape, plumage, sketch)
    const drawHead = profilePoses.has(look.pose) ? drawSideHead : drawFrontHead
    const mainColours = shape.face === 'hood' ? ([main, wing] as const) : ([main] as const)
    return paintLandAnimal(look, mainColours, posed, drawHead(look, shape, plumage, sketch), sketch)
  },
  describe: (look) =>
    describeLandAnimal(
      look,
      `${nameColour(look.shiny, look.plumage)} ${species[look.species].name}`,
      [],
      [beakPhrases[look.beak], posePhrases[look.pose]],
    ),
})

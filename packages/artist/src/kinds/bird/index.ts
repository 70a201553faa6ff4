import { composeOnLand, describeOnLand, landDetails, landTraits } from '../../compose.ts'
import { defineKind } from '../../kind.ts'
import { equalWeights } from '../../random.ts'
import { frontHead, sideHead } from './head.ts'
import { birdPoses, inProfile } from './poses.ts'
import { beakMoods, plumages, type Species, species } from './species.ts'

const poseWords: Record<keyof typeof birdPoses, string> = {
  standing: 'standing',
  perched: 'perched on a branch',
  sideways: 'strolling',
  flying: 'flying',
  nesting: 'sitting in its nest',
}

const beakWords = { closed: 'quiet', smiling: 'smiling', singing: 'singing' } as const

export const bird = defineKind({
  name: 'bird',
  traits: {
    ...landTraits,
    pose: equalWeights(birdPoses),
    species: equalWeights(species),
    plumage: equalWeights(plumages),
    beak: beakMoods,
  },
  details: landDetails,
  paint(look, sketch) {
    const shape: Species = species[look.species]
    const [main, wing, front, bright] = plumages[look.plumage]
    const plumage = { main, wing, front, bright }
    const pose = () => birdPoses[look.pose](shape, plumage, sketch)
    const head = inProfile.has(look.pose) ? sideHead : frontHead
    return composeOnLand(
      look,
      { coat: shape.face === 'hood' ? [main, wing] : [main], pose, head: () => head(look, shape, plumage, sketch) },
      sketch,
    )
  },
  describe: (look) =>
    describeOnLand(
      look,
      `${look.plumage} ${species[look.species].words}`,
      [],
      [beakWords[look.beak], poseWords[look.pose]],
    ),
})

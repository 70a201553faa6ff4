import { type MouthStyle, mouthPhrases, mouthStyleWeights } from '../face.ts'
import type { Painting } from '../kind.ts'
import { describeLandAnimal, type LandLook, landDetails, landTraits, paintLandAnimal } from '../land-animal.ts'
import type { Sketch } from '../sketch.ts'
import type { Build, Pose } from './pose.ts'
import { boxed } from './poses/boxed.ts'
import { curled } from './poses/curled.ts'
import { loaf } from './poses/loaf.ts'
import { portrait } from './poses/portrait.ts'
import { sitting } from './poses/sitting.ts'
import { standing } from './poses/standing.ts'

const poses = { portrait, sitting, standing, loaf, curled, boxed } satisfies Record<string, Pose>

export const quadrupedTraits = {
  ...landTraits,
  pose: { portrait: 1, sitting: 1.4, standing: 1, loaf: 1, curled: 0.8, boxed: 0.7 },
  mouth: mouthStyleWeights,
} as const
export const quadrupedDetails = landDetails

interface QuadrupedLook extends LandLook {
  pose: keyof typeof poses
  mouth: MouthStyle
}

/** The head is a function because ids are numbered in drawing order, and the body comes first. */
export function paintQuadruped(look: QuadrupedLook, build: Build, drawHead: () => string, sketch: Sketch): Painting {
  const posed = poses[look.pose](build, sketch)
  return paintLandAnimal(look, [build.coat.base], posed, drawHead(), sketch)
}

const posePhrases: Record<keyof typeof poses, string> = {
  portrait: 'posing for a portrait',
  sitting: 'sitting',
  standing: 'standing',
  loaf: 'lying down',
  curled: 'curled up',
  boxed: 'looking out of a cardboard box',
}

export const describeQuadruped = (look: QuadrupedLook, animal: string, features: readonly string[] = []) =>
  describeLandAnimal(look, animal, features, [mouthPhrases[look.mouth], posePhrases[look.pose]])

import { composeOnLand, describeOnLand, type LandLook, landDetails, landTraits } from '../compose.ts'
import { type MouthStyle, mouthStyles, mouthWords } from '../faces/mouths.ts'
import type { Sketch } from '../sketch.ts'
import { boxed } from './boxed.ts'
import { curled } from './curled.ts'
import { loaf } from './loaf.ts'
import { portrait } from './portrait.ts'
import type { Build, Pose } from './pose.ts'
import { sitting } from './sitting.ts'
import { standing } from './standing.ts'

const poses = { portrait, sitting, standing, loaf, curled, boxed } satisfies Record<string, Pose>

export const quadrupedTraits = {
  ...landTraits,
  pose: { portrait: 1, sitting: 1.4, standing: 1, loaf: 1, curled: 0.8, boxed: 0.7 },
  mouth: mouthStyles,
} as const
export const quadrupedDetails = landDetails

export interface QuadrupedLook extends LandLook {
  pose: keyof typeof poses
  mouth: MouthStyle
}

export const paintQuadruped = (look: QuadrupedLook, build: Build, head: () => string, sketch: Sketch) =>
  composeOnLand(look, { coat: [build.coat.base], pose: () => poses[look.pose](build, sketch), head }, sketch)

const poseWords: Record<keyof typeof poses, string> = {
  portrait: 'posing for a portrait',
  sitting: 'sitting',
  standing: 'standing',
  loaf: 'lying down',
  curled: 'curled up',
  boxed: 'looking out of a cardboard box',
}

export const describeQuadruped = (look: QuadrupedLook, what: string, having: readonly string[] = []) =>
  describeOnLand(look, what, having, [mouthWords[look.mouth], poseWords[look.pose]])

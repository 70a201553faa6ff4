import type { Colour } from '../colour.ts'
import { type MouthStyle, mouthStyleWeights } from '../face.ts'
import { type LandLook, landDetails, landTraits } from '../land-animal.ts'
import type { Shiny } from '../shiny.ts'
import type { Sketch } from '../sketch.ts'
import type { Build, Pose } from './pose.ts'
import { boxed } from './poses/boxed.ts'
import { curled } from './poses/curled.ts'
import { jumping } from './poses/jumping.ts'
import { loaf } from './poses/loaf.ts'
import { portrait } from './poses/portrait.ts'
import { running } from './poses/running.ts'
import { playing, sitting, sittingInPair } from './poses/sitting.ts'
import { standing } from './poses/standing.ts'
import { stretching } from './poses/stretching.ts'

export const poses = {
  portrait,
  sitting,
  standing,
  loaf,
  curled,
  boxed,
  running,
  jumping,
  stretching,
  playing,
  family: sittingInPair,
  friends: sittingInPair,
} satisfies Record<string, Pose>
export type PoseName = keyof typeof poses

const poseWeights: Record<PoseName, number> = {
  portrait: 1,
  sitting: 1.1,
  standing: 0.8,
  loaf: 0.8,
  curled: 0.8,
  boxed: 0.7,
  running: 1,
  jumping: 0.8,
  stretching: 0.8,
  playing: 1,
  family: 0.7,
  friends: 0.6,
}

export const quadrupedTraits = { ...landTraits, pose: poseWeights, mouth: mouthStyleWeights } as const
export const quadrupedDetails = landDetails

export interface QuadrupedLook extends LandLook {
  pose: PoseName
  mouth: MouthStyle
  shiny: Shiny
}

/** One animal with all its colours. */
export interface Character {
  build: Build
  drawHead(sketch: Sketch): string
  /** The colours on which the eyes are drawn. */
  eyeBackgrounds: readonly [Colour, ...Colour[]]
  /** The colour of the ears. */
  ears: Colour
}

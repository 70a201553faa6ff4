import type { Sketch } from '../sketch.ts'
import type { Place } from '../svg.ts'
import type { Coat } from './coat.ts'
import type { TailStyle } from './tail.ts'

export interface Build {
  coat: Coat
  tail: TailStyle
  /** Relative to a cat. */
  girth: number
  legs: number
  /** Fluffy fur at the chest. */
  fluffy: boolean
}

/** A body, and the places of its head and its neckwear. */
export interface Posed {
  body: string
  /** Parts in front of the head: paws, the rim of a box. */
  front?: string
  head: Place
  neck: Place
  /** The shadow on the ground; none if the body extends beyond the picture. */
  shadow?: { x: number; rx: number }
}

export type Pose = (build: Build, sketch: Sketch) => Posed

import type { Sketch } from '../sketch.ts'
import type { Place } from '../svg.ts'
import type { Coat } from './coat.ts'
import type { TailStyle } from './tail.ts'

export interface Build {
  coat: Coat
  tail: TailStyle
  /** 1 is a cat's. */
  girth: number
  legs: number
  /** Fur that stands out at the chest. */
  fluffy: boolean
}

/** A body and where it carries its head and wears its collar. */
export interface Posed {
  body: string
  /** What comes before the head: paws, the rim of a box. */
  front?: string
  head: Place
  neck: Place
  /** The shadow on the ground; none where the body leaves the picture. */
  shadow?: { x: number; rx: number }
}

export type Pose = (build: Build, sketch: Sketch) => Posed

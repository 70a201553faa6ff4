import { shadeOn } from '../colour.ts'
import { bumpyOutline, mirrorPoints, parsePoints, smoothOutline } from '../curves.ts'
import type { PosedBody } from '../land-animal.ts'
import type { Sketch } from '../sketch.ts'
import { ellipse, opacity, type Placement, path } from '../svg.ts'
import type { Coat } from './coat.ts'
import type { TailStyle } from './tail.ts'
import type { Toy } from './toys.ts'

export interface Build {
  coat: Coat
  tail: TailStyle
  /** Width of the body and length of the legs, relative to a shorthair cat. */
  girth: number
  legs: number
  /** Fluffy fur at the chest. */
  fluffy: boolean
  toy: Toy
}

export type Pose = (build: Build, sketch: Sketch) => PosedBody

interface ChestOutline {
  /** The x of the axis of symmetry. */
  centre: number
  /** The right half of the outline, from top to bottom: bumpy for fluffy animals, smooth for others. */
  fluffy: string
  bump: number
  smooth: string
}

/** A chest in its own colour, seen from the front; nothing if the coat has none. */
export function drawChest({ coat, fluffy }: Build, outline: ChestOutline): string {
  if (!coat.chest) return ''
  const points = mirrorPoints(parsePoints(fluffy ? outline.fluffy : outline.smooth), outline.centre)
  return path(fluffy ? bumpyOutline(points, outline.bump) : smoothOutline(points), coat.chest)
}

/**
 * Separates the head from a body of the same colour. If the animal faces left, the shade of the head itself does so: it is
 * on the side of the body.
 */
export function drawHeadShadow({ x, y, scale = 1 }: Placement, { base }: Coat, { facing }: Sketch) {
  const [colour, strength] = shadeOn(base, 0.14)
  return facing === 'left' ? '' : ellipse(x + 13, y + 17, 112 * scale, 88 * scale, colour, 0, opacity(strength))
}

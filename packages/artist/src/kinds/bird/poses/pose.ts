import type { Accent } from '../../../colour.ts'
import { type Figure, GROUND_Y } from '../../../figure.ts'
import type { PosedBody } from '../../../land-animal.ts'
import type { Placement } from '../../../svg.ts'
import type { Bird } from '../figures/figure.ts'
import { drawFrontFigure } from '../figures/front.ts'
import { drawClaws, drawFoot } from '../parts.ts'
import { drawBranch, PERCH_Y, type Season } from '../props.ts'
import type { Plumage } from '../species/species.ts'

export interface Setting {
  season: Season
  accent: Accent
  /** The plumage of the other bird of a pair. */
  mate: Plumage
}

export interface Pose {
  /** The side of the head that is visible. */
  view: 'front' | 'side'
  /** In the air or in motion: no loose hats, no closed eyes. */
  active?: boolean
  /** Only for scenes outdoors. */
  outdoors?: boolean
  build(bird: Bird, setting: Setting): PosedBody
}

export const PERCHED: Placement = { x: 0, y: PERCH_Y - GROUND_Y, scale: 0.92 }

export const drawPerch = ({ season }: Setting, { sketch }: Bird) => drawBranch(season, sketch)

/** Adds parts behind and in front of a figure. */
export const compose = (behind: string, figure: Figure, front = '', shadow?: PosedBody['shadow']): PosedBody => ({
  ...figure,
  body: behind + figure.body,
  front,
  ...(shadow && { shadow }),
})

const legHeight = (bird: Bird) => 45 * bird.shape.legs

/** A figure that faces the viewer, with feet on the ground. */
export function drawStanding(bird: Bird, wings: 'folded' | 'cheering' = 'folded'): Figure {
  const bottom = GROUND_Y - 6 - legHeight(bird)
  const figure = drawFrontFigure(bird, bottom, wings)
  const { legs } = bird.plumage
  const feet = [225, 290].map((x) => drawFoot(x, bottom - 16, GROUND_Y - 2, legs, bird.shape.webbed)).join('')
  return { ...figure, body: feet + figure.body }
}

/** A figure that faces the viewer, with its toes around a perch. */
export function drawPerched(bird: Bird): Figure {
  const figure = drawFrontFigure(bird, GROUND_Y - 6, 'folded')
  return {
    ...figure,
    body: figure.body + [230, 285].map((x) => drawClaws(x, GROUND_Y, bird.plumage.legs)).join(''),
  }
}

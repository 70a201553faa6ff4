import { moveFigure } from '../../../figure.ts'
import type { Bird } from '../figures/figure.ts'
import { drawFrontFigure } from '../figures/front.ts'
import { drawFlyingFigure } from '../figures/motion.ts'
import { drawFoot } from '../parts.ts'
import { compose, type Pose } from './pose.ts'

/** The pixels that a bird moves to the right, so that a long beak stays in the picture. */
const moveForBeak = ({ shape }: Bird) => (shape.beak === 'toucan' ? 28 : 0)

export const airPoses = {
  flying: {
    view: 'side',
    active: true,
    outdoors: true,
    build: (bird) =>
      compose('', moveFigure(drawFlyingFigure(bird, 'up'), { x: 14 + moveForBeak(bird), y: 10, scale: 0.94 })),
  },
  swooping: {
    view: 'side',
    active: true,
    outdoors: true,
    build: (bird) =>
      compose(
        '',
        moveFigure(drawFlyingFigure(bird, 'down'), { x: 16 + moveForBeak(bird), y: -70, scale: 0.98, turn: -6 }),
      ),
  },
  gliding: {
    view: 'front',
    active: true,
    outdoors: true,
    build: (bird) =>
      compose(
        '',
        moveFigure(drawFrontFigure(bird, 410, 'spread', 4), {
          x: 0,
          y: -30,
          scale: 0.92,
          turn: bird.sketch.chance.between('bank', -6, 6),
        }),
      ),
  },
  landing: {
    view: 'front',
    active: true,
    outdoors: true,
    build(bird) {
      const { legs } = bird.plumage
      const figure = drawFrontFigure(bird, 390, 'raised', 5)
      const feet = [220, 290].map((x) => drawFoot(x, 370, 430, legs, bird.shape.webbed)).join('')
      return compose('', moveFigure({ ...figure, body: figure.body + feet }, { x: 0, y: -6, scale: 0.9 }), '', {
        x: 260,
        rx: 80,
      })
    },
  },
} as const satisfies Record<string, Pose>

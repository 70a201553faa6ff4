import { moveFigure } from '../../../figure.ts'
import { drawFrontFigure } from '../figures/front.ts'
import { drawSideFigure } from '../figures/side.ts'
import { drawPeacockFan } from '../parts.ts'
import { drawMotion, drawShell } from '../props.ts'
import { compose, drawStanding, type Pose } from './pose.ts'

export const groundPoses = {
  standing: {
    view: 'front',
    build: (bird) => compose('', drawStanding(bird), '', { x: 260, rx: 100 * bird.shape.size[0] }),
  },
  strolling: {
    view: 'side',
    build: (bird) => compose('', drawSideFigure(bird, 'ground'), '', { x: 268, rx: 120 }),
  },
  hopping: {
    view: 'side',
    active: true,
    build: (bird) =>
      compose(
        drawMotion('M176 446q20-14 40-4M300 448q20-12 42-2M236 432q14-8 28 0'),
        moveFigure(drawSideFigure(bird, bird.shape.build === 'kiwi' || bird.shape.webbed ? 'ground' : 'tucked'), {
          x: bird.shape.tail === 'long' ? -24 : -4,
          y: -34,
          scale: 0.92,
          turn: 7,
        }),
        '',
        { x: 262, rx: 84 },
      ),
  },
  cheering: {
    view: 'front',
    active: true,
    build: (bird) =>
      compose(
        drawMotion('M150 446q20-14 40-4M322 448q20-12 42-2'),
        moveFigure(drawStanding(bird, 'cheering'), { x: 0, y: -24, scale: 0.94 }),
        '',
        { x: 260, rx: 84 },
      ),
  },
  balancing: {
    view: 'side',
    build: (bird) => compose('', drawSideFigure(bird, 'lifted'), '', { x: 268, rx: 70 }),
  },
  displaying: {
    view: 'front',
    build: (bird) => compose(drawPeacockFan(bird.plumage, bird.sketch), drawStanding(bird), '', { x: 258, rx: 110 }),
  },
  hatching: {
    view: 'front',
    build: (bird) =>
      compose(
        '',
        moveFigure(drawFrontFigure(bird, 430, 'folded'), { x: 0, y: -6, scale: 0.9 }),
        drawShell(bird.sketch),
        {
          x: 260,
          rx: 110,
        },
      ),
  },
} as const satisfies Record<string, Pose>

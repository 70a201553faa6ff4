import { moveFigure } from '../../../figure.ts'
import { drawSideFigure } from '../figures/side.ts'
import { drawPeacockFan } from '../parts.ts'
import { compose, drawStanding, type Pose } from './pose.ts'

export const groundPoses = {
  standing: {
    view: 'front',
    build: (bird) => compose('', drawStanding(bird), '', { x: 260, rx: 100 * bird.shape.size[0] }),
  },
  strolling: {
    view: 'side',
    build: (bird) => compose('', drawSideFigure(bird, 'ground'), '', { x: 270, rx: 120 }),
  },
  hopping: {
    view: 'side',
    active: true,
    build: (bird) =>
      compose(
        '',
        moveFigure(drawSideFigure(bird, 'ground'), {
          x: bird.shape.tail === 'long' ? -40 : -4,
          y: -34,
          scale: 0.92,
          turn: 7,
        }),
        '',
        { x: 260, rx: 85 },
      ),
  },
  cheering: {
    view: 'front',
    active: true,
    build: (bird) =>
      compose('', moveFigure(drawStanding(bird, 'cheering'), { x: 0, y: -24, scale: 0.94 }), '', { x: 260, rx: 85 }),
  },
  balancing: {
    view: 'side',
    build: (bird) => compose('', drawSideFigure(bird, 'lifted'), '', { x: 270, rx: 70 }),
  },
  displaying: {
    view: 'front',
    build: (bird) => compose(drawPeacockFan(bird.plumage, bird.sketch), drawStanding(bird), '', { x: 260, rx: 110 }),
  },
} as const satisfies Record<string, Pose>

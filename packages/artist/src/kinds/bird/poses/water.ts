import { moveFigure } from '../../../figure.ts'
import { drawSideFigure } from '../figures/side.ts'
import { drawPond, drawRipples } from '../props.ts'
import { compose, type Pose } from './pose.ts'

export const waterPoses = {
  swimming: {
    view: 'side',
    outdoors: true,
    build: (bird) =>
      compose(
        drawPond(),
        moveFigure(drawSideFigure(bird, 'none'), { x: -16, y: 18, scale: 0.94 }),
        drawRipples(265, 140),
        { x: 256, rx: 1 },
      ),
  },
  wading: {
    view: 'side',
    outdoors: true,
    build: (bird) =>
      compose(
        drawPond(),
        moveFigure(drawSideFigure(bird, 'ground'), { x: -6, y: 4, scale: 0.98 }),
        drawRipples(280, 60),
        { x: 256, rx: 1 },
      ),
  },
} as const satisfies Record<string, Pose>

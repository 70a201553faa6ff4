import { moveFigure } from '../../../figure.ts'
import { drawFrontFigure } from '../figures/front.ts'
import { drawSlidingFigure } from '../figures/motion.ts'
import { drawSideFigure } from '../figures/side.ts'
import { drawBath, drawIce, drawMotion, drawPond, drawRipples, drawSplashes } from '../props.ts'
import { compose, type Pose } from './pose.ts'

export const waterPoses = {
  bathing: {
    view: 'front',
    outdoors: true,
    build: (bird) =>
      compose(
        drawSplashes(),
        moveFigure(drawFrontFigure(bird, 440, 'splashing'), { x: 0, y: -14, scale: 0.88 }),
        drawBath(bird.sketch),
        { x: 258, rx: 110 },
      ),
  },
  sliding: {
    view: 'front',
    active: true,
    outdoors: true,
    build: (bird) =>
      compose(drawIce(), moveFigure(drawSlidingFigure(bird), { x: 0, y: 8 }), drawMotion('M420 446h60M400 462h50')),
  },
  swimming: {
    view: 'side',
    outdoors: true,
    build: (bird) =>
      compose(
        drawPond(),
        moveFigure(drawSideFigure(bird, 'none'), { x: -16, y: 18, scale: 0.94 }),
        drawRipples(264, 140),
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
        drawRipples(282, 60),
        { x: 256, rx: 1 },
      ),
  },
} as const satisfies Record<string, Pose>

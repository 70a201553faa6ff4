import { accessoryColours, CREAM } from '../../../colour.ts'
import { moveFigure } from '../../../figure.ts'
import { place } from '../../../svg.ts'
import { drawFrontFigure } from '../figures/front.ts'
import { drawFlyingFigure, drawHoveringFigure } from '../figures/motion.ts'
import { drawFoot } from '../parts.ts'
import { drawMotion, drawTrumpetFlower } from '../props.ts'
import { compose, type Pose } from './pose.ts'

export const airPoses = {
  flying: {
    view: 'side',
    active: true,
    outdoors: true,
    build: (bird) => compose('', moveFigure(drawFlyingFigure(bird, 'up'), { x: 14, y: 10, scale: 0.94 })),
  },
  swooping: {
    view: 'side',
    active: true,
    outdoors: true,
    build: (bird) => compose('', moveFigure(drawFlyingFigure(bird, 'down'), { x: 16, y: -70, scale: 0.98, turn: -6 })),
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
      const figure = drawFrontFigure(bird, 392, 'raised', 5)
      const feet = [222, 290].map((x) => drawFoot(x, 370, 430, legs, bird.shape.webbed)).join('')
      return compose(
        drawMotion('M120 372q-14 20-10 42M392 372q14 20 10 42'),
        moveFigure({ ...figure, body: figure.body + feet }, { x: 0, y: -6, scale: 0.9 }),
        '',
        { x: 258, rx: 80 },
      )
    },
  },
  hovering: {
    view: 'side',
    active: true,
    outdoors: true,
    build(bird, { accent }) {
      const { main, second } = accessoryColours(accent, CREAM)
      return compose(
        place({ x: 104, y: 240, scale: 0.9 }, drawTrumpetFlower(main, second)),
        moveFigure(drawHoveringFigure(bird), { x: 0, y: -2 }),
      )
    },
  },
} as const satisfies Record<string, Pose>

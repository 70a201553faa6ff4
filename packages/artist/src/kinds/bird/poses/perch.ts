import { accessoryColours } from '../../../colour.ts'
import { moveFigure } from '../../../figure.ts'
import { drawFrontFigure } from '../figures/front.ts'
import { drawSideFigure } from '../figures/side.ts'
import { drawEggs, drawNest, drawNotes } from '../props.ts'
import { compose, drawPerch, drawPerched, PERCHED, type Pose } from './pose.ts'

export const perchPoses = {
  perched: {
    view: 'front',
    outdoors: true,
    build: (bird, setting) => compose(drawPerch(setting, bird), moveFigure(drawPerched(bird), PERCHED)),
  },
  watching: {
    view: 'side',
    outdoors: true,
    build: (bird, setting) =>
      compose(drawPerch(setting, bird), moveFigure(drawSideFigure(bird, 'perch'), { ...PERCHED, x: 8 })),
  },
  singing: {
    view: 'side',
    active: true,
    outdoors: true,
    build(bird, setting) {
      const figure = drawSideFigure(bird, 'perch', 0)
      const { main } = accessoryColours(setting.accent, '#fed')
      return compose(
        drawPerch(setting, bird) + drawNotes(60, 170, main, bird.sketch),
        moveFigure(
          { ...figure, head: { ...figure.head, turn: 14 } },
          { ...PERCHED, x: bird.shape.tail === 'long' ? -6 : 40, scale: 0.86 },
        ),
      )
    },
  },
  nesting: {
    view: 'front',
    outdoors: true,
    build: (bird) =>
      compose(
        '',
        moveFigure(drawFrontFigure(bird, 430, 'folded'), { x: 0, y: 0, scale: 0.95 }),
        drawEggs() + drawNest(bird.sketch),
        { x: 260, rx: 170 },
      ),
  },
} as const satisfies Record<string, Pose>

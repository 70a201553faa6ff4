import { type Accent, accessoryColours } from '../../colour.ts'
import type { PosedBody } from '../../land-animal.ts'
import { type Placement, place } from '../../svg.ts'
import { drawBaby } from './babies.ts'
import {
  type Bird,
  drawFlyingFigure,
  drawFrontFigure,
  drawHoveringFigure,
  drawPeacockFan,
  drawSideFigure,
  drawSlidingFigure,
  type Figure,
  GROUND_Y,
  moveFigure,
} from './bodies.ts'
import { drawFrontHead, plainHead } from './head.ts'
import { drawClaws, drawFoot } from './parts.ts'
import {
  drawBath,
  drawBranch,
  drawEggs,
  drawHeart,
  drawIce,
  drawMotion,
  drawNest,
  drawNotes,
  drawPond,
  drawRipples,
  drawShell,
  drawSplashes,
  drawSwing,
  drawTrumpetFlower,
  PERCH_Y,
  type Season,
} from './props.ts'
import type { Plumage } from './species.ts'

export interface Setting {
  season: Season
  indoors: boolean
  accent: Accent
  /** The plumage of the other bird of a pair. */
  mate: Plumage
}

interface Pose {
  /** The side of the head that is visible. */
  view: 'front' | 'side'
  /** In the air or in motion: no loose hats, no closed eyes. */
  active?: boolean
  /** It needs nature around it. */
  outdoors?: boolean
  build(bird: Bird, setting: Setting): PosedBody
}

const PERCHED: Placement = { x: 0, y: PERCH_Y - GROUND_Y, scale: 0.95 }

const drawPerch = ({ season, indoors }: Setting, { sketch }: Bird) =>
  indoors ? drawSwing(sketch) : drawBranch(season, sketch)

/** Adds parts behind and in front of a figure. */
const compose = (behind: string, figure: Figure, front = '', shadow?: PosedBody['shadow']): PosedBody => ({
  ...figure,
  body: behind + figure.body,
  front,
  ...(shadow && { shadow }),
})

const legHeight = (bird: Bird) => 46 * bird.shape.legs

/** A figure that faces the viewer, with feet on the ground. */
function drawStanding(bird: Bird, wings: 'folded' | 'cheering' = 'folded'): Figure {
  const bottom = GROUND_Y - 6 - legHeight(bird)
  const figure = drawFrontFigure(bird, bottom, wings)
  const { legs } = bird.plumage
  const feet = [224, 288].map((x) => drawFoot(x, bottom - 16, GROUND_Y - 2, legs, bird.shape.webbed)).join('')
  return { ...figure, body: feet + figure.body }
}

/** A figure that faces the viewer, with its toes around a perch. */
function drawPerched(bird: Bird): Figure {
  const figure = drawFrontFigure(bird, GROUND_Y - 6, 'folded')
  return {
    ...figure,
    body: figure.body + [228, 284].map((x) => drawClaws(x, GROUND_Y, bird.plumage.legs)).join(''),
  }
}

const poseDefinitions = {
  standing: {
    view: 'front',
    build: (bird) => compose('', drawStanding(bird), '', { x: 260, rx: 100 * bird.shape.size[0] }),
  },
  strolling: {
    view: 'side',
    build: (bird) => compose('', drawSideFigure(bird, 'ground'), '', { x: 268, rx: 120 }),
  },
  perched: {
    view: 'front',
    build: (bird, setting) => compose(drawPerch(setting, bird), moveFigure(drawPerched(bird), PERCHED)),
  },
  watching: {
    view: 'side',
    build: (bird, setting) =>
      compose(drawPerch(setting, bird), moveFigure(drawSideFigure(bird, 'perch'), { ...PERCHED, x: 8 })),
  },
  singing: {
    view: 'side',
    active: true,
    build(bird, setting) {
      const figure = drawSideFigure(bird, 'perch', 0)
      const { main } = accessoryColours(setting.accent, '#fff6e3')
      return compose(
        drawPerch(setting, bird) + drawNotes(58, 168, main),
        moveFigure({ ...figure, head: { ...figure.head, turn: 14 } }, { ...PERCHED, x: 40, scale: 0.88 }),
      )
    },
  },
  hopping: {
    view: 'side',
    active: true,
    build: (bird) =>
      compose(
        drawMotion('M176 446q20-14 40-4M300 448q20-12 42-2M236 432q14-8 28 0'),
        moveFigure(drawSideFigure(bird, bird.shape.build === 'kiwi' || bird.shape.webbed ? 'ground' : 'tucked'), {
          x: -4,
          y: -34,
          scale: 0.92,
          turn: 7,
        }),
        '',
        { x: 262, rx: 84 },
      ),
  },
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
  nesting: {
    view: 'front',
    outdoors: true,
    build: (bird) =>
      compose(
        '',
        moveFigure(drawFrontFigure(bird, 428, 'folded'), { x: 0, y: 0, scale: 0.95 }),
        drawEggs() + drawNest(bird.sketch),
        { x: 260, rx: 170 },
      ),
  },
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
  balancing: {
    view: 'side',
    build: (bird) => compose('', drawSideFigure(bird, 'lifted'), '', { x: 268, rx: 70 }),
  },
  hovering: {
    view: 'side',
    active: true,
    outdoors: true,
    build(bird, { accent }) {
      const { main, second } = accessoryColours(accent, bird.plumage.main)
      return compose(
        place({ x: 104, y: 240, scale: 0.9 }, drawTrumpetFlower(main, second)),
        moveFigure(drawHoveringFigure(bird), { x: 0, y: -2 }),
      )
    },
  },
  displaying: {
    view: 'front',
    build: (bird) => compose(drawPeacockFan(bird.plumage), drawStanding(bird), '', { x: 258, rx: 110 }),
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
  pair: {
    view: 'front',
    outdoors: true,
    build(bird, setting) {
      const other = { ...bird, plumage: setting.mate }
      const webbed = bird.shape.webbed === true
      const draw = webbed ? drawStanding : drawPerched
      const y = webbed ? 0 : PERCH_Y - GROUND_Y
      const mate = moveFigure(draw(other), { x: 88, y, scale: 0.76, turn: 0 })
      const head = drawFrontHead(plainHead('happy'), bird.shape, setting.mate, bird.sketch)
      return compose(
        (webbed ? '' : drawPerch(setting, bird)) +
          drawHeart(256, 92, 0.9) +
          mate.body +
          place({ ...mate.head, turn: -9 }, head),
        moveFigure(draw(bird), { x: -84, y, scale: 0.76 }),
        '',
        webbed ? { x: 258, rx: 160 } : undefined,
      )
    },
  },
  family: {
    view: 'front',
    build(bird) {
      const baby = bird.shape.baby ?? 'chick'
      return compose(
        '',
        moveFigure(drawStanding(bird), { x: -56, y: 0, scale: 0.92 }),
        drawBaby(baby, { x: 362, y: 444, scale: 1.06 }) +
          (bird.shape.build === 'upright' ? '' : drawBaby(baby, { x: 446, y: 450, scale: 0.84 }, true)),
        { x: 270, rx: 170 },
      )
    },
  },
  leading: {
    view: 'side',
    outdoors: true,
    build(bird) {
      const baby = bird.shape.baby ?? 'duckling'
      return compose(
        drawPond() + drawBaby(baby, { x: 388, y: 452, scale: 0.7 }) + drawBaby(baby, { x: 452, y: 448, scale: 0.56 }),
        moveFigure(drawSideFigure(bird, 'none'), { x: -64, y: 14, scale: 0.78 }),
        drawRipples(216, 108) + place({ x: 300, y: 220, scale: 0.48 }, drawRipples(256, 150)),
        { x: 256, rx: 1 },
      )
    },
  },
} as const satisfies Record<string, Pose>

export type PoseName = keyof typeof poseDefinitions
export const birdPoses: Record<PoseName, Pose> = poseDefinitions

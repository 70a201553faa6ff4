import { GROUND_Y, moveFigure } from '../../../figure.ts'
import { place } from '../../../svg.ts'
import { drawBaby } from '../babies.ts'
import { drawSideFigure } from '../figures/side.ts'
import { drawFrontHead, plainHead } from '../head.ts'
import { drawHeart, drawPond, drawRipples, PERCH_Y } from '../props.ts'
import { compose, drawPerch, drawPerched, drawStanding, type Pose } from './pose.ts'

export const companyPoses = {
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
        drawPond() + drawBaby(baby, { x: 384, y: 462, scale: 0.9 }) + drawBaby(baby, { x: 460, y: 456, scale: 0.72 }),
        moveFigure(drawSideFigure(bird, 'none'), { x: -74, y: 14, scale: 0.8 }),
        drawRipples(200, 112) +
          place({ x: 384 - 128, y: 234, scale: 0.5 }, drawRipples(256, 90)) +
          place({ x: 460 - 115, y: 260, scale: 0.45 }, drawRipples(256, 70)),
        { x: 256, rx: 1 },
      )
    },
  },
} as const satisfies Record<string, Pose>

import { GROUND_Y, moveFigure } from '../../../figure.ts'
import { withoutSheen } from '../../../sketch.ts'
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
      const sketch = withoutSheen(bird.sketch)
      const other = { ...bird, plumage: setting.mate, sketch }
      const webbed = bird.shape.webbed === true
      const draw = webbed ? drawStanding : drawPerched
      const y = webbed ? 0 : PERCH_Y - GROUND_Y
      const mate = moveFigure(draw(other), { x: 90, y, scale: 0.76, turn: 0 })
      const head = drawFrontHead(plainHead('happy'), bird.shape, setting.mate, sketch)
      return compose(
        (webbed ? '' : drawPerch(setting, bird)) +
          drawHeart(256, 90, 0.9) +
          mate.body +
          place({ ...mate.head, turn: -9 }, head),
        moveFigure(draw(bird), { x: -85, y, scale: 0.76 }),
        '',
        webbed ? { x: 260, rx: 160 } : undefined,
      )
    },
  },
  family: {
    view: 'front',
    build(bird) {
      const baby = bird.shape.baby ?? 'chick'
      return compose(
        '',
        moveFigure(drawStanding(bird), { x: -55, y: 0, scale: 0.92 }),
        drawBaby(baby, { x: 360, y: 445, scale: 1.06 }) +
          (bird.shape.build === 'upright' ? '' : drawBaby(baby, { x: 445, y: 450, scale: 0.84 }, true)),
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
        drawPond() + drawBaby(baby, { x: 370, y: 460, scale: 0.9 }) + drawBaby(baby, { x: 438, y: 455, scale: 0.72 }),
        moveFigure(drawSideFigure(bird, 'none'), { x: -75, y: 14, scale: 0.8 }),
        drawRipples(200, 110) +
          place({ x: 370 - 130, y: 235, scale: 0.5 }, drawRipples(256, 90)) +
          place({ x: 438 - 115, y: 260, scale: 0.45 }, drawRipples(256, 70)),
        { x: 256, rx: 1 },
      )
    },
  },
} as const satisfies Record<string, Pose>

import { CREAM } from '../../colour.ts'
import { parseCurve, parsePoints, smoothOutline } from '../../curves.ts'
import { ellipse, opacity } from '../../svg.ts'
import { drawBodyMarkings } from '../coat.ts'
import { drawLimb } from '../limb.ts'
import { drawHeadShadow, type Pose } from '../pose.ts'
import { drawTail } from '../tail.ts'

const torso = parsePoints('158,262 230,240 320,234 388,252 410,290 380,328 292,340 206,346 152,318')
const limbs = {
  farFront: parseCurve('212,306 190,356 158,380 116,404'),
  farHind: parseCurve('350,296 366,346 384,376 418,418'),
  nearFront: parseCurve('188,306 150,346 112,362 66,384'),
  nearHind: parseCurve('366,292 420,322 410,362 456,396'),
}
const tail = parseCurve('390,262 424,252 446,230 454,196')

/** A gallop: all paws are above the ground. */
export const running: Pose = ({ coat, tail: tailStyle, girth, legs }, sketch) => {
  const outline = smoothOutline(torso.map(([x, y]) => [x, 290 + (y - 290) * girth]))
  const chest = coat.chest
    ? ellipse(160, 340, 56, 56, coat.chest, 20) + ellipse(270, 290 + 62 * girth, 120, 22, coat.chest)
    : ''
  const dust = [
    ellipse(440, 440, 34, 13, CREAM),
    ellipse(470, 428, 22, 11, CREAM),
    ellipse(404, 446, 22, 8, CREAM),
  ].join('')
  const limb = (name: keyof typeof limbs, width: number, far = false) =>
    drawLimb(limbs[name], { width: width * (0.6 + 0.4 * girth), length: legs, far }, coat, sketch)
  const head = { x: 150, y: 220, scale: 0.94, turn: sketch.chance.between('tilt', -9, 3) }
  return {
    body: [
      `<g ${opacity(0.55)}>${dust}</g>`,
      drawTail(tailStyle, tail, coat, sketch),
      limb('farFront', 24, true),
      limb('farHind', 27, true),
      limb('nearHind', 33),
      sketch.shadedShape(
        outline,
        coat.base,
        drawBodyMarkings(coat, [160, 290 - 52 * girth, 245, 100 * girth], sketch) +
          chest +
          drawHeadShadow(head, coat, sketch),
      ),
      limb('nearFront', 27),
    ].join(''),
    head,
    neck: { x: 166, y: 300, scale: 0.66, turn: 10 },
    shadow: { x: 262, rx: 140 },
  }
}

import { parseCurve, parsePoints, smoothOutline } from '../../curves.ts'
import { ellipse, place } from '../../svg.ts'
import { drawBodyMarkings } from '../coat.ts'
import { drawLimb } from '../limb.ts'
import { drawHeadShadow, type Pose } from '../pose.ts'
import { drawTail } from '../tail.ts'

// Around the middle of the body, which is then turned.
const torso = parsePoints('-112,-22 -40,-44 50,-50 116,-34 140,4 112,42 24,54 -62,60 -116,34')
const limbs = {
  farFront: parseCurve('-58,24 -84,64 -112,50 -124,84'),
  farHind: parseCurve('84,14 112,60 132,84 160,118'),
  nearFront: parseCurve('-82,22 -112,62 -146,42 -160,74'),
  nearHind: parseCurve('96,8 152,34 146,76 190,100'),
}
const tail = parseCurve('120,-24 154,-30 178,-54 186,-92')

const CENTRE = { x: 262, y: 278, turn: 15 }

/** The front legs are drawn up, the hind legs have just left the ground. */
export const jumping: Pose = ({ coat, tail: tailStyle, girth, legs }, sketch) => {
  const outline = smoothOutline(torso.map(([x, y]) => [x, y * girth]))
  const chest = coat.chest
    ? ellipse(-104, 50, 52, 54, coat.chest, 20) + ellipse(4, 64 * girth, 120, 22, coat.chest)
    : ''
  const limb = (name: keyof typeof limbs, width: number, far = false) =>
    drawLimb(limbs[name], { width: width * (0.6 + 0.4 * girth), length: legs, far }, coat, sketch)
  return {
    body: place(
      CENTRE,
      drawTail(tailStyle, tail, coat, sketch),
      limb('farFront', 24, true),
      limb('farHind', 27, true),
      limb('nearHind', 33),
      sketch.shadedShape(
        outline,
        coat.base,
        drawBodyMarkings(coat, [-104, -50 * girth, 240, 100 * girth], sketch) +
          chest +
          drawHeadShadow({ x: -132, y: -60, scale: 0.94 }, coat, sketch),
      ),
      limb('nearFront', 27),
    ),
    head: { x: 150, y: 186, scale: 0.94, turn: sketch.chance.between('tilt', -4, 8) },
    neck: { x: 168, y: 268, scale: 0.66, turn: 14 },
    shadow: { x: 270, rx: 104 },
  }
}

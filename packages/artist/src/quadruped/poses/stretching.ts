import { type Cubic, type Point, parseCurve, parsePoints, smoothOutline } from '../../curves.ts'
import { ellipse } from '../../svg.ts'
import { drawBodyMarkings, drawLeg } from '../coat.ts'
import { drawLimb } from '../limb.ts'
import { drawHeadShadow, type Pose } from '../pose.ts'
import { drawTail } from '../tail.ts'

const torso = parsePoints('166,326 236,296 306,252 372,230 412,258 412,314 356,350 280,388 200,424 146,406 136,362')
const tail = parseCurve('392,252 438,236 456,186 430,138')
const nearFront = parseCurve('196,392 156,420 116,431 70,433')
const farFront = parseCurve('210,392 170,414 146,422 106,424')

/** The chest is near the ground, the hips are up: a bow. */
export const stretching: Pose = ({ coat, tail: tailStyle, girth, legs }, sketch) => {
  /** Short legs lower the hips, not the chest. */
  const lower = ([x, y]: Point): Point => [x, y + (1 - legs) * 130 * Math.max(0, (x - 150) / 250)]
  const hips = lower([372, 300])[1]
  const width = 44 * (0.6 + girth * 0.4)
  const chest = coat.chest ? ellipse(168, 398, 56, 40, coat.chest, -24) : ''
  const head = { x: 146, y: 314, scale: 0.94, turn: sketch.chance.between('tilt', -8, 2) }
  return {
    body: [
      drawTail(tailStyle, tail.map(lower) as unknown as Cubic, coat, sketch),
      drawLeg(342, hips, width * 0.92, coat, sketch, true, 440),
      drawLimb(farFront, { width: 22, length: 1, far: true }, coat, sketch),
      drawLeg(380, hips - 10, width, coat, sketch),
      sketch.shadedShape(
        smoothOutline(torso.map(lower)),
        coat.base,
        drawBodyMarkings(coat, [170, hips - 60, 240, 130], sketch) + chest + drawHeadShadow(head, coat, sketch),
      ),
      drawLimb(nearFront, { width: 25, length: 1 }, coat, sketch),
    ].join(''),
    head,
    neck: { x: 168, y: 388, scale: 0.8, turn: -4 },
    shadow: { x: 250, rx: 176 },
  }
}

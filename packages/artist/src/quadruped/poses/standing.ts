import { type Cubic, type Point, parseCurve, smoothOutline } from '../../curves.ts'
import { ellipse } from '../../svg.ts'
import { drawBodyMarkings, drawLeg } from '../coat.ts'
import { drawHeadShadow, type Pose } from '../pose.ts'
import { drawTail } from '../tail.ts'

const tailCurves: readonly Cubic[] = [
  parseCurve('378,256 440,262 462,190 428,134'),
  parseCurve('378,256 430,230 450,200 470,150'),
  parseCurve('378,258 440,250 440,150 384,150'),
]

export const standing: Pose = ({ coat, tail: tailStyle, girth, legs }, sketch) => {
  const drop = (1 - legs) * 90
  const lower = (y: number) => y + drop
  /** Scales around the middle of the body. */
  const stretch = (y: number) => lower(296 + (y - 296) * girth)
  const outline = smoothOutline([
    [168, stretch(240)],
    [250, stretch(230)],
    [340, stretch(234)],
    [392, stretch(266)],
    [398, stretch(322)],
    [360, stretch(352)],
    [262, stretch(358)],
    [180, stretch(350)],
    [142, stretch(300)],
  ])
  const shift = (curve: Cubic) => curve.map(([x, y]): Point => [x, lower(y)]) as unknown as Cubic
  const chest = coat.chest
    ? ellipse(160, lower(322), 52, 62, coat.chest, 14) + ellipse(270, stretch(372), 120, 26, coat.chest)
    : ''
  const width = 42 * (0.6 + girth * 0.4)
  const head = { x: 166, y: lower(194), scale: 0.96, turn: sketch.chance.between('tilt', -9, 6) }
  return {
    body: [
      drawTail(tailStyle, shift(sketch.chance.pick('tail', tailCurves)), coat, sketch),
      drawLeg(222, lower(320), width * 0.92, coat, sketch, true, 440),
      drawLeg(330, lower(320), width * 0.92, coat, sketch, true, 440),
      drawLeg(186, lower(316), width, coat, sketch),
      drawLeg(368, lower(306), width, coat, sketch),
      sketch.shadedShape(
        outline,
        coat.base,
        drawBodyMarkings(coat, [150, stretch(232), 245, 120 * girth], sketch) +
          chest +
          drawHeadShadow(head, coat, sketch),
      ),
    ].join(''),
    head,
    neck: { x: 172, y: lower(276), scale: 0.68, turn: 6 },
    shadow: { x: 270, rx: 150 },
  }
}

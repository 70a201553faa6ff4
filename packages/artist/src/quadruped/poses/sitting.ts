import { type Cubic, ellipsePath, mirrorPoints, parseCurve, smoothOutline } from '../../curves.ts'
import { drawBodyMarkings, drawLeg, drawPaw } from '../coat.ts'
import { drawChest, type Pose } from '../pose.ts'
import { drawTail } from '../tail.ts'

const tailCurves: readonly Cubic[] = [
  parseCurve('330,420 420,450 470,390 430,320'),
  parseCurve('330,424 440,460 420,330 452,268'),
  parseCurve('320,424 400,460 480,440 474,380'),
]

export const sitting: Pose = (build, sketch) => {
  const { coat, tail: tailStyle, girth } = build
  const widen = (x: number) => 256 + x * girth
  const outline = smoothOutline(
    mirrorPoints(
      [
        [256, 220],
        [widen(50), 244],
        [widen(76), 310],
        [widen(88), 380],
        [widen(82), 432],
        [widen(44), 448],
        [256, 450],
      ],
      256,
    ),
  )
  const haunch = (side: number) =>
    sketch.shadedShape(
      ellipsePath(widen(72 * side), 410, 44 * girth, 40),
      coat.base,
      drawBodyMarkings(coat, [widen(72 * side) - 44, 380, 88, 70], sketch),
      7,
    ) + drawPaw(widen(90 * side), 440, 33, 15, coat)
  const chest = drawChest(build, {
    centre: 256,
    fluffy: '256,250 300,288 286,328 256,346',
    bump: 26,
    smooth: '256,240 298,286 286,330 256,350',
  })
  return {
    body: [
      drawTail(tailStyle, sketch.chance.pick('tail', tailCurves), coat, sketch),
      haunch(-1),
      haunch(1),
      sketch.shadedShape(
        outline,
        coat.base,
        drawBodyMarkings(coat, [widen(-88), 270, 176 * girth, 170], sketch) + chest,
      ),
      drawLeg(widen(-29), 340, 46, coat, sketch),
      drawLeg(widen(29), 340, 46, coat, sketch),
    ].join(''),
    head: { x: 256, y: 196, scale: 1.08, turn: sketch.chance.between('tilt', -8, 8) },
    neck: { x: 256, y: 284, scale: 0.95 },
    shadow: { x: 262, rx: 150 * girth },
  }
}

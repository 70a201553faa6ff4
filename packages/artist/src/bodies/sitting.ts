import { blob, type Cubic, mirrorPoints, oval, parsePoints, woolly } from '../curves.ts'
import { path } from '../svg.ts'
import { bodyMarkings, leg, paw } from './coat.ts'
import type { Pose } from './pose.ts'
import { tail } from './tail.ts'

const curves: readonly Cubic[] = [
  [
    [330, 420],
    [420, 450],
    [470, 390],
    [430, 320],
  ],
  [
    [330, 424],
    [440, 460],
    [420, 330],
    [452, 268],
  ],
  [
    [320, 424],
    [400, 460],
    [480, 440],
    [474, 380],
  ],
]

export const sitting: Pose = ({ coat, tail: tailStyle, girth, fluffy }, sketch) => {
  const wide = (x: number) => 256 + x * girth
  const outline = blob(
    mirrorPoints(
      [
        [256, 220],
        [wide(50), 244],
        [wide(76), 310],
        [wide(88), 380],
        [wide(82), 432],
        [wide(44), 448],
        [256, 450],
      ],
      256,
    ),
  )
  const haunch = (side: number) =>
    sketch.solid(
      oval(wide(72 * side), 410, 44 * girth, 40),
      coat.base,
      bodyMarkings(coat, [wide(72 * side) - 44, 380, 88, 70], sketch),
      7,
    ) + paw(wide(90 * side), 440, 33, 15, coat)
  const chest = coat.chest
    ? path(
        fluffy
          ? woolly(mirrorPoints(parsePoints('256,250 300,288 286,328 256,346'), 256), 26)
          : blob(mirrorPoints(parsePoints('256,240 298,286 286,330 256,350'), 256)),
        coat.chest,
      )
    : ''
  return {
    body: [
      tail(tailStyle, sketch.chance.pick('tail', curves), coat, sketch),
      haunch(-1),
      haunch(1),
      sketch.solid(outline, coat.base, bodyMarkings(coat, [wide(-88), 270, 176 * girth, 170], sketch) + chest),
      leg(wide(-29), 340, 46, coat, sketch),
      leg(wide(29), 340, 46, coat, sketch),
    ].join(''),
    head: { x: 256, y: 196, scale: 1.08, turn: sketch.chance.between('tilt', -8, 8) },
    neck: { x: 256, y: 284, scale: 0.95 },
    shadow: { x: 262, rx: 150 * girth },
  }
}

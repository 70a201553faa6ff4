import { blob, type Cubic, type Point } from '../curves.ts'
import { ellipse } from '../svg.ts'
import { bodyMarkings, leg } from './coat.ts'
import type { Pose } from './pose.ts'
import { tail } from './tail.ts'

const curves: readonly Cubic[] = [
  [
    [378, 256],
    [440, 262],
    [462, 190],
    [428, 134],
  ],
  [
    [378, 256],
    [430, 230],
    [450, 200],
    [470, 150],
  ],
  [
    [378, 258],
    [440, 250],
    [440, 150],
    [384, 150],
  ],
]

export const standing: Pose = ({ coat, tail: tailStyle, girth, legs }, sketch) => {
  const drop = (1 - legs) * 90
  const low = (y: number) => y + drop
  const deep = (y: number) => low(296 + (y - 296) * girth)
  const outline = blob([
    [168, deep(240)],
    [250, deep(230)],
    [340, deep(234)],
    [392, deep(266)],
    [398, deep(322)],
    [360, deep(352)],
    [262, deep(358)],
    [180, deep(350)],
    [142, deep(300)],
  ])
  const shift = (curve: Cubic) => curve.map(([x, y]): Point => [x, low(y)]) as unknown as Cubic
  const chest = coat.chest
    ? ellipse(160, low(322), 52, 62, coat.chest, 14) + ellipse(270, deep(372), 120, 26, coat.chest)
    : ''
  const width = 42 * (0.6 + girth * 0.4)
  return {
    body: [
      tail(tailStyle, shift(sketch.chance.pick('tail', curves)), coat, sketch),
      leg(222, low(320), width * 0.92, coat, sketch, true, 440),
      leg(330, low(320), width * 0.92, coat, sketch, true, 440),
      leg(186, low(316), width, coat, sketch),
      leg(368, low(306), width, coat, sketch),
      sketch.solid(outline, coat.base, bodyMarkings(coat, [150, deep(232), 245, 120 * girth], sketch) + chest),
    ].join(''),
    head: { x: 166, y: low(194), scale: 0.96, turn: sketch.chance.between('tilt', -9, 6) },
    neck: { x: 172, y: low(276), scale: 0.82, turn: 6 },
    shadow: { x: 270, rx: 150 },
  }
}

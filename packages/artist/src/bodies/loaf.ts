import { blob, type Cubic, mirrorPoints, parsePoints, woolly } from '../curves.ts'
import { path } from '../svg.ts'
import { bodyMarkings, paw } from './coat.ts'
import type { Pose } from './pose.ts'
import { tail } from './tail.ts'

const curve: Cubic = [
  [410, 404],
  [484, 420],
  [470, 462],
  [330, 444],
]

export const loaf: Pose = ({ coat, tail: tailStyle, girth, fluffy }, sketch) => {
  const high = (y: number) => 448 - (448 - y) * (0.55 + 0.45 * girth)
  const outline = blob([
    [150, high(300)],
    [250, high(266)],
    [346, high(282)],
    [416, high(350)],
    [426, 420],
    [384, 448],
    [150, 449],
    [98, 424],
    [106, high(350)],
  ])
  const chest = coat.chest
    ? path(
        fluffy
          ? woolly(mirrorPoints(parsePoints('190,310 254,350 234,430 190,446'), 190), 28)
          : blob(mirrorPoints(parsePoints('190,310 240,350 234,420 190,446'), 190)),
        coat.chest,
      )
    : ''
  return {
    body: [
      sketch.solid(outline, coat.base, bodyMarkings(coat, [200, high(284), 224, 130], sketch) + chest, 16),
      paw(148, 438, 38, 17, coat),
      paw(232, 438, 38, 17, coat),
      tail(tailStyle, curve, coat, sketch),
    ].join(''),
    head: { x: 192, y: 266, scale: 1.08, turn: sketch.chance.between('tilt', -8, 6) },
    neck: { x: 194, y: 352, scale: 0.95 },
    shadow: { x: 266, rx: 182 },
  }
}

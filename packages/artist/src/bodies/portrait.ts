import { blob, mirrorPoints, parsePoints, woolly } from '../curves.ts'
import { path } from '../svg.ts'
import { bodyMarkings } from './coat.ts'
import type { Pose } from './pose.ts'

export const portrait: Pose = ({ coat, girth, fluffy }, sketch) => {
  const wide = (x: number) => 256 + x * girth
  const outline = blob(
    mirrorPoints(
      [
        [256, 320],
        [wide(70), 348],
        [wide(128), 408],
        [wide(160), 480],
        [wide(164), 560],
        [256, 580],
      ],
      256,
    ),
  )
  const chest = coat.chest
    ? path(
        fluffy
          ? woolly(mirrorPoints(parsePoints('256,330 322,400 300,500 256,540'), 256), 34)
          : blob(mirrorPoints(parsePoints('256,330 310,400 306,500 256,540'), 256)),
        coat.chest,
      )
    : ''
  return {
    body: sketch.solid(outline, coat.base, bodyMarkings(coat, [90, 400, 332, 120], sketch) + chest, 18),
    head: { x: 256, y: 262, scale: 1.5, turn: sketch.chance.between('tilt', -7, 7) },
    neck: { x: 256, y: 398, scale: 1.4 },
  }
}

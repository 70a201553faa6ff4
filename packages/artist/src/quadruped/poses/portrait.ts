import { mirrorPoints, smoothOutline } from '../../curves.ts'
import { drawBodyMarkings } from '../coat.ts'
import { drawChest, type Pose } from '../pose.ts'

export const portrait: Pose = (build, sketch) => {
  const { coat, girth } = build
  const widen = (x: number) => 256 + x * girth
  const outline = smoothOutline(
    mirrorPoints(
      [
        [256, 320],
        [widen(70), 348],
        [widen(128), 408],
        [widen(160), 480],
        [widen(164), 560],
        [256, 580],
      ],
      256,
    ),
  )
  const chest = drawChest(build, {
    centre: 256,
    fluffy: '256,330 322,400 300,500 256,540',
    bump: 34,
    smooth: '256,330 310,400 306,500 256,540',
  })
  return {
    body: sketch.shadedShape(outline, coat.base, drawBodyMarkings(coat, [90, 400, 332, 120], sketch) + chest, 18),
    head: { x: 256, y: 262, scale: 1.5, turn: sketch.chance.between('tilt', -7, 7) },
    neck: { x: 256, y: 398, scale: 1.4 },
  }
}

import { type Cubic, parseCurve, smoothOutline } from '../../curves.ts'
import { drawBodyMarkings, drawPaw } from '../coat.ts'
import type { Pose } from '../pose.ts'
import { drawTail } from '../tail.ts'

const tailCurve: Cubic = parseCurve('424,372 462,462 330,474 262,450')

export const curled: Pose = ({ coat, tail: tailStyle, girth }, sketch) => {
  const raise = (y: number) => 450 - (450 - y) * (0.6 + 0.4 * girth)
  const outline = smoothOutline([
    [150, raise(316)],
    [256, raise(270)],
    [364, raise(292)],
    [432, raise(360)],
    [430, 424],
    [360, 450],
    [160, 452],
    [92, 430],
    [92, 370],
  ])
  return {
    body: [
      sketch.shadedShape(outline, coat.base, drawBodyMarkings(coat, [190, raise(286), 240, 140], sketch), 16),
      drawPaw(214, 438, 34, 15, coat),
    ].join(''),
    front: drawTail(tailStyle, tailCurve, coat, sketch),
    head: { x: 172, y: 330, scale: 1, turn: sketch.chance.between('tilt', -12, -2) },
    neck: { x: 184, y: 404, scale: 0.86, turn: -8 },
    shadow: { x: 262, rx: 186 },
  }
}

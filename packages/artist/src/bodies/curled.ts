import { blob, type Cubic } from '../curves.ts'
import { bodyMarkings, paw } from './coat.ts'
import type { Pose } from './pose.ts'
import { tail } from './tail.ts'

const curve: Cubic = [
  [424, 372],
  [462, 462],
  [330, 474],
  [262, 450],
]

export const curled: Pose = ({ coat, tail: tailStyle, girth }, sketch) => {
  const high = (y: number) => 450 - (450 - y) * (0.6 + 0.4 * girth)
  const outline = blob([
    [150, high(316)],
    [256, high(270)],
    [364, high(292)],
    [432, high(360)],
    [430, 424],
    [360, 450],
    [160, 452],
    [92, 430],
    [92, 370],
  ])
  return {
    body: [
      sketch.solid(outline, coat.base, bodyMarkings(coat, [190, high(286), 240, 140], sketch), 16),
      paw(214, 438, 34, 15, coat),
    ].join(''),
    front: tail(tailStyle, curve, coat, sketch),
    head: { x: 172, y: 330, scale: 1, turn: sketch.chance.between('tilt', -12, -2) },
    neck: { x: 184, y: 404, scale: 0.86, turn: -8 },
    shadow: { x: 262, rx: 186 },
  }
}

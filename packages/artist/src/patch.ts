import type { Colour } from './colour.ts'
import { type Point, smoothOutline } from './curves.ts'
import { path } from './svg.ts'

/** A round patch with an irregular edge. */
export function drawPatch(x: number, y: number, rx: number, ry: number, fill: Colour, random: () => number) {
  const points = Array.from({ length: 7 }, (_, i): Point => {
    const angle = (i / 7) * 2 * Math.PI
    const reach = 0.78 + random() * 0.4
    return [x + rx * reach * Math.cos(angle), y + ry * reach * Math.sin(angle)]
  })
  return path(smoothOutline(points), fill)
}

import { type Cubic, ribbon } from '../curves.ts'
import type { Sketch } from '../sketch.ts'
import { circle, line, path, svg } from '../svg.ts'
import type { Coat } from './coat.ts'

export type TailStyle = 'slim' | 'plume' | 'brush' | 'whip' | 'stub' | 'pompom'

/** These do not reach around the body. */
export const isShortTail = (style: TailStyle) => style === 'stub' || style === 'pompom'

const widths: Record<TailStyle, (t: number) => number> = {
  slim: (t) => 17 - 4 * t,
  whip: (t) => 15 - 10 * t,
  stub: () => 17,
  pompom: () => 9,
  plume: (t) => 14 + 26 * Math.sin(Math.min(1, t * 1.1) * Math.PI * 0.75),
  brush: (t) => 12 + 92 * t * (1.06 - t) * (0.5 + 0.7 * t),
}

/** A tail along a curve from its root to its end. */
export function drawTail(style: TailStyle, curve: Cubic, coat: Coat, sketch: Sketch): string {
  const width = widths[style]
  const end = style === 'stub' ? 0.34 : 1
  const fill = coat.tail ?? coat.base
  const [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = curve
  const spine = svg`M${x0} ${y0}C${x1} ${y1} ${x2} ${y2} ${x3} ${y3}`
  const rings =
    coat.pattern === 'stripes' && !coat.tail
      ? line(spine, coat.marks, width(0.5) * 2.4, 'stroke-dasharray="10 22" stroke-linecap="butt"')
      : ''
  const tip =
    coat.tailTip && style !== 'stub'
      ? path(
          ribbon(curve, (t) => width(t) * 1.15, 0.68, 1.02),
          coat.tailTip,
        )
      : ''
  const ball = style === 'pompom' ? circle(x3, y3, 34, fill) : ''
  return sketch.shadedShape(ribbon(curve, width, 0, end, 8), fill, rings + tip, 7) + ball
}

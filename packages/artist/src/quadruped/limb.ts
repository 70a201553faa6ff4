import { type Colour, INK, SHADOW } from '../colour.ts'
import { type Cubic, type Point, ribbon } from '../curves.ts'
import type { Sketch } from '../sketch.ts'
import { line, path, rect, svg } from '../svg.ts'
import type { Coat } from './coat.ts'

interface Limb {
  /** Half of the width at the shoulder or hip. */
  width: number
  /** Relative to a shorthair cat. */
  length: number
  /** Legs on the far side are in the shade. */
  far?: boolean
}

/** A bent leg in motion, along a curve from shoulder or hip to paw: narrow above the paw. */
export function drawLimb(curve: Cubic, { width, length, far = false }: Limb, coat: Coat, sketch: Sketch): string {
  const [start] = curve
  // Short legs are not as short in motion as when standing.
  const reach = 0.5 + 0.5 * length
  const scaled = curve.map(([x, y]): Point => [start[0] + (x - start[0]) * reach, start[1] + (y - start[1]) * reach])
  const halfWidth = (t: number) => width * (1 - 0.46 * Math.min(1, t * 1.25)) + 30 * Math.max(0, t - 0.84)
  const outline = ribbon(scaled as unknown as Cubic, halfWidth, 0, 1, 6)
  const sockColour: Colour | undefined = coat.socks
  const sock = sockColour
    ? path(
        ribbon(scaled as unknown as Cubic, (t) => halfWidth(t) * 1.5, 0.66, 1.1, 2),
        sockColour,
      )
    : ''
  const shade = far ? rect(-300, -300, 1000, 1000, SHADOW, 0, 'opacity=".22"') : ''
  const [, , [bx, by], [ex, ey]] = scaled as unknown as Cubic
  const [dx, dy] = [(ex - bx) * 0.1, (ey - by) * 0.1]
  const toes = line(svg`M${ex} ${ey - 2}l${dx} ${dy}M${ex + dy} ${ey - dx + 5}l${dx} ${dy}`, INK, 3, 'opacity=".3"')
  return sketch.shadedShape(outline, coat.base, sock + shade, 6) + (far ? '' : toes)
}

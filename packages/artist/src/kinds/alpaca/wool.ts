import { darken } from '../../colour.ts'
import { bumpyOutline, ellipsePoints, type Point } from '../../curves.ts'
import { type Area, drawPatch } from '../../quadruped/coat.ts'
import type { Sketch } from '../../sketch.ts'
import { circle, ellipse, line, n, opacity, path, rect } from '../../svg.ts'
import type { Wool } from './fleece.ts'

function drawCurls(count: number, at: () => Point, { fill }: Wool) {
  const strokes = Array.from({ length: count }, () => {
    const [x, y] = at()
    return `M${n(x)} ${n(y)}q9 11 19 0`
  })
  return line(strokes.join(''), darken(fill, 0.3), 4, opacity(0.5))
}

function drawWoolMarkings(wool: Wool, [x, y, width, height]: Area, { chance }: Sketch) {
  const random = chance.sequence(`wool ${x}`)
  const at = (): Point => [x + width * (0.1 + 0.7 * random()), y + height * (0.15 + 0.7 * random())]
  const texture = drawCurls(Math.round((width * height) / 6000), at, wool)
  switch (wool.pattern) {
    case 'plain':
      return texture
    case 'patched':
      return (
        drawPatch(x + width * 0.75, y + height * 0.3, width * 0.3, height * 0.3, wool.marks, random) +
        drawPatch(x + width * 0.2, y + height * 0.8, width * 0.3, height * 0.22, wool.marks, random) +
        texture
      )
    case 'dappled':
      return Array.from({ length: 8 }, () => circle(...at(), 8 + random() * 9, wool.marks)).join('')
    case 'two-toned':
      return ellipse(x + width / 2, y + height * 1.02, width * 0.8, height * 0.5, wool.marks) + texture
  }
}

/** A woolly part of the body with markings in the given area. */
export const drawWoolPart = (corners: readonly Point[], wool: Wool, area: Area, sketch: Sketch) =>
  sketch.shadedShape(bumpyOutline(corners, wool.curlLength), wool.fill, drawWoolMarkings(wool, area, sketch), 12)

export function drawAlpacaLeg(
  x: number,
  top: number,
  width: number,
  { face, fill, curlLength: curl }: Wool,
  far = false,
) {
  const bottom = far ? 440 : 446
  const bare = rect(x - width / 2, top, width, bottom - top, far ? darken(face, 0.2) : face, 10)
  const toes = rect(x - width / 2 - 2, bottom - 13, width + 4, 13, darken(face, 0.45), 6)
  const cuff = path(
    bumpyOutline(ellipsePoints(x, top + 8, width * 0.68, 26, 10), curl * 0.62),
    far ? darken(fill, 0.16) : fill,
  )
  return bare + toes + cuff
}

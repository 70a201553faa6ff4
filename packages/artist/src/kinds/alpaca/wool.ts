import { type Area, patch } from '../../bodies/coat.ts'
import { darker } from '../../colour.ts'
import { type Point, ring, woolly } from '../../curves.ts'
import type { Sketch } from '../../sketch.ts'
import { box, circle, ellipse, fade, line, n, path } from '../../svg.ts'
import type { Wool } from './fleece.ts'

function curls(count: number, at: () => Point, { fill }: Wool) {
  const strokes = Array.from({ length: count }, () => {
    const [x, y] = at()
    return `M${n(x)} ${n(y)}q9 11 19 0`
  })
  return line(strokes.join(''), darker(fill, 0.3), 4, fade(0.5))
}

function markings(wool: Wool, [x, y, width, height]: Area, { chance }: Sketch) {
  const random = chance.sequence(`wool ${x}`)
  const at = (): Point => [x + width * (0.1 + 0.7 * random()), y + height * (0.15 + 0.7 * random())]
  const texture = curls(Math.round((width * height) / 6000), at, wool)
  switch (wool.pattern) {
    case 'plain':
      return texture
    case 'patched':
      return (
        patch(x + width * 0.75, y + height * 0.3, width * 0.3, height * 0.3, wool.mark, random) +
        patch(x + width * 0.2, y + height * 0.8, width * 0.3, height * 0.22, wool.mark, random) +
        texture
      )
    case 'dappled':
      return Array.from({ length: 8 }, () => circle(...at(), 8 + random() * 9, wool.mark)).join('')
    case 'two-toned':
      return ellipse(x + width / 2, y + height * 1.02, width * 0.8, height * 0.5, wool.mark) + texture
  }
}

/** A woolly part of the body with markings in the given area. */
export const woolPart = (corners: readonly Point[], wool: Wool, area: Area, sketch: Sketch) =>
  sketch.solid(woolly(corners, wool.curl), wool.fill, markings(wool, area, sketch), 12)

export function foot(x: number, top: number, width: number, { face, fill, curl }: Wool, far = false) {
  const bottom = far ? 440 : 446
  const bare = box(x - width / 2, top, width, bottom - top, far ? darker(face, 0.2) : face, 10)
  const toes = box(x - width / 2 - 2, bottom - 13, width + 4, 13, darker(face, 0.45), 6)
  const cuff = path(woolly(ring(x, top + 8, width * 0.68, 26, 10), curl * 0.62), far ? darker(fill, 0.16) : fill)
  return bare + toes + cuff
}

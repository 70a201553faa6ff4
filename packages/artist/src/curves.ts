import { joinNumbers, svg } from './svg.ts'

export type Point = readonly [x: number, y: number]
export type Cubic = readonly [Point, Point, Point, Point]

/** One point of a closed outline. Indexes wrap around. */
const pointAt = (points: readonly Point[], index: number) => points[(index + points.length) % points.length]!

/** Parses points: "0,-82 46,-76". */
export const parsePoints = (text: string): Point[] =>
  text.split(' ').map((pair) => {
    const [x, y] = pair.split(',')
    return [Number(x), Number(y)]
  })

/** Parses the four points of a Bezier curve. */
export function parseCurve(text: string): Cubic {
  const [start, control1, control2, end] = parsePoints(text)
  return [start!, control1!, control2!, end!]
}

/** A closed smooth outline through the points (Catmull-Rom, as Bezier curves). Whole pixels make the text short. */
export function smoothOutline(points: readonly Point[], roundness = 1): string {
  const k = roundness / 6
  const corners = points.map(([x, y]): Point => [Math.round(x), Math.round(y)])
  const parts = corners.map(([x, y], i) => {
    const [before, next, after] = [pointAt(corners, i - 1), pointAt(corners, i + 1), pointAt(corners, i + 2)]
    const [dx, dy] = [next[0] - x, next[1] - y]
    return joinNumbers(
      Math.round((next[0] - before[0]) * k),
      Math.round((next[1] - before[1]) * k),
      Math.round(dx - (after[0] - x) * k),
      Math.round(dy - (after[1] - y) * k),
      dx,
      dy,
    )
  })
  return `M${joinNumbers(...corners[0]!)}c${parts.reduce((text, next) => text + (next.startsWith('-') ? next : ` ${next}`))}Z`
}

/** Completes a symmetric outline from its right half, which is given from top to bottom. */
export const mirrorPoints = (half: readonly Point[], centre = 0): Point[] => [
  ...half,
  ...half
    .filter(([x]) => x !== centre)
    .reverse()
    .map(([x, y]): Point => [2 * centre - x, y]),
]

export const ellipsePath = (x: number, y: number, rx: number, ry: number) =>
  svg`M${x - rx} ${y}A${rx} ${ry} 0 1 1 ${x + rx} ${y}A${rx} ${ry} 0 1 1 ${x - rx} ${y}Z`

/**
 * A closed outline of even bumps along the polygon: wool, clouds, curls, hedges. `bump` is the length of one bump. Points
 * must be in clockwise order, otherwise the bumps point inwards.
 */
export function bumpyOutline(points: readonly Point[], bump: number): string {
  const vertices: Point[] = []
  // Distance from the current corner to the next vertex.
  let offset = 0
  points.forEach(([x, y], i) => {
    const [nextX, nextY] = pointAt(points, i + 1)
    const length = Math.sqrt((nextX - x) ** 2 + (nextY - y) ** 2)
    for (; offset < length; offset += bump)
      vertices.push([Math.round(x + ((nextX - x) * offset) / length), Math.round(y + ((nextY - y) * offset) / length)])
    offset -= length
  })
  // The control point of a bump lies 0.72 of its length outside: slightly taller than a half circle.
  const bumps = vertices.map(([x, y], i) => {
    const [nextX, nextY] = pointAt(vertices, i + 1)
    const [dx, dy] = [nextX - x, nextY - y]
    return joinNumbers(Math.round(dx / 2 + dy * 0.72), Math.round(dy / 2 - dx * 0.72), dx, dy)
  })
  return `M${joinNumbers(...vertices[0]!)}q${bumps.join(' ')}Z`
}

/** An ellipse as a clockwise polygon, for `bumpyOutline`. */
export const ellipsePoints = (x: number, y: number, rx: number, ry: number, corners = 16): Point[] =>
  Array.from({ length: corners }, (_, i) => {
    const angle = (i / corners) * 2 * Math.PI
    return [x + rx * Math.cos(angle), y + ry * Math.sin(angle)]
  })

/** The point at `t` (0 to 1) and the direction of the curve there. */
function pointOnCurve([a, b, c, d]: Cubic, t: number) {
  const s = 1 - t
  const position = (i: 0 | 1) => s ** 3 * a[i] + 3 * s * s * t * b[i] + 3 * s * t * t * c[i] + t ** 3 * d[i]
  const slope = (i: 0 | 1) => 3 * s * s * (b[i] - a[i]) + 6 * s * t * (c[i] - b[i]) + 3 * t * t * (d[i] - c[i])
  const [dx, dy] = [slope(0), slope(1)]
  const length = Math.sqrt(dx * dx + dy * dy) || 1
  return { x: position(0), y: position(1), dx: dx / length, dy: dy / length }
}

/** A band of changing half-width along a curve: tails, necks, plants, feathers. */
export function ribbon(curve: Cubic, halfWidth: (t: number) => number, from = 0, to = 1, steps = 6): string {
  const left: Point[] = []
  const right: Point[] = []
  for (let i = 0; i <= steps; i++) {
    const t = from + ((to - from) * i) / steps
    const { x, y, dx, dy } = pointOnCurve(curve, t)
    const width = halfWidth(t)
    left.push([x - dy * width, y + dx * width])
    right.unshift([x + dy * width, y - dx * width])
  }
  const end = pointOnCurve(curve, to)
  const tip = halfWidth(to) * 0.8
  return smoothOutline([...left, [end.x + end.dx * tip, end.y + end.dy * tip], ...right])
}

/** `turn` is in full turns; the default points one ray up. */
export const star = (x: number, y: number, outer: number, inner: number, points = 5, turn = -0.25) =>
  `M${Array.from({ length: points * 2 }, (_, i) => {
    const angle = (turn + i / (points * 2)) * 2 * Math.PI
    const r = i % 2 ? inner : outer
    return svg`${x + r * Math.cos(angle)} ${y + r * Math.sin(angle)}`
  }).join('L')}Z`

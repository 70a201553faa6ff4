import type { Box } from '../boxes.ts'
import { bumpyOutline, ellipsePoints, type Point } from '../curves.ts'
import type { Chance } from '../random.ts'
import { circle, ellipse, line, opacity, path, place, rect, SIZE, svg } from '../svg.ts'

export const drawBackdrop = (fill: string) => rect(0, 0, 512, 512, fill)

export const drawGround = (top: number, fill: string) => rect(0, top, 512, 512 - top, fill)

/** A hill across the picture; its edge is up to `amplitude` above or below `top`. */
export function drawHill(chance: Chance, name: string, top: number, amplitude: number, fill: string) {
  const at = (part: string) => top + chance.between(`${name} ${part}`, -amplitude, amplitude)
  const [a, b, c, d] = [at('a'), at('b'), at('c'), at('d')]
  return path(svg`M0 ${a}C90 ${a - amplitude} 120 ${b} 200 ${b}S330 ${c} 390 ${c}S480 ${d} 512 ${d}V512H0Z`, fill)
}

export const drawCloud = (x: number, y: number, size: number, fill: string, alpha = 0.9) =>
  `<g ${opacity(alpha)}>${ellipse(x, y, size, size * 0.36, fill)}${circle(x - size * 0.35, y - size * 0.2, size * 0.36, fill)}${circle(
    x + size * 0.2,
    y - size * 0.28,
    size * 0.46,
    fill,
  )}</g>`

export const drawSun = (x: number, y: number, r: number, fill: string) =>
  circle(x, y, r * 1.5, fill, opacity(0.35)) + circle(x, y, r, fill)

/** The first of the places with nothing within `radius`; it is occupied from then on. */
export function findFreePlace(occupied: Box[], places: readonly Point[], radius: number): Point | undefined {
  const found = places.find(([x, y]) =>
    occupied.every(
      ([left, top, right, bottom]) =>
        x + radius < left || x - radius > right || y + radius < top || y - radius > bottom,
    ),
  )
  if (found) occupied.push([found[0] - radius, found[1] - radius, found[0] + radius, found[1] + radius])
  return found
}

/** A place in the sky where the animal does not cut a disc: x,y, its mirror image, higher, in a corner or in the middle. */
export function findInSky(occupied: Box[], [x, y]: Point, radius: number): Point | undefined {
  const corner = radius + 8
  const places = [x, SIZE - x, corner, SIZE - corner, 330, 182].flatMap((px): Point[] => [
    [px, y],
    [px, corner],
  ])
  return findFreePlace(occupied, places, radius)
}

/** Draws in a place that `findInSky` finds, or nothing. */
export function drawInSky(occupied: Box[], wanted: Point, radius: number, draw: (x: number, y: number) => string) {
  const found = findInSky(occupied, wanted, radius)
  return found ? draw(...found) : ''
}

/** The glow keeps clear of the animal too. */
export const placeSun = (occupied: Box[], wanted: Point, r: number, fill: string) =>
  drawInSky(occupied, wanted, r * 1.5 + 8, (x, y) => drawSun(x, y, r, fill))

export const placeCloud = (occupied: Box[], wanted: Point, size: number, alpha: number) =>
  drawInSky(occupied, wanted, size + 10, (x, y) => drawCloud(x, y, size, '#fff', alpha))

/** Tufts of grass at the bottom of the picture. */
export const drawGrass = (chance: Chance, stroke: string) =>
  line(
    scatter(
      chance,
      'grass',
      7,
      [0, 480, 512, 512],
      (x, y) => svg`M${x - 14} ${y - 20}q12 6 14 20q0-18 3-29M${x} ${y}q4-15 16-19`,
    ),
    stroke,
    4.5,
  )

export const drawPine = (x: number, y: number, size: number, fill: string, trunk: string) =>
  place(
    { x, y, scale: size },
    rect(-6, -14, 12, 16, trunk, 3),
    path(
      'M0-110Q6-100 35-60Q35-55 30-55Q30-50 45-30Q50-20 40-18Q0-8-40-18Q-50-20-45-30Q-30-50-30-55Q-35-55-35-60Q-6-100 0-110Z',
      fill,
    ),
  )

export const drawTree = (x: number, y: number, size: number, fill: string, trunk: string) =>
  place(
    { x, y, scale: size },
    rect(-8, -60, 16, 60, trunk, 5),
    path(bumpyOutline(ellipsePoints(0, -90, 40, 45, 14), 30), fill),
  )

/**
 * Scatters small things over an area. Each has its own column, and neighbours differ in height, so that they rarely
 * overlap.
 */
export function scatter(
  chance: Chance,
  name: string,
  count: number,
  [left, top, right, bottom]: readonly [number, number, number, number],
  drawThing: (x: number, y: number, random: () => number) => string,
) {
  const random = chance.sequence(name)
  const width = (right - left) / count
  const heights = [0.15, 0.7, 0.4, 0.95, 0.05, 0.55, 0.85, 0.3]
  return Array.from({ length: count }, (_, i) => {
    const x = left + width * (i + 0.2 + 0.6 * random())
    const share = (heights[i % heights.length]! + random() * 0.3) % 1
    return drawThing(x, top + (bottom - top) * share, random)
  }).join('')
}

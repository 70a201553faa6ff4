import type { Colour } from '../../colour.ts'
import { circle, ellipse, line, opacity, path, svg } from '../../svg.ts'

export interface FishColours {
  body: Colour
  /** Bands, spots and patches. */
  marks: Colour
  fins: Colour
  /** A second colour of markings, and the edges of fins. */
  trim: Colour
  belly: Colour
}

/** A curved band across the body at each x; an edge needs contrast to the body. */
export const bands = (
  places: readonly (readonly [x: number, width: number])[],
  fill: Colour,
  edge?: Colour,
  bend = 22,
) =>
  places
    .map(([x, width]) =>
      path(
        svg`M${x}-170Q${x + bend} 0 ${x} 170h${width}Q${x + width + bend} 0 ${x + width}-170Z`,
        fill,
        edge ? `stroke="${edge}" stroke-width="6"` : '',
      ),
    )
    .join('')

/** Lines along the body. */
export const stripes = (heights: readonly number[], from: number, fill: Colour, width = 9) =>
  line(heights.map((y, i) => svg`M${from + (i % 2) * 8} ${y}Q40 ${y * 1.25 - 6} 140 ${y * 0.3}`).join(''), fill, width)

export type Area = readonly [left: number, top: number, right: number, bottom: number]

/** Spots in staggered rows, so that they never touch. */
export function spots(
  [left, top, right, bottom]: Area,
  columns: number,
  rows: number,
  r: number,
  fill: Colour,
  random: () => number,
) {
  const [width, height] = [(right - left) / columns, (bottom - top) / rows]
  return Array.from({ length: columns * rows }, (_, i) => {
    const [column, row] = [i % columns, Math.floor(i / columns)]
    const x = left + (column + (row % 2 ? 0.65 : 0.2) + random() * 0.25) * width
    return circle(x, top + (row + 0.35 + random() * 0.3) * height, r * (0.7 + random() * 0.5), fill)
  }).join('')
}

/** Rows of scales as one line. */
export function scales([left, top, right, bottom]: Area, size: number, fill: Colour) {
  let d = ''
  for (let row = 0, y = top; y < bottom; row++, y += size)
    for (let x = left + (row % 2 ? size * 0.5 : 0); x < right; x += size)
      d += svg`M${x + size * 0.4} ${y - size * 0.5}q${-size * 0.7} ${size * 0.5} 0 ${size}`
  return line(d, fill, 4, opacity(0.5))
}

/** The lower part of the body, from the throat to the tail. */
export const belly = (fill: Colour, top = 26) => ellipse(-20, top + 65, 180, 65, fill)

/** The upper part of the body. */
export const back = (fill: Colour, bottom = -30) =>
  path(svg`M-200-200H200V${bottom + 20}Q80 ${bottom - 6} 0 ${bottom}T-200 ${bottom + 26}Z`, fill)

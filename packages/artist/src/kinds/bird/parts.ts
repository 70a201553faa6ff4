import { type Colour, contrast, darken } from '../../colour.ts'
import { bumpyOutline, type Cubic, ellipsePoints, parseCurve, ribbon, smoothOutline } from '../../curves.ts'
import type { Sketch } from '../../sketch.ts'
import { ellipse, line, opacity, path, svg } from '../../svg.ts'
import type { Crest, Species } from './species.ts'

export interface Plumage {
  main: Colour
  wing: Colour
  front: Colour
  bright: Colour
}

/** The breast of a robin; the colour of the front if `bright` is too similar to the rest of the bird. */
export const breastColour = ({ bright, main, front }: Plumage) => (contrast(bright, main) > 110 ? bright : front)

/** A crest, around the top of the head. */
export function drawCrest(kind: Crest, { main, wing, bright }: Plumage, sketch: Sketch): string {
  switch (kind) {
    case 'none':
      return ''
    case 'tuft':
      return line('M0 6Q-4-18-14-24M0 6Q0-20 4-32M0 6Q8-14 18-18', wing, 8)
    case 'horns':
      return sketch.bothSides(sketch.shadedShape('M16 20Q40-26 78-36Q84 0 66 40Z', wing, '', 5))
    case 'comb':
      return path(bumpyOutline(ellipsePoints(0, -4, 34, 16, 10), 21), '#e2574c')
    case 'plume':
      return [-0.3, 0.1, 0.5]
        .map((lean, i) =>
          path(
            ribbon(
              [
                [0, 12],
                [4 + lean * 20, -20],
                [20 + lean * 40, -44],
                [44 + lean * 50, -56 + i * 8],
              ],
              (t) => 9 - 5 * t,
            ),
            i === 1 ? main : bright,
          ),
        )
        .join('')
    case 'curl':
      return line('M0 4Q-2-22 14-22Q26-20 22-8', wing, 8)
  }
}

/** A folded wing hanging from 0,0 down, for the right side of a bird seen from the front. */
export const drawFoldedWing = (length: number, fill: Colour, sketch: Sketch) =>
  sketch.shadedShape(
    smoothOutline([
      [0, 0],
      [22, 22],
      [26, length * 0.5],
      [10, length],
      [-14, length * 0.76],
      [-18, length * 0.3],
    ]),
    fill,
    line(
      svg`M-4 ${length * 0.5}l8 ${length * 0.3}M10 ${length * 0.44}l2 ${length * 0.3}`,
      darken(fill, 0.25),
      4,
      opacity(0.6),
    ),
    5,
  )

const fan: readonly Cubic[] = [
  parseCurve('0,0 30,-20 60,-50 78,-96'),
  parseCurve('0,0 40,-10 80,-26 108,-62'),
  parseCurve('0,0 40,4 84,0 122,-22'),
]

/** A tail rooted at 0,0 that points right, for a bird seen from the side. */
export function drawSideTail(kind: Species['tail'], { wing, main }: Plumage, sketch: Sketch): string {
  if (kind === 'none') return ''
  if (kind === 'fan')
    return fan
      .map((curve, i) =>
        sketch.shadedShape(
          ribbon(curve, (t) => 14 + 8 * t),
          i === 1 ? main : wing,
          '',
          4,
        ),
      )
      .join('')
  const reach = kind === 'long' ? 130 : 66
  const feather = (drop: number, fill: Colour, length: number) =>
    sketch.shadedShape(
      ribbon(
        [
          [-20, 0],
          [length * 0.3, drop * 0.2],
          [length * 0.7, drop * 0.5],
          [length, drop],
        ],
        (t) => 12 + 6 * t,
      ),
      fill,
      '',
      5,
    )
  return feather(reach * 0.5, main, reach * 0.9) + feather(reach * 0.28, wing, reach)
}

export const drawFoot = (x: number, top: number, bottom: number, fill: Colour) =>
  line(
    svg`M${x} ${top}V${bottom}M${x - 15} ${bottom}H${x + 15}M${x} ${bottom}L${x - 9} ${bottom - 7}M${x} ${bottom}L${x + 9} ${bottom - 7}`,
    fill,
    8,
  )

export const drawSpeckles = (x: number, y: number, width: number, rows: number, fill: Colour) =>
  Array.from({ length: rows * 4 }, (_, i) => {
    const [column, row] = [i % 4, Math.floor(i / 4)]
    const px = x - width / 2 + ((column + (row % 2 ? 0.75 : 0.25)) * width) / 4
    return ellipse(px, y + row * 26, 7, 5, fill, 0, opacity(0.7))
  }).join('')

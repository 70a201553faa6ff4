import { type Colour, INK, SHADOW } from '../colour.ts'
import { smoothOutline } from '../curves.ts'
import { drawPatch } from '../patch.ts'
import type { Sketch } from '../sketch.ts'
import { circle, ellipse, line, path, rect, svg } from '../svg.ts'

type BodyPattern = 'plain' | 'stripes' | 'spots' | 'rosettes' | 'patches' | 'saddle'

export interface Coat {
  base: Colour
  marks: Colour
  /** The second colour of patches. Default: `marks`. */
  marks2?: Colour
  chest?: Colour
  socks?: Colour
  tail?: Colour
  tailTip?: Colour
  pattern: BodyPattern
}

export type Area = readonly [x: number, y: number, width: number, height: number]

const drawStripe = (x: number, y: number, length: number, bend: number, width: number, fill: Colour) =>
  path(
    svg`M${x - width} ${y}Q${x + bend - width} ${y + length * 0.5} ${x + bend * 0.4} ${y + length}Q${x + bend + width} ${y + length * 0.5} ${x + width} ${y}Z`,
    fill,
  )

export function drawBodyMarkings(coat: Coat, [x, y, width, height]: Area, { chance }: Sketch): string {
  const random = chance.sequence('markings')
  const { marks, marks2 = coat.marks } = coat
  const scatterInRows = (columns: number, rows: number, draw: (px: number, py: number, i: number) => string) =>
    Array.from({ length: columns * rows }, (_, i) => {
      const [column, row] = [i % columns, Math.floor(i / columns)]
      const shift = row % 2 ? 0.5 : 0
      return draw(
        x + ((column + shift + 0.2 + random() * 0.4) * width) / columns,
        y + ((row + 0.2 + random() * 0.5) * height) / rows,
        i,
      )
    }).join('')
  switch (coat.pattern) {
    case 'plain':
      return ''
    case 'stripes': {
      const count = Math.max(5, Math.round(width / 42))
      return Array.from({ length: count }, (_, i) => {
        const side = (i + 0.5) / count - 0.5
        return drawStripe(
          x + (width * (i + 0.5)) / count,
          y - 24 + side * side * 60,
          height * (0.5 + random() * 0.2),
          -side * 40,
          8 + random() * 3,
          marks,
        )
      }).join('')
    }
    case 'spots':
      return scatterInRows(Math.round(width / 44), Math.round(height / 44), (px, py) =>
        circle(px, py, 7 + random() * 8, marks),
      )
    case 'rosettes':
      return scatterInRows(Math.round(width / 46), Math.round(height / 44), (px, py) => {
        const r = 9 + random() * 4
        return line(svg`M${px - r} ${py}a${r} ${r * 0.85} 0 1 1 ${r * 1.5} ${r * 0.6}`, marks, 6)
      })
    case 'patches':
      return [
        drawPatch(x + width * 0.14, y + height * (0.1 + random() * 0.3), width * 0.2, height * 0.34, marks, random),
        drawPatch(x + width * (0.5 + random() * 0.1), y + height * 0.1, width * 0.2, height * 0.3, marks2, random),
        drawPatch(x + width * 0.9, y + height * (0.3 + random() * 0.4), width * 0.2, height * 0.36, marks, random),
      ].join('')
    case 'saddle':
      return path(
        smoothOutline([
          [x + width * 0.16, y - 30],
          [x + width * 1.1, y - 40],
          [x + width * 1.08, y + height * 0.5],
          [x + width * 0.6, y + height * 0.6],
          [x + width * 0.3, y + height * 0.46],
        ]),
        marks,
      )
  }
}

/** A leg: a post with a round top down to the ground, with sock and toes. */
export function drawLeg(x: number, top: number, width: number, coat: Coat, sketch: Sketch, far = false, bottom = 446) {
  const half = width / 2
  const foot = half * 1.14
  const outline = svg`M${x - half} ${top + half}L${x - half * 0.92} ${bottom - 26}Q${x - foot} ${bottom} ${x - foot + 10} ${bottom}H${x + foot - 10}Q${x + foot} ${bottom} ${x + half * 0.92} ${bottom - 26}L${x + half} ${top + half}Q${x + half} ${top} ${x} ${top}T${x - half} ${top + half}Z`
  const sock = coat.socks ? rect(x - 60, bottom - 40, 120, 60, coat.socks) : ''
  const toes = line(svg`M${x - 6} ${bottom - 9}v9M${x + 7} ${bottom - 9}v9`, INK, 3, 'opacity=".3"')
  const shade = far ? rect(x - 80, top - 10, 160, 300, SHADOW, 0, 'opacity=".22"') : ''
  return sketch.shadedShape(outline, coat.base, sock + shade, 6) + (far ? '' : toes)
}

export function drawPaw(x: number, y: number, rx: number, ry: number, coat: Coat) {
  return (
    ellipse(x, y + 3, rx, ry, SHADOW, 0, 'opacity=".2"') +
    ellipse(x, y, rx, ry, coat.socks ?? coat.base) +
    line(
      svg`M${x - rx * 0.28} ${y + ry * 0.2}v${ry * 0.6}M${x + rx * 0.28} ${y + ry * 0.2}v${ry * 0.6}`,
      INK,
      3,
      'opacity=".35"',
    )
  )
}

import { type Colour, darken, lighten } from '../../colour.ts'
import { bumpyOutline, type Cubic, ellipsePoints, parseCurve, ribbon, smoothOutline } from '../../curves.ts'
import type { Sketch } from '../../sketch.ts'
import { circle, ellipse, line, opacity, path, place, svg } from '../../svg.ts'
import type { Crest, Plumage, Species } from './species/species.ts'

const feather = (curve: Cubic, from: number, to: number) => ribbon(curve, (t) => from + (to - from) * t)

/** The comb and the wattles of a hen. */
export const COMB = '#d54'

/** A crest, around the top of the head. Crests of heads seen from the side lean back, to the right. */
export function drawCrest(crest: Crest, { main, wing, mark, front }: Plumage, sketch: Sketch): string {
  switch (crest) {
    case 'none':
      return ''
    case 'tuft':
      return line('M0 8Q-4-12-14-18M0 8Q0-16 4-25M0 8Q8-10 18-12', wing, 8)
    case 'horns':
      return sketch.bothSides(sketch.shadedShape('M25 25Q45-20 80-35Q85 0 65 40Z', wing, '', 5))
    case 'comb':
      return path(bumpyOutline(ellipsePoints(0, 2, 34, 15, 10), 21), COMB)
    case 'plume':
      return ['0,14 -6,-20 6,-45 25,-60', '4,14 6,-16 25,-35 45,-45', '8,16 20,-6 40,-18 60,-20']
        .map((curve, i) => path(feather(parseCurve(curve), 10, 5), i === 1 ? main : front === main ? wing : front))
        .join('')
    case 'curl':
      return line('M0 6Q-2-16 12-16Q20-14 19-4', darken(mark, 0.16), 8)
    case 'peak':
      return sketch.shadedShape('M-50 35C-30 0-2-35 35-55Q40-55 40-50C40-14 50 10 65 45Z', main, '', 5)
    case 'crown':
      return (
        line('M0 8L-25-35M0 8L-9-40M0 8L9-40M0 8L25-35', wing, 4) +
        [-26, -9, 9, 26].map((x, i) => circle(x, i % 3 ? -45 : -36, 8, i % 2 ? mark : main)).join('')
      )
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
      svg`M-6 ${length * 0.46}q6 12 14 0M2 ${length * 0.62}q6 12 14 0M-6 ${length * 0.74}q6 10 12 0`,
      darken(fill, 0.25),
      4,
      opacity(0.6),
    ),
    5,
  )

/** An open wing with its root at 0,0, pointing up; the front edge is on the left. About 90 wide and 205 long. */
export function drawOpenWing({ wing, mark, main }: Plumage, { tail }: Species, sketch: Sketch): string {
  const middle = tail === 'long' && mark !== main ? mark : lighten(wing, 0.16)
  return (
    sketch.shadedShape(
      'M-40 12C-60-50-45-140 4-196Q20-210 25-190Q25-175 20-165Q45-175 45-150Q45-135 35-125Q60-130 60-110Q55-90 45-80Q65-80 60-60Q55-40 40-35Q55-18 40 6Q10 35-40 12Z',
      wing,
      path('M-60 20C-65-60-45-120-12-150Q10-160 10-130Q30-135 25-110Q40-110 35-85Q50-75 40-50Q50-35 35-20V30Z', middle),
      8,
    ) +
    path(
      'M-35 10C-50-35-40-75-18-98Q0-105 0-85Q16-85 13-65Q30-60 20-40Q30-30 20-12Q30 2 20 10Q-8 25-35 10Z',
      mixWing(main, wing),
    )
  )
}

/** The small feathers at the root of a wing are close to the colour of the body. */
const mixWing = (main: Colour, wing: Colour) => (main === wing ? darken(wing, 0.08) : main)

/** A folded wing seen from the side: its root at 0,0, its tips at 160,60. */
export const drawSideWing = ({ wing, mark, main }: Plumage, { tail }: Species, sketch: Sketch) =>
  sketch.shadedShape(
    'M-45-4C-35-50 40-55 85-30C120-6 140 25 160 60Q130 60 115 50Q110 65 80 55Q70 65 45 50C8 55-40 35-45-4Z',
    wing,
    path(
      'M-60-60H70Q85-20 55 0Q50 18 30 14Q20 30-4 18Q-20 30-60 20Z',
      tail === 'long' && mark !== main ? mark : lighten(wing, 0.14),
    ) + line('M65 30q16 12 45 12M85 12q16 16 40 20', darken(wing, 0.25), 4, opacity(0.6)),
    7,
  )

/** A tail rooted at 0,0 that points right, for a bird seen from the side. */
export function drawSideTail(tail: Species['tail'], { wing, main, mark }: Plumage, sketch: Sketch): string {
  const draw = (curve: string, from: number, to: number, fill: Colour) =>
    sketch.shadedShape(feather(parseCurve(curve), from, to), fill, '', 4)
  switch (tail) {
    case 'none':
      return ''
    case 'fan':
      return [
        draw('0,20 30,-10 55,-50 60,-90', 15, 21, wing),
        draw('0,20 40,0 80,-30 95,-65', 15, 21, darken(main, 0.08)),
        draw('0,20 40,10 85,0 115,-30', 15, 20, wing),
      ].join('')
    case 'long':
      return [
        draw('-20,0 40,8 90,40 130,80', 13, 11, mark === main ? wing : mark),
        draw('-20,-4 50,0 110,30 155,70', 14, 10, main),
        draw('-20,-6 50,-8 110,14 150,45', 14, 10, wing),
      ].join('')
    case 'short':
      return draw('-20,4 20,8 45,18 70,35', 13, 15, darken(main, 0.1)) + draw('-20,0 25,0 55,6 80,16', 13, 16, wing)
  }
}

/** A leg and a foot seen from the front or from the side, on the ground at `bottom`. */
export function drawFoot(x: number, top: number, bottom: number, fill: Colour, webbed = false): string {
  const leg = line(svg`M${x} ${top}V${bottom - 4}`, fill, 8)
  if (webbed)
    return (
      leg +
      path(
        svg`M${x - 4} ${bottom - 12}Q${x - 22} ${bottom - 4} ${x - 30} ${bottom + 2}Q${x - 20} ${bottom + 5} ${x - 13} ${bottom + 2}Q${x - 4} ${bottom + 6} ${x + 3} ${bottom + 2}Q${x + 12} ${bottom + 5} ${x + 16} ${bottom + 1}Q${x + 10} ${bottom - 6} ${x + 4} ${bottom - 12}Z`,
        fill,
        `stroke="${fill}" stroke-width="4"`,
      )
    )
  return (
    leg +
    line(
      svg`M${x} ${bottom - 6}L${x - 18} ${bottom}M${x} ${bottom - 6}L${x - 3} ${bottom + 3}M${x} ${bottom - 6}L${x + 15} ${bottom}`,
      fill,
      7,
    )
  )
}

/** Toes around a branch at `y`. */
export const drawClaws = (x: number, y: number, fill: Colour) =>
  line(svg`M${x - 12} ${y - 8}v15M${x} ${y - 7}v17M${x + 12} ${y - 8}v15`, fill, 9)

/** Tucked feet of a bird in the air. */
export const drawTuckedFeet = (x: number, y: number, fill: Colour) =>
  line(svg`M${x} ${y}l16 16m-8-1l10 2m-4-9l2 10M${x + 24} ${y}l16 16m-8-1l10 2m-4-9l2 10`, fill, 6)

export const drawSpeckles = (x: number, y: number, width: number, rows: number, fill: Colour) =>
  Array.from({ length: rows * 4 }, (_, i) => {
    const [column, row] = [i % 4, Math.floor(i / 4)]
    const px = x - width / 2 + ((column + (row % 2 ? 0.75 : 0.25)) * width) / 4
    return ellipse(px, y + row * 26, 7, 5, fill, 0, opacity(0.7))
  }).join('')

/** The eye of a peacock's feather. */
export const drawFeatherEye = (x: number, y: number, turn: number, { main, mark }: Plumage) =>
  place(
    { x, y, turn },
    ellipse(0, 0, 21, 28, darken(mark, 0.12)),
    ellipse(0, 3, 15, 19, '#fc6'),
    ellipse(0, 6, 10, 12, main),
    ellipse(0, 8, 5, 6, '#335'),
  )

/** The spread train of a peacock, behind it. */
export function drawPeacockFan(plumage: Plumage, sketch: Sketch): string {
  const [eye, eyeAgain] = sketch.reusable(drawFeatherEye(0, 0, 0, plumage))
  let isFirst = true
  const nextEye = () => {
    const next = isFirst ? eye : eyeAgain
    isFirst = false
    return next
  }
  const rays = (count: number, length: number, scale: number) =>
    Array.from({ length: count }, (_, i) => {
      const turn = -98 + (196 / (count - 1)) * i
      return place(
        { x: 256, y: 350, turn },
        line(`M0 0V${-length}`, darken(plumage.mark, 0.25), 4, opacity(0.6)),
        place({ x: 0, y: -length, scale }, nextEye()),
      )
    }).join('')
  const scallops = Array.from({ length: 13 }, (_, i) =>
    place({ x: 256, y: 350, turn: -98 + (196 / 12) * i }, ellipse(0, -150, 34, 80, plumage.mark)),
  ).join('')
  return scallops + path('M80 370A175 175 0 0 1 430 370L256 420Z', plumage.mark) + rays(13, 190, 1) + rays(9, 125, 0.8)
}

import { type Colour, CREAM } from '../../colour.ts'
import { parseCurve, parsePoints, ribbon, smoothOutline } from '../../curves.ts'
import type { Sketch } from '../../sketch.ts'
import { ellipse, flower, line, opacity, path, place } from '../../svg.ts'

export type Season = 'spring' | 'autumn' | 'winter' | 'other'

/** The y of the top of a branch. */
export const PERCH_Y = 400

/** A branch across the picture, dressed for the season. */
export function drawBranch(season: Season, sketch: Sketch): string {
  const leafColour = season === 'autumn' ? '#e84' : '#6b7'
  const leaf = (x: number, y: number, turn: number) =>
    season === 'winter'
      ? ''
      : season === 'spring'
        ? flower(x, y, 17, '#fbc', '#feb')
        : ellipse(x, y, 26, 12, leafColour, turn)
  const snow = season === 'winter' ? line('M14 385Q60 395 120 395M330 395Q400 395 495 405', '#fff', 13) : ''
  return (
    line('M105 400Q85 375 60 370M405 405Q430 380 445 375', '#864', 11) +
    sketch.shadedObject(
      ribbon(parseCurve('-40,390 140,410 340,395 550,415'), (t) => 19 - 4 * t),
      '#864',
      line('M60 410q40 6 70 4M330 415q40-4 70 0', '#643', 4),
      7,
    ) +
    snow +
    [leaf(50, 360, -30), leaf(95, 435, 30), leaf(455, 370, -24), leaf(440, 435, 24), leaf(495, 395, -10)].join('')
  )
}

const egg = (x: number, turn: number, fill: Colour) =>
  ellipse(x, 385, 25, 33, fill, turn, 'stroke="#975" stroke-width="3"')

export const drawEggs = () => egg(140, -18, '#bde') + egg(370, 18, '#edb')

/** The front of a nest; the bird sits behind it. */
export const drawNest = (sketch: Sketch) =>
  line('M95 395l-25-14M110 390l-20-25M415 395l25-14M400 390l20-20M90 415l-30 0M420 415l30 2', '#864', 8) +
  sketch.shadedObject(
    smoothOutline(parsePoints('80,390 150,400 256,405 360,400 430,390 420,430 350,470 256,475 160,470 90,430')),
    '#b85',
    line(
      'M105 400q60 25 120 20M140 440q80 16 160 4M230 415q90 12 175-12M280 450q60 2 115-20M120 425q40 18 75 16M300 430q50 4 90-10',
      '#864',
      6,
    ),
    10,
  )

const WATER = '#6bd'

/** The far part of a pond, behind the bird. */
export const drawPond = () =>
  ellipse(256, 440, 260, 60, '#fff', 0, opacity(0.35)) +
  ellipse(256, 440, 250, 55, WATER) +
  line('M90 462q13-8 26 0t26 0M370 466q13-8 26 0t26 0', '#fff', 5, opacity(0.75))

/** Ripples in front of a swimming bird; `width` is that of the bird at the water. */
export const drawRipples = (x: number, width: number) =>
  path(
    `M${x - width} 420Q${x - width * 0.5} 434 ${x} 426T${x + width} 420Q${x + width * 1.1} 470 ${x} 470T${x - width} 420Z`,
    WATER,
  ) +
  line(
    `M${x - width - 22} 428q14-9 28 0t28 0t28 0M${x + width - 62} 428q14-9 28 0t28 0t28 0M${x - 60} 450q15-9 30 0t30 0t30 0t30 0`,
    '#fff',
    5,
    opacity(0.75),
  )

/** A line with a pale rim, which is visible on every background. */
const outlined = (d: string, fill: Colour, width: number) => line(d, CREAM, width + 8) + line(d, fill, width)

export function drawNotes(x: number, y: number, fill: Colour, { unturn }: Sketch): string {
  const single = 'M0 0v-45q4 14 20 16'
  const double = 'M0 0v-45l30-8v40'
  const heads = (at: readonly (readonly [number, number])[]) =>
    at.map(([hx, hy]) => ellipse(hx, hy, 13, 10, CREAM, -20)).join('') +
    at.map(([hx, hy]) => ellipse(hx, hy, 10, 7.5, fill, -20)).join('')
  return (
    place({ x, y, turn: -8 }, unturn(outlined(single, fill, 6) + heads([[-7, 0]]))) +
    place(
      { x: x + 60, y: y - 65, turn: 8, scale: 0.92 },
      unturn(
        outlined(double, fill, 6) +
          heads([
            [-7, 0],
            [25, -10],
          ]),
      ),
    )
  )
}

export const drawHeart = (x: number, y: number, scale: number) =>
  place(
    { x, y, scale },
    path(
      'M0 25C-35 4-40-12-30-25C-20-35-6-30 0-18C6-30 20-35 30-25C40-12 35 4 0 25Z',
      '#e67',
      `stroke="${CREAM}" stroke-width="6"`,
    ),
  )

import { type Colour, CREAM } from '../../colour.ts'
import { parseCurve, parsePoints, ribbon, smoothOutline } from '../../curves.ts'
import type { Sketch } from '../../sketch.ts'
import { circle, ellipse, flower, line, opacity, path, place } from '../../svg.ts'

export type Season = 'spring' | 'autumn' | 'winter' | 'other'

/** The y of the top of a branch and of a swing. */
export const PERCH_Y = 400

/** A branch across the picture, dressed for the season. */
export function drawBranch(season: Season, sketch: Sketch): string {
  const leafColour = season === 'autumn' ? '#ee8f4a' : '#6db56f'
  const leaf = (x: number, y: number, turn: number) =>
    season === 'winter'
      ? ''
      : season === 'spring'
        ? flower(x, y, 17, '#f9b9cb', '#fff0c0')
        : ellipse(x, y, 26, 12, leafColour, turn)
  const snow = season === 'winter' ? line('M14 386Q60 394 120 396M330 396Q400 394 496 404', '#ffffff', 13) : ''
  return (
    line('M104 400Q84 376 60 368M404 404Q430 380 446 374', '#8a6248', 11) +
    sketch.shadedShape(
      ribbon(parseCurve('-40,388 140,410 340,396 552,416'), (t) => 19 - 4 * t),
      '#8a6248',
      line('M60 410q40 6 70 4M330 414q40-4 70 0', '#6d4a38', 4),
      7,
    ) +
    snow +
    [leaf(52, 362, -30), leaf(96, 436, 30), leaf(454, 368, -24), leaf(440, 436, 24), leaf(494, 396, -10)].join('')
  )
}

/** A swing that hangs from the ceiling. */
export const drawSwing = (sketch: Sketch) =>
  line('M92 404Q96 200 100-10M420 404Q416 200 412-10', '#c9a070', 8) +
  sketch.shadedShape(
    smoothOutline(parsePoints('72,400 256,396 440,400 446,412 440,424 256,420 72,424 66,412')),
    '#a9744c',
    line('M110 412q50-4 90 0M300 410q40-4 90 2', '#875838', 4),
    6,
  )

const egg = (x: number, turn: number, fill: Colour) =>
  ellipse(x, 384, 25, 33, fill, turn) + ellipse(x - 6, 372, 4, 5, '#ffffff', turn, opacity(0.7))

export const drawEggs = () => egg(140, -18, '#bfe0e6') + egg(372, 18, '#f3d9bd')

/** The front of a nest; the bird sits behind it. */
export const drawNest = (sketch: Sketch) =>
  line('M96 396l-26-14M112 392l-20-24M416 396l26-14M402 392l22-22M92 414l-28 0M420 414l28 2', '#8f6540', 8) +
  sketch.shadedShape(
    smoothOutline(parsePoints('80,388 150,402 256,406 362,402 432,388 420,430 352,468 256,474 160,468 92,430')),
    '#b98a5c',
    line(
      'M104 400q60 24 120 20M140 440q80 16 160 4M230 416q90 12 176-12M280 448q60 2 116-20M120 424q40 18 76 16M300 430q50 4 90-10',
      '#8f6540',
      6,
    ),
    10,
  )

const WATER = '#6bb8dc'

/** The far part of a pond, behind the bird. */
export const drawPond = () =>
  ellipse(256, 440, 262, 62, '#ffffff', 0, opacity(0.35)) + ellipse(256, 442, 250, 54, WATER)

/** Ripples in front of a swimming bird; `width` is that of the bird at the water. */
export const drawRipples = (x: number, width: number) =>
  path(
    `M${x - width} 420Q${x - width * 0.5} 434 ${x} 426T${x + width} 420Q${x + width * 1.1} 470 ${x} 470T${x - width} 420Z`,
    WATER,
  ) +
  line(
    `M${x - width - 22} 428q14-9 28 0t28 0t28 0M${x + width - 62} 428q14-9 28 0t28 0t28 0M${x - 60} 450q15-9 30 0t30 0t30 0t30 0M90 462q13-8 26 0t26 0M370 466q13-8 26 0t26 0`,
    '#ffffff',
    5,
    opacity(0.75),
  )

/** A bowl of stone on a foot; the bird sits behind its front. */
export const drawBath = (sketch: Sketch) =>
  path('M214 440H298L310 470H202Z', '#8f8c9c') +
  ellipse(256, 474, 84, 13, '#7d7a8c') +
  sketch.shadedShape(
    'M92 392Q256 420 420 392Q412 440 330 452H182Q100 440 92 392Z',
    '#b4b1c0',
    line('M120 418Q256 444 392 418', '#9a97a8', 6, opacity(0.7)),
    9,
  ) +
  path('M84 388Q256 424 428 388Q430 400 420 402Q256 434 92 402Q82 400 84 388Z', '#cdcbd8')

const drop = (x: number, y: number, size: number, turn: number) =>
  place({ x, y, scale: size, turn }, path('M0-13Q10 2 6 8Q0 14-6 8Q-10 2 0-13Z', '#a9dcf2'))

export const drawSplashes = () =>
  ellipse(256, 394, 158, 17, WATER) +
  [
    drop(104, 340, 1.1, -30),
    drop(76, 300, 0.9, -38),
    drop(132, 282, 1, -22),
    drop(408, 340, 1.1, 30),
    drop(438, 296, 0.9, 38),
    drop(380, 278, 1, 22),
    drop(60, 352, 0.8, -50),
    drop(452, 350, 0.8, 50),
  ].join('')

/** With a pale rim, so that it is visible on every background. */
const outlined = (d: string, fill: Colour, width: number) => line(d, CREAM, width + 8) + line(d, fill, width)

export function drawNotes(x: number, y: number, fill: Colour): string {
  const single = 'M0 0v-46q4 14 20 16'
  const double = 'M0 0v-44l32-8v42'
  const heads = (at: readonly (readonly [number, number])[]) =>
    at.map(([hx, hy]) => ellipse(hx, hy, 13, 10, CREAM, -20)).join('') +
    at.map(([hx, hy]) => ellipse(hx, hy, 10, 7.5, fill, -20)).join('')
  return (
    place({ x, y, turn: -8 }, outlined(single, fill, 6), heads([[-7, 0]])) +
    place(
      { x: x + 62, y: y - 66, turn: 8, scale: 0.92 },
      outlined(double, fill, 6),
      heads([
        [-7, 0],
        [25, -10],
      ]),
    )
  )
}

export const drawHeart = (x: number, y: number, scale: number) =>
  place(
    { x, y, scale },
    path(
      'M0 26C-34 4-40-12-32-24C-22-36-6-32 0-18C6-32 22-36 32-24C40-12 34 4 0 26Z',
      '#ee5f78',
      `stroke="${CREAM}" stroke-width="6"`,
    ),
    ellipse(-16, -14, 6, 8, '#ffffff', 30, opacity(0.6)),
  )

/** A trumpet-shaped flower that opens to the right, its mouth at 0,0. */
export const drawTrumpetFlower = (fill: Colour, second: Colour) =>
  line('M-64 6C-100 30-86 120-104 250', '#4f9a62', 9) +
  ellipse(-72, 112, 36, 14, '#5fae7c', -40) +
  ellipse(-78, 168, 30, 12, '#79c08a', -150) +
  path('M-70 2C-40-8-20-26-4-46Q22-52 16-26Q30-12 18 0Q30 14 16 28Q22 52-4 48C-20 28-40 14-70 10Z', fill) +
  ellipse(2, 1, 9, 26, second) +
  line('M0 0h18M0 8l15 5', '#ffe08a', 4)

/** Curved lines behind a jump or a fast movement. */
export const drawMotion = (d: string) => line(d, CREAM, 7, opacity(0.75))

export const drawIce = () =>
  path('M10 452Q40 426 130 428H400Q480 428 504 452Q480 486 380 484H120Q30 484 10 452Z', '#cfeaf6') +
  path('M10 452Q40 426 130 428H400Q480 428 504 452Q400 440 256 442T10 452Z', '#f3fbfe') +
  line('M90 462l40-8M350 466l60-10', '#ffffff', 5)

/** The halves of an egg: the lower one in front of a chick, the upper one as its hat. */
export const drawShell = (sketch: Sketch) =>
  sketch.shadedShape(
    'M150 348L176 372L204 346L230 374L256 346L284 374L310 346L336 372L362 348C372 400 340 452 256 452S140 400 150 348Z',
    '#fff3df',
    circle(190, 400, 8, '#ecd5b5') + circle(312, 412, 10, '#ecd5b5') + circle(254, 430, 7, '#ecd5b5'),
    10,
  )

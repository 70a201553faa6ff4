import { type Colour, darker } from '../../colour.ts'
import { blob, type Cubic, ribbon, ring, woolly } from '../../curves.ts'
import type { Sketch } from '../../sketch.ts'
import { both, circle, ellipse, fade, line, n, path, place } from '../../svg.ts'
import type { beakMoods, Crest, Species } from './species.ts'

export interface Plumage {
  main: Colour
  wing: Colour
  front: Colour
  bright: Colour
}
export type BeakMood = keyof typeof beakMoods

/** A beak seen from the front, around its root. */
export function frontBeak({ beak }: Species, mood: BeakMood, { bright }: Plumage): string {
  const dark = darker(bright, 0.3)
  const open = mood === 'singing'
  const smile = mood === 'smiling' ? both(line('M8 20Q20 22 24 12', dark, 4)) : ''
  switch (beak) {
    case 'bill':
      return (
        path(open ? 'M-34 14Q0 54 34 14Z' : 'M-30 16Q0 34 30 16Z', dark) +
        path('M-14-4Q0-12 14-4Q44 4 42 16Q20 26 0 22T-42 16Q-44 4-14-4Z', bright) +
        circle(-7, 4, 2.5, dark) +
        circle(7, 4, 2.5, dark) +
        smile
      )
    case 'toucan':
      return (
        path(open ? 'M-20 20Q0 92 20 20Z' : 'M-20 20Q0 74 20 20Z', dark) +
        path('M-30 2Q0-24 30 2Q36 36 12 64Q0 76-12 64Q-36 36-30 2Z', bright) +
        path('M-14 62Q0 48 14 62Q0 80-14 62Z', '#3b3048') +
        smile
      )
    case 'hook':
      return (
        path(open ? 'M-16 14Q0 64 16 14Z' : 'M-14 14Q0 46 14 14Z', dark) +
        path('M-22-2Q0-26 22-2Q26 20 6 40Q0 46-6 40Q-26 20-22-2Z', bright) +
        smile
      )
    case 'owl':
      return (
        (open ? path('M-8 12Q0 36 8 12Z', dark) : '') + path('M-12-4Q0-14 12-4Q12 14 0 26Q-12 14-12-4Z', bright) + smile
      )
    default: {
      const long = beak === 'point' ? 0.86 : 1.1
      return place(
        { x: 0, y: 4, scale: long },
        path(open ? 'M-16 2Q0 44 16 2Z' : 'M-14 2Q0 26 14 2Z', dark),
        path('M-19 2Q0-18 19 2Q6 16 0 18Q-6 16-19 2Z', bright),
        smile,
      )
    }
  }
}

/** A beak seen from the side, its root at 0,0, pointing left. */
export function sideBeak({ beak }: Species, mood: BeakMood, { bright }: Plumage): string {
  const dark = darker(bright, 0.3)
  const low = mood === 'singing' ? 16 : 0
  const smile = mood === 'smiling' ? line('M2 8Q12 8 14-2', dark, 4) : ''
  switch (beak) {
    case 'bill':
      return (
        path(`M6 6Q-30 ${8 + low} -54 ${10 + low}Q-52 ${20 + low}-20 ${18 + low}T10 14Z`, dark) +
        path('M8-14Q-14-14-32-2Q-58-4-62 6Q-58 14-30 12T10 10Z', bright) +
        circle(-8, -4, 2.6, dark) +
        smile
      )
    case 'toucan':
      return (
        path(`M4 14Q-50 ${14 + low}-96 ${44 + low * 0.6}Q-50 ${46 + low} 6 28Z`, dark) +
        path('M6-26C-50-40-112-14-118 40C-84 14-40 18 8 18Z', bright) +
        path('M-118 40C-114 4-92-14-84-18Q-78 4-92 24Q-108 30-118 40Z', '#3b3048') +
        smile
      )
    case 'hook':
      return (
        path(`M4 10Q-18 ${12 + low}-26 ${24 + low * 0.7}Q-8 ${32 + low * 0.5} 8 22Z`, dark) +
        path('M8-22C-26-28-50-4-42 36C-30 18-14 14 8 14Z', bright) +
        smile
      )
    case 'owl':
      return path('M6-12C-16-14-28 2-22 22C-12 12-4 12 6 10Z', bright) + smile
    default: {
      const reach = beak === 'point' ? 34 : 44
      return (
        path(`M4 4Q-14 ${8 + low}-${reach - 6} ${8 + low}Q-10 ${20 + low * 0.5} 6 14Z`, dark) +
        path(`M4-15Q-22-8-${reach} 6Q-16 10 6 9Z`, bright) +
        smile
      )
    }
  }
}

/** What stands on a head, around the top of it. */
export function crest(kind: Crest, { main, wing, bright }: Plumage, sketch: Sketch): string {
  switch (kind) {
    case 'none':
      return ''
    case 'tuft':
      return line('M0 6Q-4-18-14-24M0 6Q0-20 4-32M0 6Q8-14 18-18', wing, 8)
    case 'horns':
      return sketch.pair(sketch.solid('M16 20Q40-26 78-36Q84 0 66 40Z', wing, '', 5))
    case 'comb':
      return path(woolly(ring(0, -4, 34, 16, 10), 21), '#e2574c')
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
export const foldedWing = (length: number, fill: Colour, sketch: Sketch) =>
  sketch.solid(
    blob([
      [0, 0],
      [22, 22],
      [26, length * 0.5],
      [10, length],
      [-14, length * 0.76],
      [-18, length * 0.3],
    ]),
    fill,
    line(
      `M-4 ${n(length * 0.5)}l8 ${n(length * 0.3)}M10 ${n(length * 0.44)}l2 ${n(length * 0.3)}`,
      darker(fill, 0.25),
      4,
      fade(0.6),
    ),
    5,
  )

const fan: readonly Cubic[] = [
  [
    [0, 0],
    [30, -20],
    [60, -50],
    [78, -96],
  ],
  [
    [0, 0],
    [40, -10],
    [80, -26],
    [108, -62],
  ],
  [
    [0, 0],
    [40, 4],
    [84, 0],
    [122, -22],
  ],
]

/** A tail rooted at 0,0 that points right, for a bird seen from the side. */
export function sideTail(kind: Species['tail'], { wing, main }: Plumage, sketch: Sketch): string {
  if (kind === 'none') return ''
  if (kind === 'fan')
    return fan
      .map((curve, i) =>
        sketch.solid(
          ribbon(curve, (t) => 14 + 8 * t),
          i === 1 ? main : wing,
          '',
          4,
        ),
      )
      .join('')
  const reach = kind === 'long' ? 130 : 66
  const feather = (drop: number, fill: Colour, length: number) =>
    sketch.solid(
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

export const feet = (x: number, top: number, bottom: number, fill: Colour) =>
  line(
    `M${n(x)} ${n(top)}V${n(bottom)}M${n(x - 15)} ${n(bottom)}H${n(x + 15)}M${n(x)} ${n(bottom)}L${n(x - 9)} ${n(bottom - 7)}M${n(x)} ${n(bottom)}L${n(x + 9)} ${n(bottom - 7)}`,
    fill,
    8,
  )

export const speckles = (x: number, y: number, width: number, rows: number, fill: Colour) =>
  Array.from({ length: rows * 4 }, (_, i) => {
    const [column, row] = [i % 4, Math.floor(i / 4)]
    const px = x - width / 2 + ((column + (row % 2 ? 0.75 : 0.25)) * width) / 4
    return ellipse(px, y + row * 26, 7, 5, fill, 0, fade(0.7))
  }).join('')

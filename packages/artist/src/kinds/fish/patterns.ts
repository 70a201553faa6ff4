import type { Colour } from '../../colour.ts'
import { drawPatch } from '../../quadruped/coat.ts'
import type { Sketch } from '../../sketch.ts'
import { bothSides, circle, ellipse, line, opacity, path, rect, svg } from '../../svg.ts'

/** Body, markings, fins, belly. */
export const fishColours = {
  orange: ['#f78b3f', '#fff3e0', '#ffb25c', '#ffc98f'],
  red: ['#e4564f', '#ffe3c9', '#f58a5c', '#ff9a86'],
  yellow: ['#ffcf45', '#3f4a6b', '#ffae3b', '#ffe9a0'],
  blue: ['#4f8fe0', '#ffd75e', '#3568bd', '#a8d0f8'],
  teal: ['#3fb0a8', '#ffe0a3', '#2b8488', '#a5e3d5'],
  green: ['#7cbf5c', '#f9f0a8', '#4f9a55', '#cdeaa0'],
  purple: ['#8f6bd0', '#ffc9e0', '#6a49ab', '#c8b0f0'],
  pink: ['#f58aae', '#fff0e6', '#e0608f', '#ffc4d4'],
  white: ['#fbf6ee', '#f2693f', '#e6dfe6', '#ffffff'],
  silver: ['#b3c0d0', '#5f7390', '#8496ad', '#e4ebf2'],
  black: ['#474560', '#ffb347', '#33314a', '#77749a'],
  coral: ['#ff8b7a', '#5b4a8a', '#f26a63', '#ffc3b0'],
} as const satisfies Record<string, readonly [Colour, Colour, Colour, Colour]>

export interface FishColours {
  body: Colour
  marks: Colour
  fins: Colour
  belly: Colour
}

export const fishPatternWeights = {
  plain: 1.5,
  bands: 2,
  stripes: 1.5,
  spots: 1.5,
  scales: 2,
  koi: 1.5,
  mask: 1,
  halves: 1.5,
} as const
export type FishPattern = keyof typeof fishPatternWeights

/** Inside a body about 250 by 220 around 0,0. */
export function drawSideMarkings(
  pattern: FishPattern,
  { body, marks, fins, belly }: FishColours,
  { chance }: Sketch,
): string {
  const random = chance.sequence('markings')
  const pale = ellipse(-10, 88, 150, 62, belly)
  switch (pattern) {
    case 'plain':
      return pale
    case 'bands': {
      const width = 20 + random() * 10
      return (
        pale +
        [-36, 30, 88]
          .map((x) => path(svg`M${x}-150Q${x - 20} 0 ${x} 150h${width}Q${x + width - 20} 0 ${x + width}-150Z`, marks))
          .join('')
      )
    }
    case 'stripes':
      return (
        pale +
        [-44, -16, 12, 40]
          .map((y, i) => line(svg`M${-40 + i * 4} ${y}Q40 ${y - 12} 150 ${y * 0.4}`, marks, 10))
          .join('')
      )
    case 'spots':
      return (
        pale +
        Array.from({ length: 14 }, (_, i) =>
          circle(
            -34 + (i % 5) * 34 + random() * 14,
            -74 + Math.floor(i / 5) * 44 + random() * 20,
            6 + random() * 7,
            marks,
          ),
        ).join('')
      )
    case 'scales':
      return (
        pale +
        Array.from({ length: 30 }, (_, i) => {
          const [column, row] = [i % 6, Math.floor(i / 6)]
          const [x, y] = [-26 + column * 28, -84 + row * 40 + (column % 2) * 20]
          return line(`M${x} ${y - 16}q-20 16 0 32`, fins, 5, opacity(0.7))
        }).join('')
      )
    case 'koi':
      return (
        drawPatch(-70, -70, 62, 52, marks, random) +
        drawPatch(30, -50, 46, 46, marks, random) +
        drawPatch(90, 20, 34, 36, marks, random) +
        drawPatch(-10, 60, 34, 26, fins, random)
      )
    case 'mask':
      return (
        rect(-40, -160, 300, 320, body) +
        pale +
        path('M-200-160H-40Q-10-20-40 160H-200Z', marks) +
        line('M-34-140Q-6 0-34 140', fins, 8)
      )
    case 'halves':
      return path('M-200 8Q-60-16 0 10T200 4V200H-200Z', belly) + path('M-200-200H200V-24Q60-50-40-30T-200-8Z', fins)
  }
}

/** The same for a fish seen from the front, where markings lie on both cheeks. */
export function drawFrontMarkings(pattern: FishPattern, colours: FishColours, sketch: Sketch): string {
  const { marks, belly } = colours
  const pale = ellipse(0, 104, 110, 70, belly)
  switch (pattern) {
    case 'bands':
      return (
        pale +
        bothSides(path('M70-150Q104 0 70 150h22Q130 0 92-150Z', marks)) +
        path('M-11-150H11L6-46Q0-36-6-46Z', marks)
      )
    case 'stripes':
      return (
        pale +
        line('M-30-130L-22-62M0-130V-56M30-130L22-62', marks, 10) +
        bothSides(line('M130 34L96 34M130 58L90 54', marks, 9))
      )
    case 'spots':
      return (
        pale +
        bothSides(
          circle(22, -78, 8, marks) + circle(58, -62, 9, marks) + circle(92, -22, 7, marks) + circle(98, 52, 8, marks),
        ) +
        circle(0, -54, 7, marks)
      )
    case 'mask':
      return pale + path('M-150-20Q0-70 150-20V22Q60 30 0 8T-150 22Z', marks)
    default:
      return drawSideMarkings(pattern, colours, sketch)
  }
}

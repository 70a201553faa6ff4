import { type Colour, INK } from '../colour.ts'
import type { EyePair } from '../face.ts'
import { bothSides, circle, line, opacity, rect, svg } from '../svg.ts'

export const eyewearWeights = { none: 16, round: 1, shades: 1 } as const
export type Eyewear = keyof typeof eyewearWeights

/** True if the frame has the colour of the accessories. */
export const isEyewearColoured = (eyewear: Eyewear) => eyewear === 'shades'

/** `main` is the colour of the frame. The lenses follow the eyes, but never touch each other. */
export function drawEyewear(eyewear: Eyewear, main: Colour, eye: EyePair): string {
  const { halfDistance: x, y, r, stroke = INK, frame: rim = stroke } = eye
  const frame = (half: number, colour: Colour) =>
    line(svg`M${half - x} ${y}Q0 ${y - r * 0.5} ${x - half} ${y}`, colour, 5) +
    bothSides(line(svg`M${x + half} ${y - 2}l${r * 0.75}-4`, colour, 5))
  switch (eyewear) {
    case 'none':
      return ''
    case 'round': {
      const half = Math.min(r * 1.55, x - 5)
      return (
        frame(half, rim) + bothSides(circle(x, y, half, '#fff', `fill-opacity=".2" stroke="${rim}" stroke-width="5"`))
      )
    }
    case 'shades': {
      const half = Math.min(r * 1.6, x - 5)
      return (
        frame(half, main) +
        bothSides(
          rect(x - half, y - half * 0.72, half * 2, half * 1.6, INK, half * 0.62, `stroke="${main}" stroke-width="5"`),
        ) +
        [-1, 1]
          .map((side) =>
            line(
              svg`M${side * x - half * 0.5} ${y + half * 0.3}l${half * 0.55} ${-half * 0.6}`,
              '#fff',
              5,
              opacity(0.6),
            ),
          )
          .join('')
      )
    }
  }
}

export const eyewearPhrases: Record<Eyewear, string> = {
  none: '',
  round: 'round glasses',
  shades: 'sunglasses',
}

/** The tags of each option, separated by spaces. */
export const eyewearTags: Record<Eyewear, string> = {
  none: '',
  round: 'round-glasses glasses',
  shades: 'sunglasses glasses',
}

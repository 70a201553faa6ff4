import { type Colour, INK } from '../colour.ts'
import { star } from '../curves.ts'
import type { EyePair } from '../face.ts'
import { bothSides, circle, line, opacity, path, rect, svg } from '../svg.ts'

export const eyewearWeights = { none: 16, round: 1, shades: 0.7, stars: 0.5 } as const
export type Eyewear = keyof typeof eyewearWeights

/** Sunglasses sit low on the nose, so that the eyes are visible. */
export function drawEyewear(eyewear: Eyewear, main: Colour, { halfDistance: x, y, r }: EyePair): string {
  const bridge = (top: number) => line(svg`M${-x + r} ${top}Q0 ${top - r * 0.5} ${x - r} ${top}`, INK, 5)
  switch (eyewear) {
    case 'none':
      return ''
    case 'round':
      return (
        bridge(y) + bothSides(circle(x, y, r * 1.55, '#ffffff', `fill-opacity=".18" stroke="${INK}" stroke-width="5"`))
      )
    case 'shades':
      return (
        bridge(y + r) +
        bothSides(
          rect(x - r * 1.35, y + r * 0.5, r * 2.7, r * 1.7, INK, r * 0.7, opacity(0.92)) +
            line(svg`M${x - r * 0.6} ${y + r * 1.6}l${r * 0.5} ${-r * 0.6}`, '#ffffff', 4, opacity(0.6)),
        )
      )
    case 'stars':
      return (
        bridge(y) +
        bothSides(path(star(x, y, r * 2.1, r * 1.25), main, `fill-opacity=".25" stroke="${main}" stroke-width="6"`))
      )
  }
}

export const eyewearPhrases: Record<Eyewear, string> = {
  none: '',
  round: 'round glasses',
  shades: 'sunglasses',
  stars: 'star-shaped glasses',
}

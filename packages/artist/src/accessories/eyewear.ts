import { INK } from '../colour.ts'
import { star } from '../curves.ts'
import { both, box, circle, fade, line, n, path } from '../svg.ts'

export const eyewear = { none: 16, round: 1, shades: 0.7, stars: 0.5 } as const
export type Eyewear = keyof typeof eyewear

/** Glasses for eyes that are `apart` from the middle. Dark ones sit low on the nose, so that the eyes are visible. */
export function glasses(what: Eyewear, main: string, apart: number, y: number, r: number): string {
  const bridge = (low: number) =>
    line(`M${n(-apart + r)} ${n(low)}Q0 ${n(low - r * 0.5)} ${n(apart - r)} ${n(low)}`, INK, 5)
  switch (what) {
    case 'none':
      return ''
    case 'round':
      return (
        bridge(y) + both(circle(apart, y, r * 1.55, '#ffffff', `fill-opacity=".18" stroke="${INK}" stroke-width="5"`))
      )
    case 'shades':
      return (
        bridge(y + r) +
        both(
          box(apart - r * 1.35, y + r * 0.5, r * 2.7, r * 1.7, INK, r * 0.7, fade(0.92)) +
            line(`M${n(apart - r * 0.6)} ${n(y + r * 1.6)}l${n(r * 0.5)} ${n(-r * 0.6)}`, '#ffffff', 4, fade(0.6)),
        )
      )
    case 'stars':
      return (
        bridge(y) +
        both(path(star(apart, y, r * 2.1, r * 1.25), main, `fill-opacity=".25" stroke="${main}" stroke-width="6"`))
      )
  }
}

export const eyewearWords: Record<Eyewear, string> = {
  none: '',
  round: 'round glasses',
  shades: 'sunglasses',
  stars: 'star-shaped glasses',
}

import { type Colour, darken, GOLD, lighten } from '../colour.ts'
import { parsePoints } from '../curves.ts'
import { bothSides, circle, line, opacity, path, place, rect } from '../svg.ts'

export const neckwearWeights = {
  none: 6,
  scarf: 2,
  collar: 2,
  tie: 1.5,
  bandana: 1.5,
  ribbon: 1,
  medal: 1,
} as const
export type Neckwear = keyof typeof neckwearWeights

/** Around 0,0, the front of a throat about 120 wide. */
export function drawNeckwear(neckwear: Neckwear, main: Colour, second: Colour): string {
  const dark = darken(main, 0.25)
  switch (neckwear) {
    case 'none':
      return ''
    case 'scarf':
      return (
        path('M18 6L45 70Q35 80 14 80L-4 14Z', dark) +
        line('M17 70l-3 14M25 70l0 14M35 70l4 13', dark, 5) +
        path('M-70-25Q0 14 70-25Q80-6 70 10Q0 40-70 10Q-80-6-70-25Z', main) +
        line('M-45 0l4 18M45 0l-4 18M-16 9l2 16', second, 8)
      )
    case 'collar':
      return (
        path('M-65-14Q0 20 65-14L65 0Q0 40-65 0Z', main) +
        circle(0, 24, 16, GOLD) +
        circle(0, 25, 4, '#853') +
        line('M0 30v8M-12 20h25', '#c83', 3)
      )
    case 'tie':
      return (
        path('M-60-14Q0 14 60-14L60-4Q0 25-60-4Z', lighten(main, 0.5)) +
        place(
          { x: 0, y: 12 },
          bothSides(
            path('M4-6C16-20 35-25 40-18Q45 0 40 18C35 25 16 20 4 6Z', main) +
              path('M10 0L30-9L30 0L30 9Z', dark, opacity(0.5)),
          ),
          rect(-9, -10, 18, 20, dark, 7),
        )
      )
    case 'bandana':
      return (
        path('M-70-18Q0 18 70-18L65 2Q40 30 4 65Q0 65-4 65Q-40 30-65 2Z', main) +
        parsePoints('-25,12 0,18 25,12 -11,35 12,35')
          .map(([x, y]) => circle(x, y, 4.5, second))
          .join('')
      )
    case 'ribbon':
      return (
        path('M-65-16Q0 18 65-16L65-4Q0 30-65-4Z', main) +
        place(
          { x: 0, y: 18 },
          path('M-2 0L-20 50L-8 45L2 6L16 45L30 45L6 0Z', dark),
          bothSides(path('M0 0C8-25 35-25 35-10C35 6 14 10 0 2Z', main)),
          circle(0, 0, 8, dark),
        )
      )
    case 'medal':
      return (
        path('M-60-18L-6 40L6 40L60-18L45-18L0 25L-45-18Z', main) +
        circle(0, 50, 22, GOLD) +
        circle(0, 50, 14, '#ea3') +
        path('M0 40l3 7 8 0-6 5 2 8-7-5-7 5 2-8-6-5 8 0z', '#feb')
      )
  }
}

/** `insertColour` replaces COLOUR. */
export const neckwearPhrases: Record<Neckwear, string> = {
  none: '',
  scarf: 'a COLOUR scarf',
  collar: 'a COLOUR bell collar',
  tie: 'a COLOUR bow tie',
  bandana: 'a COLOUR bandana',
  ribbon: 'a COLOUR ribbon',
  medal: 'a gold medal',
}

/** The tags of each option, separated by spaces. */
export const neckwearTags: Record<Neckwear, string> = {
  none: '',
  scarf: 'scarf',
  collar: 'collar bell',
  tie: 'bow-tie',
  bandana: 'bandana scarf',
  ribbon: 'ribbon',
  medal: 'medal',
}

import { type Colour, darken, GOLD, lighten } from '../colour.ts'
import { parsePoints } from '../curves.ts'
import { bothSides, circle, line, opacity, path, place, rect } from '../svg.ts'

export const neckwearWeights = {
  none: 6,
  scarf: 2,
  collar: 2,
  tie: 1.5,
  bandana: 1.5,
  beads: 1,
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
        path('M18 6L44 70Q34 82 14 80L-4 14Z', dark) +
        line('M17 72l-3 14M27 72l0 14M37 68l4 13', dark, 5) +
        path('M-72-24Q0 14 72-24Q82-6 70 10Q0 40-70 10Q-82-6-72-24Z', main) +
        line('M-44 0l4 18M44 0l-4 18M-16 9l2 16', second, 8)
      )
    case 'collar':
      return (
        path('M-66-14Q0 22 66-14L67 0Q0 38-67 0Z', main) +
        circle(0, 24, 16, GOLD) +
        circle(0, 25, 4, '#8a5a2b') +
        line('M0 28v8M-12 22h24', '#c98a2e', 3)
      )
    case 'tie':
      return (
        path('M-60-14Q0 14 60-14L61-4Q0 24-61-4Z', lighten(main, 0.5)) +
        place(
          { x: 0, y: 12 },
          bothSides(
            path('M4-6C16-22 36-26 42-18Q46 0 42 18C36 26 16 22 4 6Z', main) +
              path('M10 0L32-9L29 0L32 9Z', dark, opacity(0.5)),
          ),
          rect(-9, -10, 18, 20, dark, 7),
        )
      )
    case 'bandana':
      return (
        path('M-70-18Q0 18 70-18L66 2Q40 30 4 64Q0 67-4 64Q-40 30-66 2Z', main) +
        parsePoints('-26,12 0,18 26,12 -11,34 12,34')
          .map(([x, y]) => circle(x, y, 4.5, second))
          .join('')
      )
    case 'beads':
      return [-60, -42, -22, 0, 22, 42, 60]
        .map((x, i) => circle(x, 16 - (x / 60) ** 2 * 28, 11, i % 2 ? main : second))
        .join('')
    case 'ribbon':
      return (
        path('M-64-16Q0 18 64-16L65-4Q0 32-65-4Z', main) +
        place(
          { x: 0, y: 18 },
          path('M-2 0L-22 48L-8 44L2 6L16 46L28 44L6 0Z', dark),
          bothSides(path('M0 0C8-24 34-26 34-10C34 6 14 10 0 2Z', main)),
          circle(0, 0, 8, dark),
        )
      )
    case 'medal':
      return (
        path('M-62-18L-6 40L6 40L62-18L46-18L0 24L-46-18Z', main) +
        circle(0, 50, 22, GOLD) +
        circle(0, 50, 14, '#eea93a') +
        path('M0 40l3 7 8 0-6 5 2 8-7-5-7 5 2-8-6-5 8 0z', '#fff0b8')
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
  beads: 'COLOUR beads',
  ribbon: 'a COLOUR ribbon',
  medal: 'a gold medal',
}

export const neckwearTags: Record<Neckwear, readonly string[]> = {
  none: [],
  scarf: ['scarf'],
  collar: ['collar', 'bell'],
  tie: ['bow-tie'],
  bandana: ['bandana', 'scarf'],
  beads: ['beads', 'necklace'],
  ribbon: ['ribbon'],
  medal: ['medal'],
}

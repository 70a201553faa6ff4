import { BLUSH, darken, INK, SHADOW } from '../../colour.ts'
import { bothSides, circle, ellipse, line, opacity, type Placement, path, place } from '../../svg.ts'

/** The colours of down, face, beak and feet. */
export const babies = {
  chick: ['#fd5', '#fd5', '#e84', '#e84'],
  duckling: ['#fd6', '#fd6', '#e84', '#e84'],
  cygnet: ['#bbc', '#ddd', '#556', '#556'],
  'penguin chick': ['#9ab', '#fffaf2', '#445', '#556'],
  owlet: ['#dca', '#fed', '#e94', '#d84'],
  hatchling: ['#eca', '#eca', '#fb4', '#fb4'],
} as const
export type Baby = keyof typeof babies

/** A young bird, its feet at 0,0; about 84 wide and 116 tall. */
export function drawBaby(baby: Baby, placement: Placement, open = false): string {
  const [down, face, beak, feet] = babies[baby]
  const wide = baby === 'duckling' || baby === 'cygnet'
  const shade = darken(down, 0.14)
  return place(
    placement,
    line('M-13-8V-1M-20 0H-6M13-8V-1M6 0H20', feet, 6),
    ellipse(0, -32, 38, 31, down),
    path('M30-50Q40-30 20-6Q40-12 40-35Z', SHADOW, opacity(0.14)),
    face === down ? '' : ellipse(0, -26, 22, 20, face),
    bothSides(ellipse(36, -34, 9, 17, shade, -16)),
    baby === 'owlet' || baby === 'penguin chick' ? '' : line('M0-110Q-4-120-10-120M1-110Q4-120 8-120', shade, 5),
    circle(0, -80, 34, down),
    face === down ? '' : bothSides(circle(13, -75, 18, face)),
    bothSides(circle(21, -65, 6, BLUSH, opacity(0.5)) + circle(14, -80, 5.4, INK) + circle(12.4, -80, 1.8, '#fff')),
    open ? path('M-8-70Q0-55 8-70Z', '#845') : '',
    wide ? path('M-14-70Q0-80 14-70Q10-60 0-60T-14-70Z', beak) : path('M-8-75Q0-80 8-75Q4-65 0-65Q-4-65-8-75Z', beak),
  )
}

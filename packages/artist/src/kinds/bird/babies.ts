import { BLUSH, darken, INK, SHADOW } from '../../colour.ts'
import { bothSides, circle, ellipse, line, opacity, type Placement, path, place } from '../../svg.ts'

/** Down, face, beak and feet. */
const babies = {
  chick: ['#ffd84f', '#ffd84f', '#f5843d', '#f5843d'],
  duckling: ['#ffdf6b', '#ffdf6b', '#f58a3d', '#f58a3d'],
  cygnet: ['#b9b9c4', '#d5d5dc', '#5a566a', '#5a566a'],
  'penguin chick': ['#9aa3b5', '#fffaf2', '#4a4a60', '#5a566a'],
  owlet: ['#e3cba8', '#fff3df', '#f5a03f', '#d98a4a'],
  hatchling: ['#f3c9b0', '#f3c9b0', '#ffb84a', '#ffb84a'],
} as const
export type Baby = keyof typeof babies

/** A young bird, its feet at 0,0; about 84 wide and 116 tall. */
export function drawBaby(baby: Baby, placement: Placement, open = false): string {
  const [down, face, beak, feet] = babies[baby]
  const wide = baby === 'duckling' || baby === 'cygnet'
  const shade = darken(down, 0.14)
  return place(
    placement,
    line('M-13-8V-1M-22 0H-6M13-8V-1M6 0H22', feet, 6),
    ellipse(0, -32, 38, 31, down),
    path('M30-50Q42-30 22-6Q40-12 38-34Z', SHADOW, opacity(0.14)),
    face === down ? '' : ellipse(0, -26, 22, 20, face),
    bothSides(ellipse(36, -34, 9, 17, shade, -16)),
    baby === 'owlet' || baby === 'penguin chick' ? '' : line('M0-108Q-4-118-10-120M1-108Q4-119 8-122', shade, 5),
    circle(0, -78, 34, down),
    face === down ? '' : bothSides(circle(13, -76, 18, face)),
    bothSides(circle(21, -67, 6, BLUSH, opacity(0.5)) + circle(14, -80, 5.4, INK) + circle(12.4, -82, 1.8, '#ffffff')),
    open ? path('M-8-72Q0-54 8-72Z', '#8f3f52') : '',
    wide ? path('M-14-70Q0-80 14-70Q10-62 0-62T-14-70Z', beak) : path('M-8-73Q0-82 8-73Q4-65 0-63Q-4-65-8-73Z', beak),
  )
}

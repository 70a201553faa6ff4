import { type Colour, darken } from '../../colour.ts'
import type { Sketch } from '../../sketch.ts'
import { circle, line, place, rect } from '../../svg.ts'

export const blanketWeights = { none: 5, stripes: 1, zigzag: 1, fringe: 1 } as const
export type Blanket = keyof typeof blanketWeights

const SHAPE = 'M-65-20Q0-45 65-20Q70 40 70 90Q0 105-70 90Q-70 40-65-20Z'

function drawWeave(blanket: Exclude<Blanket, 'none'>, second: Colour) {
  switch (blanket) {
    case 'stripes':
      return rect(-90, 8, 180, 14, second) + rect(-90, 36, 180, 24, second) + rect(-90, 75, 180, 10, second)
    case 'zigzag':
      return (
        line('M-80 50l16-25 16 25 16-25 16 25 16-25 16 25 16-25 16 25 16-25 16 25', second, 9) +
        rect(-90, 80, 180, 9, second)
      )
    // The fringe itself hangs below the blanket.
    case 'fringe':
      return circle(0, 34, 24, second) + circle(-45, 34, 9, second) + circle(45, 34, 9, second)
  }
}

/** A woven blanket; x and y are the middle of the animal's back. */
export function drawBlanket(blanket: Blanket, x: number, y: number, main: Colour, second: Colour, sketch: Sketch) {
  if (blanket === 'none') return ''
  const tassels = line(
    'M-60 95v13M-45 98v13M-30 100v13M-15 100v13M0 100v13M15 100v13M30 100v13M45 98v13M60 95v13',
    darken(main, 0.2),
    6,
  )
  return place(
    { x, y },
    blanket === 'fringe' ? tassels : '',
    sketch.shadedObject(SHAPE, main, drawWeave(blanket, second), 8),
  )
}

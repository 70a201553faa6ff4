import { darken, lighten, TONGUE } from '../../colour.ts'
import type { Sketch } from '../../sketch.ts'
import { bothSides, circle, ellipse, line, path, place, rect, svg } from '../../svg.ts'
import type { Plumage } from './species/species.ts'

export type Beak =
  | 'point'
  | 'cone'
  | 'stout'
  | 'owl'
  | 'hook'
  | 'bill'
  | 'penguin'
  | 'puffin'
  | 'toucan'
  | 'swan'
  | 'flamingo'

export const beakMoodWeights = { closed: 3, smiling: 2, open: 2 } as const
export type BeakMood = keyof typeof beakMoodWeights

const THROAT = '#845'
const TIP = '#334'

const tipped = new Set<Beak>(['toucan', 'swan', 'flamingo'])

/** The dark tip or root of some beaks seen from the side. */
export const listTipColours = (beak: Beak) => (tipped.has(beak) ? [TIP] : [])

/** A beak seen from the front, around its root. It stays between and below the eyes. */
export function drawFrontBeak(beak: Beak, mood: BeakMood, { beak: fill, mark }: Plumage, sketch: Sketch): string {
  const dark = darken(fill, 0.3)
  const nostrils = (x: number, y: number) => bothSides(circle(x, y, 2.3, dark))
  const smile = bothSides(line('M9 18Q19 20 25 11', dark, 4))
  /** The upper half of an open beak looks shorter. `half` is half the width of the mouth, `top` its upper edge. */
  const combine = (half: number, bottom: number, upper: string, lower = '', smiling = smile, top = 4) =>
    mood === 'open'
      ? path(
          svg`M${-half} ${top}Q${-half} ${bottom} 0 ${bottom}T${half} ${top}Z`,
          THROAT,
          `stroke="${dark}" stroke-width="5"`,
        ) +
        ellipse(0, bottom - 9, half * 0.55, 6, TONGUE) +
        `<g transform="scale(1 .72)">${upper}</g>`
      : (lower && path(lower, dark)) + upper + (mood === 'smiling' ? smiling : '')
  switch (beak) {
    case 'bill':
      return combine(
        27,
        52,
        path('M-12 4Q0-6 12 4Q40 10 40 25Q20 33 0 33T-40 25Q-40 10-12 4Z', fill) + nostrils(7, 11),
        'M-30 20Q0 60 30 20Z',
        bothSides(line('M35 25Q45 25 45 17', dark, 4)),
        14,
      )
    case 'hook':
      return combine(
        15,
        54,
        path('M-17-2Q0-20 17-2Q20 18 5 35Q0 40-5 35Q-20 18-17-2Z', fill) + nostrils(6, -3),
        'M-12 18Q0 45 12 18Z',
      )
    case 'owl':
      return combine(12, 48, path('M-11-4Q0-13 11-4Q11 12 0 25Q-11 12-11-4Z', fill))
    case 'puffin':
      return combine(
        16,
        60,
        sketch.clip(
          'M-19-4Q0-25 19-4Q20 25 0 45Q-20 25-19-4Z',
          rect(-30, -30, 60, 90, fill),
          path('M-30-30H30V4Q0-6-30 4Z', '#678'),
          line('M-30 8Q0-3 30 8', mark, 6),
          line('M-30 20Q0 11 30 20', lighten(fill, 0.35), 4),
        ),
        '',
        bothSides(line('M16 30Q25 30 30 20', mark, 4)),
      )
    default:
      return place(
        { x: 0, y: 4, scale: beak === 'stout' ? 1.25 : 1 },
        combine(14, 38, path('M-18 2Q0-18 18 2Q6 16 0 18Q-6 16-18 2Z', fill), 'M-13 2Q0 25 13 2Z'),
      )
  }
}

/** The upper half of a beak seen from the side, its root at 0,0, pointing left; and the lower half, which opens. */
const sideShapes: Record<Beak, readonly [upper: string, lower: string]> = {
  point: ['M8-13Q-14-10-35 5Q-14 9 8 8Z', 'M8 4Q-14 5-30 5Q-10 18 8 14Z'],
  cone: ['M8-17Q-20-12-45 7Q-16 11 8 9Z', 'M8 5Q-14 6-40 7Q-12 25 8 18Z'],
  stout: ['M10-25C-18-25-40-10-50 12Q-20 12 10 10Z', 'M10 6Q-14 8-40 12Q-20 35 10 25Z'],
  owl: ['M8-12C-16-14-30 2-20 20C-12 12-4 12 8 10Z', 'M8 6Q-8 8-16 14Q-6 20 8 16Z'],
  hook: ['M10-25C-25-30-50-4-40 35C-30 16-14 13 10 13Z', 'M10 8Q-20 10-36 20Q-14 36 10 26Z'],
  bill: ['M10-16Q-14-14-30-2Q-60-4-65 5Q-60 14-30 12T10 10Z', 'M10 6Q-30 9-55 10Q-50 20-18 20T10 16Z'],
  penguin: ['M8-13Q-25-11-55 9Q-20 11 8 9Z', 'M8 5Q-16 7-50 9Q-16 20 8 17Z'],
  puffin: ['M10-40C-30-40-65-12-75 20Q-30 18 10 10Z', 'M10 6Q-30 14-70 20Q-40 45 10 35Z'],
  toucan: ['M10-30C-50-45-110-20-120 35C-85 14-40 14 10 14Z', 'M10 10Q-50 12-100 25Q-55 45 10 30Z'],
  swan: ['M12-20Q-16-16-40-1Q-65-1-70 9Q-65 17-35 14T12 12Z', 'M12 8Q-25 11-60 13Q-45 25-18 20T12 18Z'],
  flamingo: [
    'M12-20C-20-30-55-16-60 16C-65 40-55 50-45 55C-45 35-35 16-8 14L12 12Z',
    'M12 8Q-20 8-30 20Q-40 35-40 45Q-20 30 12 20Z',
  ],
}

/** Where the halves of an open beak turn. */
const openAngles: Partial<Record<Beak, number>> = { toucan: 10, puffin: 14, flamingo: 10, hook: 30, owl: 30 }

/** A beak seen from the side. */
export function drawSideBeak(beak: Beak, mood: BeakMood, { beak: fill, mark }: Plumage, sketch: Sketch): string {
  const dark = darken(fill, 0.26)
  const [upper, lower] = sideShapes[beak]
  const angle = mood === 'open' ? (openAngles[beak] ?? 20) : 0
  const smile = mood === 'smiling' ? line('M-3 11Q8 14 13 3', darken(fill, 0.45), 4) : ''
  const paint = (outline: string, colour: string) => {
    switch (beak) {
      case 'puffin':
        return sketch.clip(
          outline,
          rect(-90, -60, 120, 120, colour),
          path('M20-60H-10Q-25-10-12 50H20Z', '#678'),
          line('M-10-60Q-25-10-12 50', mark, 7),
          line('M-30-60Q-45-6-35 60', lighten(colour, 0.35), 5),
        )
      case 'toucan':
        return sketch.clip(
          outline,
          rect(-140, -60, 170, 140, colour),
          path('M-140-60H-85Q-70-10-90 60H-140Z', TIP),
          path('M-85-60Q-60-10-80 60H-90Q-70-10-95-60Z', mark),
        )
      case 'flamingo':
        return sketch.clip(outline, rect(-90, -60, 120, 130, colour), path('M-90 12H-20V80H-90Z', TIP))
      case 'swan':
        return sketch.clip(outline, rect(-90, -60, 120, 120, colour), path('M20-60H-8Q-25-10-4 40H20Z', TIP))
      default:
        return path(outline, colour)
    }
  }
  const mouth = angle ? place({ x: 6, y: 8, turn: angle * -0.35 }, path('M8-8L-28 0Q-20 16 8 16Z', THROAT)) : ''
  return (
    place({ x: 4, y: 8, turn: -angle }, place({ x: -4, y: -8 }, paint(lower, dark))) +
    mouth +
    place({ x: 4, y: 6, turn: angle * 0.4 }, place({ x: -4, y: -6 }, paint(upper, fill))) +
    (beak === 'bill' ? circle(-10, -4, 2.6, dark) : '') +
    smile
  )
}

import { darken, lighten } from '../../colour.ts'
import type { Sketch } from '../../sketch.ts'
import { bothSides, circle, line, path, place, rect } from '../../svg.ts'
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
  | 'needle'
  | 'kiwi'

export const beakMoodWeights = { closed: 3, smiling: 2, open: 2 } as const
export type BeakMood = keyof typeof beakMoodWeights

const THROAT = '#8f3f52'
const TIP = '#3b3048'

/** A beak seen from the front, around its root. It stays between and below the eyes. */
export function drawFrontBeak(beak: Beak, mood: BeakMood, { beak: fill, mark }: Plumage, sketch: Sketch): string {
  const dark = darken(fill, 0.3)
  const open = mood === 'open'
  const smile = mood === 'smiling' ? bothSides(line('M9 18Q19 20 23 11', dark, 4)) : ''
  switch (beak) {
    case 'bill':
      return (
        path(open ? 'M-30 22Q0 62 30 22Z' : 'M-28 22Q0 40 28 22Z', open ? THROAT : dark) +
        path('M-12 4Q0-6 12 4Q42 10 40 23Q20 33 0 29T-40 23Q-42 10-12 4Z', fill) +
        circle(-7, 11, 2.4, dark) +
        circle(7, 11, 2.4, dark) +
        (mood === 'smiling' ? bothSides(line('M34 27Q44 26 46 17', dark, 4)) : '')
      )
    case 'hook':
      return (
        path(open ? 'M-13 20Q0 58 13 20Z' : 'M-12 18Q0 44 12 18Z', open ? THROAT : dark) +
        path('M-17-2Q0-20 17-2Q20 18 5 34Q0 39-5 34Q-20 18-17-2Z', fill) +
        circle(-6, -3, 2.2, dark) +
        circle(6, -3, 2.2, dark) +
        smile
      )
    case 'owl':
      return (
        (open ? path('M-8 12Q0 34 8 12Z', THROAT) : '') + path('M-11-4Q0-13 11-4Q11 12 0 24Q-11 12-11-4Z', fill) + smile
      )
    case 'puffin':
      return (
        (open ? path('M-13 34Q0 66 13 34Z', THROAT) : '') +
        sketch.clip(
          'M-19-4Q0-24 19-4Q20 26 0 46Q-20 26-19-4Z',
          rect(-30, -30, 60, 90, fill),
          path('M-30-30H30V4Q0-6-30 4Z', '#6a7590'),
          line('M-30 8Q0-3 30 8', mark, 6),
          line('M-30 22Q0 11 30 22', lighten(fill, 0.35), 4),
        ) +
        (mood === 'smiling' ? bothSides(line('M16 32Q26 30 28 20', mark, 4)) : '')
      )
    default: {
      const scale = beak === 'stout' ? 1.25 : beak === 'point' ? 0.82 : 1.05
      return place(
        { x: 0, y: 4, scale },
        path(open ? 'M-14 2Q0 42 14 2Z' : 'M-13 2Q0 26 13 2Z', open ? THROAT : dark),
        path('M-18 2Q0-18 18 2Q6 16 0 18Q-6 16-18 2Z', fill),
        smile,
      )
    }
  }
}

/** The upper half of a beak seen from the side, its root at 0,0, pointing left; and the lower half, which opens. */
const sideShapes: Record<Beak, readonly [upper: string, lower: string]> = {
  point: ['M8-13Q-14-10-34 5Q-14 9 8 8Z', 'M8 4Q-14 5-30 5Q-10 18 8 14Z'],
  cone: ['M8-17Q-20-12-44 7Q-16 11 8 9Z', 'M8 5Q-14 6-38 7Q-12 24 8 18Z'],
  stout: ['M10-24C-18-24-38-10-48 12Q-20 12 10 10Z', 'M10 6Q-14 8-42 12Q-22 34 10 26Z'],
  owl: ['M8-12C-16-14-28 2-22 22C-12 12-4 12 8 10Z', 'M8 6Q-8 8-16 14Q-6 22 8 16Z'],
  hook: ['M10-24C-26-28-50-4-42 34C-32 16-14 13 10 13Z', 'M10 8Q-14 10-26 20Q-10 32 10 24Z'],
  bill: ['M10-16Q-14-14-32-2Q-58-4-64 5Q-60 14-30 12T10 10Z', 'M10 6Q-28 9-56 10Q-48 22-18 20T10 16Z'],
  penguin: ['M8-13Q-26-11-54 9Q-20 11 8 9Z', 'M8 5Q-16 7-48 9Q-16 20 8 17Z'],
  puffin: ['M10-38C-30-42-66-12-76 20Q-30 18 10 10Z', 'M10 6Q-30 14-72 20Q-40 44 10 34Z'],
  toucan: ['M10-32C-52-46-112-20-120 34C-86 14-40 14 10 14Z', 'M10 10Q-50 12-102 24Q-56 44 10 30Z'],
  swan: ['M12-20Q-16-16-40-1Q-64-1-72 9Q-66 17-36 14T12 12Z', 'M12 8Q-26 11-60 13Q-44 24-18 22T12 18Z'],
  flamingo: [
    'M12-22C-22-28-56-16-62 16C-66 38-56 52-44 54C-44 34-34 16-8 14L12 12Z',
    'M12 8Q-20 8-32 22Q-38 34-38 46Q-20 30 12 20Z',
  ],
  needle: ['M8-8Q-50-5-112 3Q-50 5 8 5Z', 'M8 2Q-50 4-106 4Q-50 11 8 10Z'],
  kiwi: ['M10-13Q-60-6-122 44Q-122 52-114 51Q-60 14 10 8Z', 'M10 5Q-60 12-108 48Q-60 26 10 15Z'],
}

/** Where the halves of an open beak turn. */
const openAngles: Partial<Record<Beak, number>> = { needle: 4, kiwi: 5, toucan: 10, puffin: 14, flamingo: 10 }

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
          path('M20-60H-10Q-24-10-12 50H20Z', '#6a7590'),
          line('M-10-60Q-24-10-12 50', mark, 7),
          line('M-30-60Q-46-6-36 60', lighten(colour, 0.35), 5),
        )
      case 'toucan':
        return sketch.clip(
          outline,
          rect(-140, -60, 170, 140, colour),
          path('M-140-60H-84Q-70-10-90 60H-140Z', TIP),
          path('M-84-60Q-60-10-80 60H-92Q-72-10-94-60Z', mark),
        )
      case 'flamingo':
        return sketch.clip(outline, rect(-90, -60, 120, 130, colour), path('M-90 12H-20V80H-90Z', TIP))
      case 'swan':
        return sketch.clip(outline, rect(-90, -60, 120, 120, colour), path('M20-60H-8Q-26-10-4 40H20Z', TIP))
      default:
        return path(outline, colour)
    }
  }
  const mouth = angle ? place({ x: 6, y: 8, turn: angle * -0.35 }, path('M8-6L-22 0Q-14 12 8 10Z', THROAT)) : ''
  return (
    place({ x: 4, y: 8, turn: -angle }, place({ x: -4, y: -8 }, paint(lower, dark))) +
    mouth +
    place({ x: 4, y: 6, turn: angle * 0.4 }, place({ x: -4, y: -6 }, paint(upper, fill))) +
    (beak === 'bill' ? circle(-10, -4, 2.6, dark) : '') +
    smile
  )
}

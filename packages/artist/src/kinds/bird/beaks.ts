import { darken } from '../../colour.ts'
import { bothSides, circle, line, path, place } from '../../svg.ts'
import type { Plumage } from './parts.ts'
import type { Species } from './species.ts'

export const beakMoodWeights = { closed: 3, smiling: 2, singing: 2 } as const
export type BeakMood = keyof typeof beakMoodWeights

/** A beak seen from the front, around its root. */
export function drawFrontBeak({ beak }: Species, mood: BeakMood, { bright }: Plumage): string {
  const dark = darken(bright, 0.3)
  const open = mood === 'singing'
  const smile = mood === 'smiling' ? bothSides(line('M8 20Q20 22 24 12', dark, 4)) : ''
  switch (beak) {
    case 'bill':
      return (
        path(open ? 'M-34 14Q0 54 34 14Z' : 'M-30 16Q0 34 30 16Z', dark) +
        path('M-14-4Q0-12 14-4Q44 4 42 16Q20 26 0 22T-42 16Q-44 4-14-4Z', bright) +
        circle(-7, 4, 2.5, dark) +
        circle(7, 4, 2.5, dark) +
        smile
      )
    case 'toucan':
      return (
        path(open ? 'M-20 20Q0 92 20 20Z' : 'M-20 20Q0 74 20 20Z', dark) +
        path('M-30 2Q0-24 30 2Q36 36 12 64Q0 76-12 64Q-36 36-30 2Z', bright) +
        path('M-14 62Q0 48 14 62Q0 80-14 62Z', '#3b3048') +
        smile
      )
    case 'hook':
      return (
        path(open ? 'M-16 14Q0 64 16 14Z' : 'M-14 14Q0 46 14 14Z', dark) +
        path('M-22-2Q0-26 22-2Q26 20 6 40Q0 46-6 40Q-26 20-22-2Z', bright) +
        smile
      )
    case 'owl':
      return (
        (open ? path('M-8 12Q0 36 8 12Z', dark) : '') + path('M-12-4Q0-14 12-4Q12 14 0 26Q-12 14-12-4Z', bright) + smile
      )
    default: {
      const long = beak === 'point' ? 0.86 : 1.1
      return place(
        { x: 0, y: 4, scale: long },
        path(open ? 'M-16 2Q0 44 16 2Z' : 'M-14 2Q0 26 14 2Z', dark),
        path('M-19 2Q0-18 19 2Q6 16 0 18Q-6 16-19 2Z', bright),
        smile,
      )
    }
  }
}

/** A beak seen from the side, its root at 0,0, pointing left. */
export function drawSideBeak({ beak }: Species, mood: BeakMood, { bright }: Plumage): string {
  const dark = darken(bright, 0.3)
  const low = mood === 'singing' ? 16 : 0
  const smile = mood === 'smiling' ? line('M2 8Q12 8 14-2', dark, 4) : ''
  switch (beak) {
    case 'bill':
      return (
        path(`M6 6Q-30 ${8 + low} -54 ${10 + low}Q-52 ${20 + low}-20 ${18 + low}T10 14Z`, dark) +
        path('M8-14Q-14-14-32-2Q-58-4-62 6Q-58 14-30 12T10 10Z', bright) +
        circle(-8, -4, 2.6, dark) +
        smile
      )
    case 'toucan':
      return (
        path(`M4 14Q-50 ${14 + low}-96 ${44 + low * 0.6}Q-50 ${46 + low} 6 28Z`, dark) +
        path('M6-26C-50-40-112-14-118 40C-84 14-40 18 8 18Z', bright) +
        path('M-118 40C-114 4-92-14-84-18Q-78 4-92 24Q-108 30-118 40Z', '#3b3048') +
        smile
      )
    case 'hook':
      return (
        path(`M4 10Q-18 ${12 + low}-26 ${24 + low * 0.7}Q-8 ${32 + low * 0.5} 8 22Z`, dark) +
        path('M8-22C-26-28-50-4-42 36C-30 18-14 14 8 14Z', bright) +
        smile
      )
    case 'owl':
      return path('M6-12C-16-14-28 2-22 22C-12 12-4 12 6 10Z', bright) + smile
    default: {
      const reach = beak === 'point' ? 34 : 44
      return (
        path(`M4 4Q-14 ${8 + low}-${reach - 6} ${8 + low}Q-10 ${20 + low * 0.5} 6 14Z`, dark) +
        path(`M4-15Q-22-8-${reach} 6Q-16 10 6 9Z`, bright) +
        smile
      )
    }
  }
}

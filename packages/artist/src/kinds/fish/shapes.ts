import { type Point, parsePoints } from '../../curves.ts'

/** A fish that faces left, about 250 long, around 0,0. */
export interface FishShape {
  name: string
  /** From the mouth along the back, clockwise. */
  outline: readonly Point[]
  eye: Point
  mouth: Point
  /** The y of the root of the dorsal fin and of the lower fin. */
  top: number
  bottom: number
  /** The x of the root of the tail. */
  tail: number
  scale: number
  /** Length of the upper and lower fins. */
  fins: number
}

export const fishShapes = {
  oval: {
    name: 'fish',
    outline: parsePoints('-132,6 -88,-56 0,-82 84,-48 122,-12 122,14 82,50 0,86 -88,64'),
    eye: [-74, -14],
    mouth: [-124, 18],
    top: -76,
    bottom: 80,
    tail: 112,
    scale: 1.16,
    fins: 1,
  },
  round: {
    name: 'round goldfish',
    outline: parsePoints('-118,6 -88,-76 -6,-110 78,-70 108,-14 108,16 80,74 -6,112 -88,82'),
    eye: [-66, -20],
    mouth: [-112, 24],
    top: -104,
    bottom: 104,
    tail: 98,
    scale: 1.16,
    fins: 1,
  },
  tall: {
    name: 'angelfish',
    outline: parsePoints('-122,8 -84,-40 -30,-92 30,-98 76,-48 96,-12 96,16 76,52 30,102 -30,96 -84,48'),
    eye: [-62, -14],
    mouth: [-114, 20],
    top: -88,
    bottom: 96,
    tail: 86,
    scale: 1.08,
    fins: 1.5,
  },
  long: {
    name: 'slender fish',
    outline: parsePoints('-156,6 -112,-42 -14,-60 86,-36 146,-12 146,14 86,38 -14,62 -112,50'),
    eye: [-104, -10],
    mouth: [-148, 16],
    top: -56,
    bottom: 58,
    tail: 136,
    scale: 1.02,
    fins: 1,
  },
  puffer: {
    name: 'pufferfish',
    outline: parsePoints('-110,8 -84,-76 0,-112 84,-74 112,-10 112,14 86,82 0,114 -84,84'),
    eye: [-58, -24],
    mouth: [-106, 14],
    top: -108,
    bottom: 110,
    tail: 104,
    scale: 1.12,
    fins: 0.8,
  },
  wedge: {
    name: 'triggerfish',
    outline: parsePoints('-146,18 -84,-42 14,-98 86,-66 110,-14 110,14 84,62 0,92 -84,66'),
    eye: [-58, -22],
    mouth: [-138, 24],
    top: -90,
    bottom: 84,
    tail: 100,
    scale: 1.12,
    fins: 1,
  },
} as const satisfies Record<string, FishShape>

/** Rooted at 0,0, pointing right. */
export const fishTails = {
  fork: 'M-14-16C36-30 64-78 98-86C88-44 76-22 72 0C76 22 88 44 98 86C64 78 36 30-14 16Z',
  fan: 'M-14-16C36-50 78-86 102-74C122-30 122 30 102 74C78 86 36 50-14 16Z',
  veil: 'M-14-16C40-74 104-104 140-84C124-58 134-30 112-6C142 14 128 52 146 84C104 100 44 64-14 16Z',
  round: 'M-14-14C20-50 66-64 88-40C104-14 104 14 88 40C66 64 20 50-14 14Z',
  moon: 'M-14-14C28-22 48-60 62-108C88-60 88 60 62 108C48 60 28 22-14 14Z',
  double: 'M-14-14C20-60 80-110 124-96C112-60 84-20 40-4C84 20 112 60 124 96C80 110 20 60-14 14Z',
} as const

/** Rooted at 0,0 on the back, rising. */
export const dorsalFins = {
  sail: 'M-58 30C-46-30 6-66 44-58C40-30 52 6 66 34Z',
  spiky: 'M-64 30L-50-30L-30-8L-14-46L8-14L26-48L42-8L60-26L68 34Z',
  low: 'M-76 30C-50-14 40-26 84 24Z',
  shark: 'M-34 30C-26-26 6-64 48-66C30-36 36 4 48 34Z',
  wavy: 'M-70 30C-72-20-40-30-30-10C-24-46 4-50 10-22C20-52 50-46 48-14C66-30 78-6 74 34Z',
} as const

/** The y of the back at `x`, where a hat sits. */
export function backHeightAt({ outline }: FishShape, x: number): number {
  const next = outline.findIndex((point) => point[0] >= x)
  const [from, to] = [outline[next - 1]!, outline[next]!]
  return from[1] + ((to[1] - from[1]) * (x - from[0])) / (to[0] - from[0])
}

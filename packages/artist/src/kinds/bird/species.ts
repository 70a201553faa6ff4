type Beak = 'cone' | 'hook' | 'bill' | 'toucan' | 'point' | 'owl'
export type Crest = 'none' | 'tuft' | 'horns' | 'comb' | 'plume' | 'curl'

/** The shapes that distinguish the species. */
export interface Species {
  name: string
  beak: Beak
  crest: Crest
  /** Width and height of the body and size of the head, relative to a robin. */
  width: number
  height: number
  headSize: number
  tail: 'short' | 'long' | 'fan' | 'none'
  legLength: number
  /** The parts of face and belly that have their own colour. */
  face: 'none' | 'breast' | 'discs' | 'cheeks' | 'hood' | 'penguin' | 'bib'
  belly: 'oval' | 'speckled' | 'none'
}

export const species = {
  robin: {
    name: 'robin',
    beak: 'point',
    crest: 'none',
    width: 1.08,
    height: 0.95,
    headSize: 1.02,
    tail: 'short',
    legLength: 1,
    face: 'breast',
    belly: 'oval',
  },
  owl: {
    name: 'owl',
    beak: 'owl',
    crest: 'horns',
    width: 1.08,
    height: 1.08,
    headSize: 1.14,
    tail: 'short',
    legLength: 0.5,
    face: 'discs',
    belly: 'speckled',
  },
  parrot: {
    name: 'parrot',
    beak: 'hook',
    crest: 'none',
    width: 0.86,
    height: 1.12,
    headSize: 1.02,
    tail: 'long',
    legLength: 0.7,
    face: 'cheeks',
    belly: 'oval',
  },
  duck: {
    name: 'duck',
    beak: 'bill',
    crest: 'curl',
    width: 1.12,
    height: 0.92,
    headSize: 0.98,
    tail: 'short',
    legLength: 0.7,
    face: 'hood',
    belly: 'oval',
  },
  penguin: {
    name: 'penguin',
    beak: 'cone',
    crest: 'none',
    width: 0.98,
    height: 1.18,
    headSize: 1.04,
    tail: 'none',
    legLength: 0.35,
    face: 'penguin',
    belly: 'oval',
  },
  chick: {
    name: 'chick',
    beak: 'cone',
    crest: 'tuft',
    width: 1.04,
    height: 0.88,
    headSize: 1.16,
    tail: 'none',
    legLength: 1,
    face: 'none',
    belly: 'none',
  },
  toucan: {
    name: 'toucan',
    beak: 'toucan',
    crest: 'none',
    width: 0.94,
    height: 1.06,
    headSize: 1.02,
    tail: 'long',
    legLength: 0.7,
    face: 'bib',
    belly: 'none',
  },
  hen: {
    name: 'hen',
    beak: 'cone',
    crest: 'comb',
    width: 1.14,
    height: 0.95,
    headSize: 0.92,
    tail: 'fan',
    legLength: 1,
    face: 'none',
    belly: 'speckled',
  },
  cockatiel: {
    name: 'crested parakeet',
    beak: 'hook',
    crest: 'plume',
    width: 0.84,
    height: 1.08,
    headSize: 1.02,
    tail: 'long',
    legLength: 0.8,
    face: 'cheeks',
    belly: 'none',
  },
} as const satisfies Record<string, Species>

/** Main colour, wing, front, and the bright colour of beak and cheeks. */
export const plumages = {
  brown: ['#a5764f', '#7d5638', '#f6ddb8', '#f2774f'],
  blue: ['#5b9bd8', '#3c74b4', '#eaf4fb', '#ffb347'],
  yellow: ['#ffd24f', '#eeae33', '#fff0b8', '#f58a3c'],
  green: ['#6cb86a', '#42905a', '#e8f3b4', '#ff8b5c'],
  red: ['#e2604f', '#b6423f', '#ffd9b3', '#ffc04d'],
  white: ['#fdf8f0', '#d9dbe6', '#ffffff', '#f5984a'],
  charcoal: ['#4d4a63', '#35334a', '#f6f0e6', '#ffa53d'],
  teal: ['#45a8a2', '#2c7f83', '#dff3e4', '#ffc04d'],
  lilac: ['#b199dc', '#8a70c0', '#f5ecfb', '#ff9f6b'],
  pink: ['#f29bb0', '#d8728f', '#ffe9e4', '#ffb347'],
} as const

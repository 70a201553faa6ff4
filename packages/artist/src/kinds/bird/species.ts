export type Beak = 'cone' | 'hook' | 'bill' | 'toucan' | 'point' | 'owl'
export type Crest = 'none' | 'tuft' | 'horns' | 'comb' | 'plume' | 'curl'

/** The shapes that distinguish the species. */
export interface Species {
  words: string
  beak: Beak
  crest: Crest
  /** Width and height of the body and size of the head, relative to a robin. */
  wide: number
  tall: number
  head: number
  tail: 'short' | 'long' | 'fan' | 'none'
  legs: number
  /** The parts of face and belly that have their own colour. */
  face: 'none' | 'breast' | 'discs' | 'cheeks' | 'hood' | 'penguin' | 'bib'
  belly: 'oval' | 'speckled' | 'none'
}

export const species = {
  robin: {
    words: 'robin',
    beak: 'point',
    crest: 'none',
    wide: 1.08,
    tall: 0.95,
    head: 1.02,
    tail: 'short',
    legs: 1,
    face: 'breast',
    belly: 'oval',
  },
  owl: {
    words: 'owl',
    beak: 'owl',
    crest: 'horns',
    wide: 1.08,
    tall: 1.08,
    head: 1.14,
    tail: 'short',
    legs: 0.5,
    face: 'discs',
    belly: 'speckled',
  },
  parrot: {
    words: 'parrot',
    beak: 'hook',
    crest: 'none',
    wide: 0.86,
    tall: 1.12,
    head: 1.02,
    tail: 'long',
    legs: 0.7,
    face: 'cheeks',
    belly: 'oval',
  },
  duck: {
    words: 'duck',
    beak: 'bill',
    crest: 'curl',
    wide: 1.12,
    tall: 0.92,
    head: 0.98,
    tail: 'short',
    legs: 0.7,
    face: 'hood',
    belly: 'oval',
  },
  penguin: {
    words: 'penguin',
    beak: 'cone',
    crest: 'none',
    wide: 0.98,
    tall: 1.18,
    head: 1.04,
    tail: 'none',
    legs: 0.35,
    face: 'penguin',
    belly: 'oval',
  },
  chick: {
    words: 'chick',
    beak: 'cone',
    crest: 'tuft',
    wide: 1.04,
    tall: 0.88,
    head: 1.16,
    tail: 'none',
    legs: 1,
    face: 'none',
    belly: 'none',
  },
  toucan: {
    words: 'toucan',
    beak: 'toucan',
    crest: 'none',
    wide: 0.94,
    tall: 1.06,
    head: 1.02,
    tail: 'long',
    legs: 0.7,
    face: 'bib',
    belly: 'none',
  },
  hen: {
    words: 'hen',
    beak: 'cone',
    crest: 'comb',
    wide: 1.14,
    tall: 0.95,
    head: 0.92,
    tail: 'fan',
    legs: 1,
    face: 'none',
    belly: 'speckled',
  },
  cockatiel: {
    words: 'crested parakeet',
    beak: 'hook',
    crest: 'plume',
    wide: 0.84,
    tall: 1.08,
    head: 1.02,
    tail: 'long',
    legs: 0.8,
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

export const beakMoods = { closed: 3, smiling: 2, singing: 2 } as const

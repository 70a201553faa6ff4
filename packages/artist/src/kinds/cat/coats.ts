import { type Colour, darken, WHITE_FUR } from '../../colour.ts'
import type { Coat } from '../../quadruped/coat.ts'

/** Colours of the coat and its markings. `other` is for the second patches of a calico, and for white cats. */
export const catColours = {
  ginger: { base: '#f2a154', marks: '#d9773a', other: '#4a4048' },
  cream: { base: '#f7ddb5', marks: '#dfae78', other: '#a8745a' },
  grey: { base: '#a9b0be', marks: '#747d92', other: '#f0b27a' },
  black: { base: '#4b4558', marks: '#2f2a3c', other: '#e0954f' },
  brown: { base: '#b88560', marks: '#7d5440', other: '#f0c088' },
  white: { base: '#fdf6ec', marks: '#d8ccc4', other: '#f0a860' },
  slate: { base: '#7f8eab', marks: '#566482', other: '#f3d9b8' },
  chocolate: { base: '#86604f', marks: '#5a3d35', other: '#e8b88a' },
  lilac: { base: '#c9b6c8', marks: '#9c86a3', other: '#f5dcc0' },
} as const
export type CatColour = keyof typeof catColours

export const catPatternWeights = {
  plain: 2,
  tabby: 3,
  tuxedo: 2,
  calico: 2,
  pointed: 1.5,
  spotted: 1.5,
  mask: 1.5,
  smoke: 1,
} as const
export type CatPattern = keyof typeof catPatternWeights

export type CatCoat = Coat & { ears: Colour }

export function createCatCoat(colour: CatColour, pattern: CatPattern): CatCoat {
  const { base, marks, other } = catColours[colour]
  switch (pattern) {
    case 'plain':
      return { base, marks, pattern: 'plain', ears: base }
    case 'tabby':
      return { base, marks, pattern: 'stripes', tailTip: marks, ears: base }
    case 'tuxedo':
      return {
        base: colour === 'white' ? other : base,
        marks,
        pattern: 'plain',
        chest: WHITE_FUR,
        socks: WHITE_FUR,
        tailTip: WHITE_FUR,
        ears: colour === 'white' ? other : base,
      }
    case 'calico':
      return {
        base: WHITE_FUR,
        marks: colour === 'white' ? '#4a4048' : base,
        marks2: other,
        pattern: 'patches',
        tail: other,
        ears: other,
      }
    case 'pointed': {
      const light = colour === 'white' ? WHITE_FUR : '#f6e8d4'
      const dark = colour === 'cream' || colour === 'white' ? '#b98a6a' : darken(base, 0.3)
      return { base: light, marks: dark, pattern: 'plain', socks: dark, tail: dark, ears: dark }
    }
    case 'spotted':
      return { base, marks, pattern: 'rosettes', tailTip: marks, ears: base }
    case 'mask':
      return {
        base: WHITE_FUR,
        marks: colour === 'white' ? other : base,
        pattern: 'saddle',
        tail: colour === 'white' ? other : base,
        ears: colour === 'white' ? other : base,
      }
    case 'smoke':
      return { base, marks, pattern: 'plain', chest: marks, socks: marks, tailTip: marks, ears: marks }
  }
}

interface CatWords {
  /** "ginger tabby cat" */
  animal: string
  features: readonly string[]
}

/** White cats cannot have white patches, so these have another colour than their name says. */
export const nameCatColour = (colour: CatColour, pattern: CatPattern) =>
  colour !== 'white'
    ? colour
    : pattern === 'calico'
      ? 'black'
      : pattern === 'tuxedo' || pattern === 'mask'
        ? 'apricot'
        : 'white'

export const catPhrases: Record<CatPattern, (colour: string) => CatWords> = {
  plain: (colour) => ({ animal: `${colour} cat`, features: [] }),
  tabby: (colour) => ({ animal: `${colour} tabby cat`, features: [] }),
  tuxedo: (colour) => ({ animal: `${colour} cat`, features: ['a white bib'] }),
  calico: (colour) => ({ animal: `patched ${colour} and white cat`, features: [] }),
  pointed: (colour) => ({ animal: `${colour}-pointed cat`, features: [] }),
  spotted: (colour) => ({ animal: `spotted ${colour} cat`, features: [] }),
  mask: (colour) => ({ animal: 'white cat', features: [`${/^[aeiou]/.test(colour) ? 'an' : 'a'} ${colour} mask`] }),
  smoke: (colour) => ({ animal: `smoky ${colour} cat`, features: [] }),
}

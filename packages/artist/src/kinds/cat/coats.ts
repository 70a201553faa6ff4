import { type Colour, darken, WHITE_FUR } from '../../colour.ts'
import type { Coat } from '../../quadruped/coat.ts'

/** Colours of the coat and its markings. `other` is for the second patches of a calico, and for white cats. */
export const catColours = {
  ginger: { base: '#e95', marks: '#d73', other: '#444' },
  cream: { base: '#fdb', marks: '#da7', other: '#a75' },
  grey: { base: '#aab', marks: '#779', other: '#ea7' },
  black: { base: '#445', marks: '#334', other: '#d95' },
  brown: { base: '#b86', marks: '#754', other: '#eb8' },
  white: { base: '#fffaf2', marks: '#dcc', other: '#ea6' },
  slate: { base: '#78a', marks: '#568', other: '#edb' },
  chocolate: { base: '#865', marks: '#543', other: '#eb8' },
  lilac: { base: '#cbc', marks: '#98a', other: '#edb' },
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
  // White cats cannot have white patches.
  const coloured = colour === 'white' ? other : base
  switch (pattern) {
    case 'plain':
      return { base, marks, pattern: 'plain', ears: base }
    case 'tabby':
      return { base, marks, pattern: 'stripes', tailTip: marks, ears: base }
    case 'tuxedo':
      return {
        base: coloured,
        marks,
        pattern: 'plain',
        chest: WHITE_FUR,
        socks: WHITE_FUR,
        tailTip: WHITE_FUR,
        ears: coloured,
      }
    case 'calico':
      return {
        base: WHITE_FUR,
        marks: colour === 'white' ? '#444' : base,
        marks2: other,
        pattern: 'patches',
        tail: other,
        ears: other,
      }
    case 'pointed': {
      const light = colour === 'white' ? WHITE_FUR : '#eec'
      const dark = colour === 'cream' || colour === 'white' ? '#b86' : darken(base, 0.3)
      return { base: light, marks: dark, pattern: 'plain', socks: dark, tail: dark, ears: dark }
    }
    case 'spotted':
      return { base, marks, pattern: 'rosettes', tailTip: marks, ears: base }
    case 'mask':
      return {
        base: WHITE_FUR,
        marks: coloured,
        pattern: 'saddle',
        tail: coloured,
        ears: coloured,
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

/** White cats cannot have white patches, nor pale cats pale points, so these have another colour than their name says. */
export const nameCatColour = (colour: CatColour, pattern: CatPattern) =>
  pattern === 'pointed' && (colour === 'white' || colour === 'cream')
    ? 'brown'
    : colour !== 'white'
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
  calico: (colour) => ({ animal: 'calico cat', features: [`${colour} patches`] }),
  pointed: (colour) => ({ animal: `${colour}-pointed cat`, features: [] }),
  spotted: (colour) => ({ animal: `spotted ${colour} cat`, features: [] }),
  mask: (colour) => ({ animal: 'white cat', features: [`${/^[aeiou]/.test(colour) ? 'an' : 'a'} ${colour} mask`] }),
  smoke: (colour) => ({ animal: `smoky ${colour} cat`, features: [] }),
}

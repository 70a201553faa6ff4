import { type Colour, contrast, darker } from './colour.ts'

/** Colours of accessories, by their names in descriptions. */
const accents = {
  red: '#e2574c',
  orange: '#f2934a',
  yellow: '#ffcb47',
  green: '#58a677',
  teal: '#3aa6a6',
  blue: '#4f86d6',
  purple: '#8c63c4',
  pink: '#f0789f',
} as const
export type Accent = keyof typeof accents

export const accentOptions = {
  red: 2,
  orange: 1,
  yellow: 1.5,
  green: 1,
  teal: 1.5,
  blue: 1.5,
  purple: 1,
  pink: 1.5,
} as const

/** The second colour of an accessory. */
const partners: Record<Accent, Colour> = {
  red: '#fff0d6',
  orange: '#fff0d6',
  yellow: '#4f86d6',
  green: '#ffe9a8',
  teal: '#ffd98e',
  blue: '#fff0d6',
  purple: '#ffd166',
  pink: '#fff0d6',
}

/** Uses a darker shade where the colour has too little contrast to the coat. */
export function wornColours(accent: Accent, coat: Colour) {
  const main = accents[accent]
  return { main: contrast(main, coat) < 120 ? darker(main, 0.42) : main, second: partners[accent] }
}

/** The candidate with the most contrast, for example for strokes on a coat. */
export const mostContrasting = (from: Colour, candidates: readonly Colour[]) =>
  candidates.reduce((best, candidate) => (contrast(candidate, from) > contrast(best, from) ? candidate : best))

export const irises = {
  green: '#8ccf6f',
  amber: '#f5b841',
  blue: '#7cc4f0',
  copper: '#d98543',
  violet: '#b79be8',
} as const
export type Iris = keyof typeof irises

import { type Colour, contrast } from '../../colour.ts'

/** Reference colours: the word of the nearest one describes the main colour of a plumage. */
const colourWords: Readonly<Record<string, Colour>> = {
  white: '#fff',
  grey: '#99a',
  black: '#445',
  brown: '#a75',
  red: '#d44',
  orange: '#e84',
  yellow: '#fd5',
  green: '#6a6',
  blue: '#58c',
  purple: '#87c',
  pink: '#f9a',
}

const nameMainColour = (main: Colour) =>
  Object.entries(colourWords).reduce((best, word) =>
    contrast(word[1], main) < contrast(best[1], main) ? word : best,
  )[0]

/** Plumages whose main colour is between two reference colours. */
const plumageColours: Readonly<Record<string, string>> = { pale: 'pink', rosy: 'pink', tan: 'brown' }

/** The colour of a plumage as a tag. */
export const nameBirdColour = (plumageName: string, main: Colour) => plumageColours[plumageName] ?? nameMainColour(main)

import { type Colour, WHITE_FUR } from '../../colour.ts'

const CREAM_FUR = '#fed'
const BLACK = '#445'
const TAN = '#d95'

/** Name in descriptions, and the colours of coat, markings, and pale parts of face and chest. */
export type DogCoat = readonly [name: string, base: Colour, marks: Colour, pale: Colour]

export const dogCoatWeights = { first: 1.4, second: 1, third: 1, fourth: 1 } as const
export type DogCoatChoice = keyof typeof dogCoatWeights

const fourCoats = (first: DogCoat, second: DogCoat, third: DogCoat, fourth: DogCoat) => ({
  first,
  second,
  third,
  fourth,
})

export const dogCoats = {
  corgi: fourCoats(
    ['red', '#e95', '#c73', WHITE_FUR],
    ['sable', '#c85', '#854', WHITE_FUR],
    ['black', BLACK, TAN, WHITE_FUR],
    ['fawn', '#ec8', '#c95', WHITE_FUR],
  ),
  husky: fourCoats(
    ['grey', '#eee', '#789', WHITE_FUR],
    ['black', '#eee', '#445', WHITE_FUR],
    ['copper', '#fed', '#b74', WHITE_FUR],
    ['silver', '#eee', '#aab', WHITE_FUR],
  ),
  shiba: fourCoats(
    ['red', '#e95', '#c73', CREAM_FUR],
    ['black', '#545', '#334', '#eca'],
    ['cream', '#edb', '#db8', WHITE_FUR],
    ['sesame', '#b75', '#754', CREAM_FUR],
  ),
  beagle: fourCoats(
    ['tricolour', '#d96', '#853', WHITE_FUR],
    ['lemon', '#ed9', '#da6', WHITE_FUR],
    ['red', '#d84', '#a53', WHITE_FUR],
    ['blue', '#aab', '#678', WHITE_FUR],
  ),
  dalmatian: fourCoats(
    ['black-spotted', WHITE_FUR, '#445', WHITE_FUR],
    ['brown-spotted', WHITE_FUR, '#854', WHITE_FUR],
    ['lemon-spotted', WHITE_FUR, '#da6', WHITE_FUR],
    ['blue-spotted', WHITE_FUR, '#789', WHITE_FUR],
  ),
  pug: fourCoats(
    ['fawn', '#ec9', '#544', '#edb'],
    ['apricot', '#ea7', '#644', '#fc9'],
    ['silver', '#ccc', '#555', '#ddd'],
    ['black', '#556', '#334', '#778'],
  ),
  poodle: fourCoats(
    ['apricot', '#eb8', '#d95', '#fca'],
    ['white', '#fffaf2', '#dcc', WHITE_FUR],
    ['black', '#545', '#334', '#667'],
    ['silver', '#bbc', '#89a', '#ddd'],
  ),
  retriever: fourCoats(
    ['golden', '#eb6', '#c94', '#fda'],
    ['cream', '#fec', '#ec9', WHITE_FUR],
    ['chocolate', '#865', '#643', '#a87'],
    ['black', '#545', '#334', '#778'],
  ),
  dachshund: fourCoats(
    ['brown', '#a64', '#743', '#d96'],
    ['black and tan', '#545', '#334', '#d95'],
    ['cream', '#eca', '#ca6', WHITE_FUR],
    ['red', '#c74', '#953', '#ea7'],
  ),
  schnauzer: fourCoats(
    ['grey', '#889', '#667', '#eee'],
    ['black', '#545', '#334', '#bbc'],
    ['cream', '#edb', '#cb9', WHITE_FUR],
    ['brown', '#975', '#754', '#edb'],
  ),
  bulldog: fourCoats(
    ['fawn', '#db8', '#b86', '#fed'],
    ['blue', '#89a', '#678', '#eee'],
    ['pied', '#fffaf2', '#556', WHITE_FUR],
    ['brown', '#865', '#644', '#edc'],
  ),
} as const

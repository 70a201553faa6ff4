import { type Accent, accessoryColours, type Colour, darken, GOLD, lighten } from '../colour.ts'
import { mirrorPoints, parsePoints, smoothOutline, star } from '../curves.ts'
import type { EyePair } from '../face.ts'
import { bothSides, circle, ellipse, flower, line, opacity, path, place, rect } from '../svg.ts'
import { drawEyewear, type Eyewear } from './eyewear.ts'

export const headwearWeights = {
  none: 9,
  crown: 1,
  beanie: 1,
  party: 1,
  flower: 1.5,
  bow: 1.5,
  beret: 1,
  straw: 1,
  wreath: 1.2,
  top: 0.7,
  cap: 1,
  headphones: 1,
  leaf: 1,
} as const
export type Headwear = keyof typeof headwearWeights

export interface HeadAccessories {
  headwear: Headwear
  eyewear: Eyewear
  accent: Accent
}

export interface HeadShape {
  /** The y of the middle of the top. */
  topY: number
  /** The x of the root of the ear; a flower or a bow is worn there. */
  earX: number
  scale?: number
  coat: Colour
}

export function drawHeadAccessories(look: HeadAccessories, eye: EyePair, { topY, earX, scale = 1, coat }: HeadShape) {
  const { main, second } = accessoryColours(look.accent, coat)
  return (
    drawEyewear(look.eyewear, main, eye) +
    place({ x: 0, y: topY, scale }, drawHeadwear(look.headwear, main, second, earX))
  )
}

/** Around 0,0, the middle of the top of a head about 200 wide; `earX` is the x of an ear's root. */
export function drawHeadwear(headwear: Headwear, main: Colour, second: Colour, earX: number): string {
  const dark = darken(main, 0.25)
  switch (headwear) {
    case 'none':
      return ''
    case 'crown':
      return place(
        { x: 0, y: 6 },
        path('M-40 0L-45-45L-20-25L0-55L20-25L45-45L40 0Q0 10-40 0Z', GOLD, `stroke="${GOLD}" stroke-width="6"`),
        path('M-40-4Q0 6 40-4L40 6Q0 16-40 6Z', '#ea3'),
        circle(0, -20, 7, main),
        circle(-26, -12, 5, second),
        circle(26, -12, 5, second),
      )
    case 'beanie':
      return place(
        { x: 0, y: 12 },
        path('M-60 4C-60-70 60-70 60 4Z', main),
        line('M-30-45Q-40-20-40 0M0-50V0M30-45Q40-20 40 0', dark, 4, opacity(0.5)),
        rect(-70, -10, 140, 28, second, 13),
        circle(0, -58, 17, second),
      )
    case 'party':
      return place(
        { x: 10, y: 6, turn: 10 },
        path('M-35 2Q-6-70 0-85Q6-70 35 2Q0 14-35 2Z', main),
        path('M-25-20Q0-8 25-20L19-35Q0-25-19-35ZM-12-55Q0-50 12-55L7-70Q0-65-7-70Z', second),
        path(star(0, -88, 18, 8), '#fd8', `stroke="${dark}" stroke-width="4"`),
      )
    case 'flower':
      return place(
        { x: earX, y: 14, turn: 12 },
        ellipse(-26, 12, 17, 8, '#6a7', 30),
        ellipse(28, 8, 17, 8, '#6a7', -20),
        flower(0, 0, 29, main, '#fd8'),
      )
    case 'bow':
      return place(
        { x: earX, y: 14, turn: 14 },
        bothSides(
          path('M0-4C20-30 45-30 50-20C50-6 50 8 45 20C40 30 20 20 0 4Z', main) +
            path('M8 0L35-12L30 0L35 12Z', dark, opacity(0.45)),
        ),
        circle(0, 0, 12, dark),
      )
    case 'beret':
      return place(
        { x: -12, y: 8, turn: -10 },
        line('M0-45V-60', dark, 8),
        path(smoothOutline(mirrorPoints(parsePoints('0,-50 55,-35 80,-8 50,10 0,12'))), main),
        path('M-45 4Q0 20 45 4L45 14Q0 25-45 14Z', dark),
      )
    case 'straw':
      return place(
        { x: 0, y: 8 },
        ellipse(0, 2, 104, 20, STRAW),
        path('M-55 2C-60-60 60-60 55 2Q0 16-55 2Z', '#ed8'),
        path('M-55-2Q0 14 55-2L55-20Q0-6-55-20Z', main),
      )
    case 'wreath':
      return (
        line('M-80 25Q0-35 80 25', '#6a7', 13) +
        line('M-85 30Q0-35 85 30', '#7b8', 24, 'stroke-dasharray="0 26"') +
        [-72, -50, -25, 0, 25, 50, 72]
          .map((x, i) => flower(x, 20 - (1 - (x / 80) ** 2) * 26, 15, i % 2 ? main : second, '#fea'))
          .join('')
      )
    case 'top':
      return place(
        { x: 6, y: 10, turn: 6 },
        path('M-40 2L-45-70Q0-85 45-70L40 2Z', FELT),
        path('M-45-6Q0 8 45-6L45-25Q0-12-45-25Z', main),
        ellipse(0, 4, 74, 14, '#547'),
      )
    case 'cap':
      return place(
        { x: 0, y: 12, turn: -4 },
        path('M-60 4C-60-60 60-60 60 4Z', main),
        path('M0-45V2', 'none', `stroke="${dark}" stroke-width="4"`),
        path('M-65 2Q-20-10 30 0Q95 10 105 20Q60 25 0 16T-65 2Z', second),
        circle(0, -46, 7, second),
      )
    case 'headphones':
      return place(
        { x: 0, y: 0 },
        line('M-98 80C-105-30 105-30 98 80', main, 15),
        bothSides(rect(82, 56, 34, 62, main, 15) + rect(76, 62, 14, 50, second, 7)),
      )
    case 'leaf':
      return place(
        { x: 2, y: 6, turn: -6 },
        line('M0 2Q-4-20 4-30', '#596', 6),
        path('M4-30C10-65 45-70 65-55C55-25 30-16 4-30Z', SPROUT),
        path('M4-30C-6-55-40-60-50-45C-45-20-18-14 4-30Z', lighten(SPROUT, 0.2)),
      )
  }
}

/** `insertColour` replaces COLOUR. */
export const headwearPhrases: Record<Headwear, string> = {
  none: '',
  crown: 'a golden crown',
  beanie: 'a COLOUR woolly hat',
  party: 'a COLOUR party hat',
  flower: 'a COLOUR flower',
  bow: 'a COLOUR bow on its ear',
  beret: 'a COLOUR beret',
  straw: 'a straw hat',
  wreath: 'a wreath of flowers',
  top: 'a top hat',
  cap: 'a COLOUR cap',
  headphones: 'COLOUR headphones',
  leaf: 'a sprout on its head',
}

/** True if the headwear has parts in the colour of the accessories. */
export const isHeadwearColoured = (headwear: Headwear) => headwear !== 'none' && headwear !== 'leaf'

const STRAW = '#ec7'
const FELT = '#435'
const SPROUT = '#7c7'
const fixedColours: Partial<Record<Headwear, Colour>> = { crown: GOLD, straw: STRAW, top: FELT, leaf: SPROUT }

/** The main colour of a hat, which must stand out from the background; undefined for a wreath of many colours. */
export const getHatColour = (headwear: Headwear, accent: Colour): Colour | undefined =>
  fixedColours[headwear] ?? (headwear === 'none' || headwear === 'wreath' ? undefined : accent)

/** The tags of each option, separated by spaces. */
export const headwearTags: Record<Headwear, string> = {
  none: '',
  crown: 'crown hat',
  beanie: 'woolly-hat hat',
  party: 'party-hat hat party',
  flower: 'flower',
  bow: 'bow',
  beret: 'beret hat',
  straw: 'straw-hat hat',
  wreath: 'wreath flower',
  top: 'top-hat hat',
  cap: 'cap hat',
  headphones: 'headphones music',
  leaf: 'sprout',
}

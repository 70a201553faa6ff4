/**
 * Colours, and arithmetic with them. Only the four operations and square roots are used, which give the same result on
 * every machine: the bytes of a picture must not depend on it.
 */

/** #rrggbb, or #rgb: most colours are short, which makes the package smaller and no visible difference. */
export type Colour = string

/** All shadows tend to plum and all lights to cream, so that the palettes match. */
export const SHADOW = '#3b2350'
export const CREAM = '#fff6e3'
/** Eyes, noses, mouths and thin lines. */
export const INK = '#33243d'
export const EYE_WHITE = '#fffdf6'
export const BLUSH = '#f58a8a'
export const TONGUE = '#f27f8f'
export const PALE_LIP = '#f3dfe6'
export const INNER_EAR = '#f2a0a0'
export const WHITE_FUR = '#fffaf2'
export const GOLD = '#ffcf4a'

export const irises = {
  green: '#8c7',
  amber: '#eb4',
  blue: '#7ce',
  copper: '#d84',
  violet: '#b9e',
} as const
export type Iris = keyof typeof irises

/** Accessories by the name of their main colour. `second` is for stripes, dots and brims. */
const accents = {
  red: { weight: 2, main: '#d54', second: '#fed' },
  orange: { weight: 1, main: '#e94', second: '#fed' },
  yellow: { weight: 1.5, main: '#fc4', second: '#58d' },
  green: { weight: 1, main: '#5a7', second: '#fea' },
  teal: { weight: 1.5, main: '#3aa', second: '#fd8' },
  blue: { weight: 1.5, main: '#58d', second: '#fed' },
  purple: { weight: 1, main: '#86c', second: '#fc6' },
  pink: { weight: 1.5, main: '#e79', second: '#fed' },
} as const
export type Accent = keyof typeof accents

export const accentWeights = Object.fromEntries(
  Object.entries(accents).map(([name, { weight }]) => [name, weight]),
) as Record<Accent, number>

/** Red, green and blue, 0 to 255 each. */
export function parseChannels(colour: Colour): [number, number, number] {
  const digits = colour.length === 4 ? colour.replace(/\w/g, '$&$&') : colour
  const value = Number.parseInt(digits.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

/** `share` is the part of `to`: 0 gives `from`, 1 gives `to`. */
export function mix(from: Colour, to: Colour, share: number): Colour {
  const [a, b] = [parseChannels(from), parseChannels(to)]
  const mixed = a.map((value, i) => Math.round(value + (b[i]! - value) * share))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

/** The form #rrggbb of a colour. */
export const expand = (colour: Colour) => mix(colour, colour, 0)
export const darken = (colour: Colour, share = 0.2) => mix(colour, SHADOW, share)
export const lighten = (colour: Colour, share = 0.3) => mix(colour, CREAM, share)

/** Perceived difference of two colours, about 0 to 765 ("redmean": the weight of red depends on its amount). */
export function contrast(one: Colour, other: Colour) {
  const [a, b] = [parseChannels(one), parseChannels(other)]
  const red = (a[0] + b[0]) / 2
  const [r, g, bl] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
  return Math.sqrt((2 + red / 256) * r * r + 4 * g * g + (2 + (255 - red) / 256) * bl * bl)
}

/** The lowest contrast to these backgrounds. */
const computeLowestContrast = (colour: Colour, backgrounds: readonly Colour[]) =>
  Math.min(...backgrounds.map((background) => contrast(colour, background)))

export const mostContrasting = (candidates: readonly Colour[], ...backgrounds: readonly [Colour, ...Colour[]]) =>
  candidates.reduce((best, candidate) =>
    computeLowestContrast(candidate, backgrounds) > computeLowestContrast(best, backgrounds) ? candidate : best,
  )

/** For thin lines on a coat: closed eyes, whiskers. The line may cross several colours. */
export const lineColourOn = (...backgrounds: readonly [Colour, ...Colour[]]) =>
  mostContrasting([INK, CREAM], ...backgrounds)

/** For the frame of glasses, which crosses more colours than an eye: red is visible on a black and white face. */
export const frameColourOn = (...backgrounds: readonly [Colour, ...Colour[]]) =>
  mostContrasting([INK, CREAM, '#d54'], ...backgrounds)

/** True if closed eyes, which are thin lines, are visible on all these colours. */
export const hasVisibleLines = (...backgrounds: readonly [Colour, ...Colour[]]) =>
  computeLowestContrast(lineColourOn(...backgrounds), backgrounds) >= MIN_LINE_CONTRAST

const MIN_LINE_CONTRAST = 150

/** With less contrast than this, a scarf is hard to see on the coat. */
const MIN_ACCESSORY_CONTRAST = 120

/** The colour and the strength of a shade: on dark colours, plum would be invisible. */
export const shadeOn = (colour: Colour, strength: number) =>
  contrast(colour, SHADOW) < MIN_LINE_CONTRAST ? (['#000', strength * 1.6] as const) : ([SHADOW, strength] as const)

/** An accessory that would be hard to see on the coat gets a darker shade; kinds should refuse such a look before. */
export function accessoryColours(accent: Accent, coat: Colour) {
  const { main, second } = accents[accent]
  return { main: isVisibleOn(accent, coat) ? main : darken(main, 0.42), second }
}

export const isVisibleOn = (accent: Accent, coat: Colour) =>
  contrast(accents[accent].main, coat) >= MIN_ACCESSORY_CONTRAST

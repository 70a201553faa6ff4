// Only integer arithmetic and square roots, which are exact everywhere: a picture has the same bytes on every machine.

/** #rrggbb */
export type Colour = string

const channels = (colour: Colour): [number, number, number] => [
  Number.parseInt(colour.slice(1, 3), 16),
  Number.parseInt(colour.slice(3, 5), 16),
  Number.parseInt(colour.slice(5, 7), 16),
]

export function mix(from: Colour, to: Colour, share: number): Colour {
  const [a, b] = [channels(from), channels(to)]
  const mixed = a.map((value, i) => Math.round(value + (b[i]! - value) * share))
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

/** All shadows tend to plum and all lights to cream, so that the palettes match. */
export const SHADOW = '#3b2350'
export const CREAM = '#fff6e3'
export const INK = '#33243d'

export const darker = (colour: Colour, share = 0.2) => mix(colour, SHADOW, share)
export const lighter = (colour: Colour, share = 0.3) => mix(colour, CREAM, share)

/** Perceived difference of two colours, about 0 to 765 ("redmean": the weight of red depends on its amount). */
export function contrast(one: Colour, other: Colour) {
  const [a, b] = [channels(one), channels(other)]
  const red = (a[0] + b[0]) / 2
  const [r, g, bl] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
  return Math.sqrt((2 + red / 256) * r * r + 4 * g * g + (2 + (255 - red) / 256) * bl * bl)
}

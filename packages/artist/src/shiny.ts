import type { Box } from './boxes.ts'
import { type Colour, mix, parseChannels } from './colour.ts'
import { star } from './curves.ts'
import type { Chance } from './random.ts'
import { findFreePlace } from './scenes/parts.ts'
import { line, opacity, path, svg } from './svg.ts'

/** About one picture in 60 is shiny. `defineKind` chooses this trait for every kind. */
export const shinyWeights = { none: 177, golden: 1, iridescent: 1, starry: 1 } as const
export type Shiny = keyof typeof shinyWeights
type Palette = Exclude<Shiny, 'none'>

const palettes: Record<Palette, { main: Colour; dark: Colour; light: Colour; sparkle: Colour }> = {
  golden: { main: '#fb4', dark: '#b72', light: '#fec', sparkle: '#ffe' },
  iridescent: { main: '#bde', dark: '#87c', light: '#fef', sparkle: '#fff' },
  starry: { main: '#449', dark: '#226', light: '#a9e', sparkle: '#fe9' },
}

export const shinyMainColours = Object.values(palettes).map(({ main }) => main)

const computeBrightness = (colour: Colour) => parseChannels(colour).reduce((sum, value) => sum + value) / 765

/**
 * Colours of a coat in the palette of a shiny animal: `main` becomes its main colour, darker colours become darker and
 * lighter ones lighter than that. Values that are not colours stay as they are.
 */
export function recolour<T extends object>(shiny: Shiny, main: Colour, colours: T): T {
  if (shiny === 'none') return colours
  const palette = palettes[shiny]
  const recolourOne = (colour: unknown) => {
    if (typeof colour !== 'string' || !colour.startsWith('#')) return colour
    const difference = computeBrightness(colour) - computeBrightness(main)
    if (colour === main) return palette.main
    // At least half of the way, so that markings remain visible.
    return mix(palette.main, difference < 0 ? palette.dark : palette.light, Math.min(1, 0.5 + 2 * Math.abs(difference)))
  }
  const entries = Object.entries(colours).map(([key, colour]) => [key, recolourOne(colour)] as const)
  return (Array.isArray(colours) ? entries.map(([, colour]) => colour) : Object.fromEntries(entries)) as T
}

/** The colour of a coat in words. */
export const nameColour = (shiny: Shiny, colour: string) => (shiny === 'none' ? colour : `sparkling ${shiny}`)

/** Glints, bands or stars that cover any shape of the animal; the shape clips them. */
export function drawSheen(shiny: Palette): string {
  switch (shiny) {
    case 'golden':
      return path(bands(34, 150), '#ffe', opacity(0.3))
    case 'iridescent':
      return ['#fad', '#aec', '#fe9', '#bae']
        .map((fill, i) => path(bands(40, 160, i * 40), fill, opacity(0.5)))
        .join('')
    case 'starry':
      return stars(62, 5, '#fff') + stars(110, 9, '#fe9')
  }
}

/** Parts may be drawn around 0,0 or in the picture, so the sheen covers both. */
const [FROM, TO] = [-200, 640]

const bands = (width: number, step: number, offset = 0) => {
  let d = ''
  for (let x = FROM - 300 + offset; x < TO; x += step)
    d += svg`M${x} ${TO}L${x + 420} ${FROM}h${width}L${x + width} ${TO}Z`
  return d
}

/** Rows of dotted lines: line caps are round. Each row is shifted, so that no grid is visible. */
const stars = (step: number, size: number, fill: Colour) => {
  let d = ''
  for (let y = FROM, row = 0; y < TO; y += step * 0.7, row++) d += svg`M${FROM + ((row * 0.38) % 1) * step} ${y}H${TO}`
  return line(d, fill, size, `stroke-dasharray="0 ${step}" ${opacity(0.88)}`)
}

/** A few sparkles around the animal, at the edge of the picture, where they hide no face. */
export function drawSparkles(shiny: Palette, chance: Chance, boxes: Box[]): string {
  // The box of a branch that is as wide as the picture would be everywhere.
  const occupied = boxes.filter(([left]) => left > -500)
  const random = chance.sequence('sparkles')
  return SPARKLE_PLACES.map(([x, y]) => {
    const size = 12 + random() * 12
    const [px, py] = [x + random() * 36 - 18, y + random() * 36 - 18]
    if (!findFreePlace(occupied, [[px, py]], size)) return ''
    return path(star(px, py, size, size * 0.26, 4), palettes[shiny].sparkle, 'stroke="#c83" stroke-width="1.5"')
  }).join('')
}

const SPARKLE_PLACES = [
  [64, 96],
  [440, 88],
  [54, 300],
  [458, 300],
  [126, 56],
  [386, 56],
] as const

import type { Colour } from './colour.ts'

/** Pixels per side of a picture. */
export const SIZE = 512

/** Formats a number, rounded to tenths: finer than any rendering shows, small, and the same on every machine. */
function formatNumber(value: number): string {
  const tenths = Math.round(value * 10)
  if (tenths % 10 === 0) return `${tenths / 10}`
  // Composed of integers: formatting fractions took a third of the drawing time.
  const size = Math.abs(tenths)
  const integer = Math.floor(size / 10)
  return `${tenths < 0 ? '-' : ''}${integer || ''}.${size % 10}`
}

/** A template tag for SVG text that formats its numbers. */
export function svg(texts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  let text = texts[0]!
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    text += (typeof value === 'number' ? formatNumber(value) : value) + texts[i + 1]!
  }
  return text
}

/** Joins numbers with as few separators as a path allows. */
export const joinNumbers = (...values: number[]) =>
  values.map(formatNumber).reduce((text, next) => text + (next.startsWith('-') ? next : ` ${next}`))

export const path = (d: string, fill: Colour, attributes = '') =>
  `<path d="${d}" fill="${fill}"${attributes && ` ${attributes}`}/>`

export const line = (d: string, stroke: Colour, width: number, attributes = '') =>
  svg`<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}"${attributes && ` ${attributes}`}/>`

export const circle = (x: number, y: number, r: number, fill: Colour, attributes = '') =>
  svg`<circle cx="${x}" cy="${y}" r="${r}" fill="${fill}"${attributes && ` ${attributes}`}/>`

export const ellipse = (x: number, y: number, rx: number, ry: number, fill: Colour, turn = 0, attributes = '') => {
  const turned = turn ? svg` transform="rotate(${turn} ${x} ${y})"` : ''
  return svg`<ellipse cx="${x}" cy="${y}" rx="${rx}" ry="${ry}" fill="${fill}"${turned}${attributes && ` ${attributes}`}/>`
}

export const rect = (x: number, y: number, width: number, height: number, fill: Colour, radius = 0, attributes = '') =>
  svg`<rect x="${x}" y="${y}" width="${width}" height="${height}"${radius ? svg` rx="${radius}"` : ''} fill="${fill}"${
    attributes && ` ${attributes}`
  }/>`

export const opacity = (value: number) => `opacity="${Math.round(value * 100) / 100}"`

export interface Placement {
  x: number
  y: number
  scale?: number
  /** Degrees, clockwise. */
  turn?: number
}

/** Moves, rotates and scales a part that is drawn around 0,0. */
export const place = ({ x, y, scale = 1, turn = 0 }: Placement, ...parts: string[]) => {
  const content = parts.join('')
  if (!content) return ''
  const turned = turn ? svg` rotate(${turn})` : ''
  const scaled = scale === 1 ? '' : ` scale(${Math.round(scale * 1000) / 1000})`
  return svg`<g transform="translate(${x} ${y})${turned}${scaled}">${content}</g>`
}

/** Mirrors about x = 0. */
export const mirror = (content: string) => `<g transform="matrix(-1 0 0 1 0 0)">${content}</g>`

/** Mirrors about the middle of the picture. */
export const mirrorPicture = (content: string) => `<g transform="matrix(-1 0 0 1 ${SIZE} 0)">${content}</g>`

/** A part and its mirror image about x = 0. */
export const bothSides = (content: string) => content + mirror(content)

/** The petals are the dots of a dotted circle line: all pictures have round line caps. */
export const flower = (x: number, y: number, size: number, petals: Colour, centre: Colour) =>
  circle(
    x,
    y,
    size * 0.56,
    petals,
    svg`stroke="${petals}" stroke-width="${size * 0.72}" stroke-dasharray="0 ${size * 0.7037}"`,
  ) + circle(x, y, size * 0.38, centre)

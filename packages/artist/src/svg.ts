/** Rounds to tenths: finer than any rendering shows, small, and the same on every machine. */
export function n(value: number): string {
  const tenths = Math.round(value * 10)
  if (tenths % 10 === 0) return `${tenths / 10}`
  // Composed of integers: formatting fractions took a third of the drawing time.
  const size = Math.abs(tenths)
  const whole = Math.floor(size / 10)
  return `${tenths < 0 ? '-' : ''}${whole || ''}.${size % 10}`
}

/** Joins numbers with as few separators as a path allows. */
export const joinNumbers = (...values: number[]) =>
  values.map(n).reduce((text, next) => text + (next.startsWith('-') ? next : ` ${next}`))

export const path = (d: string, fill: string, more = '') => `<path d="${d}" fill="${fill}"${more && ` ${more}`}/>`

export const line = (d: string, stroke: string, width: number, more = '') =>
  `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${n(width)}"${more && ` ${more}`}/>`

export const circle = (x: number, y: number, r: number, fill: string, more = '') =>
  `<circle cx="${n(x)}" cy="${n(y)}" r="${n(r)}" fill="${fill}"${more && ` ${more}`}/>`

export const ellipse = (x: number, y: number, rx: number, ry: number, fill: string, turn = 0, more = '') => {
  const turned = turn ? ` transform="rotate(${n(turn)} ${n(x)} ${n(y)})"` : ''
  return `<ellipse cx="${n(x)}" cy="${n(y)}" rx="${n(rx)}" ry="${n(ry)}" fill="${fill}"${turned}${more && ` ${more}`}/>`
}

export const box = (x: number, y: number, width: number, height: number, fill: string, round = 0, more = '') =>
  `<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}"${round ? ` rx="${n(round)}"` : ''} fill="${fill}"${
    more && ` ${more}`
  }/>`

export const fade = (opacity: number) => `opacity="${Math.round(opacity * 100) / 100}"`

export interface Place {
  x: number
  y: number
  scale?: number
  turn?: number
}

/** Moves, rotates and scales a part that is drawn around 0,0. */
export const place = ({ x, y, scale = 1, turn = 0 }: Place, ...parts: string[]) => {
  const content = parts.join('')
  if (!content) return ''
  const turned = turn ? ` rotate(${n(turn)})` : ''
  const scaled = scale === 1 ? '' : ` scale(${Math.round(scale * 1000) / 1000})`
  return `<g transform="translate(${n(x)} ${n(y)})${turned}${scaled}">${content}</g>`
}

export const flip = (content: string) => `<g transform="matrix(-1 0 0 1 0 0)">${content}</g>`

/** A part and its mirror image about x = 0. */
export const both = (content: string) => content + flip(content)

/** The petals are the dots of a dotted ring: all documents have round line caps. */
export const flower = (x: number, y: number, size: number, petals: string, heart: string) =>
  circle(
    x,
    y,
    size * 0.56,
    petals,
    `stroke="${petals}" stroke-width="${n(size * 0.72)}" stroke-dasharray="0 ${n(size * 0.7037)}"`,
  ) + circle(x, y, size * 0.38, heart)

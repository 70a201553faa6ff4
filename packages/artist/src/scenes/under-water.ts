import { type Colour, darken, lighten } from '../colour.ts'
import { parsePoints, ribbon, smoothOutline } from '../curves.ts'
import type { Chance } from '../random.ts'
import { circle, ellipse, line, n, opacity, path, place } from '../svg.ts'
import { scatter } from './parts.ts'

export const lightBeams = (fill: Colour, chance: Chance) => {
  const x = chance.between('beams', 40, 200)
  return `<g ${opacity(0.16)}>${[0, 130, 250].map((dx, i) => path(`M${n(x + dx)}-10h${50 + i * 14}L${n(x + dx - 60)} 512h-${110 + i * 20}Z`, fill)).join('')}</g>`
}

export const sand = (fill: Colour, chance: Chance) => {
  const [a, b] = [chance.between('sand a', 446, 470), chance.between('sand b', 450, 474)]
  return path(`M0 ${n(a)}C120 ${n(a - 24)} 200 ${n(b + 14)} 300 ${n(b)}S450 ${n(a - 12)} 512 ${n(a)}V512H0Z`, fill)
}

export const pebbles = (fill: Colour, chance: Chance) =>
  scatter(chance, 'pebbles', 8, [10, 484, 500, 506], (x, y, random) =>
    ellipse(x, y, 8 + random() * 9, 6 + random() * 4, random() < 0.5 ? darken(fill, 0.2) : lighten(fill, 0.5)),
  )

export const risingBubbles = (fill: Colour, chance: Chance) =>
  scatter(chance, 'bubbles', 9, [20, 20, 490, 430], (x, y, random) => {
    const r = 4 + random() * 8
    return circle(x, y, r, fill, `fill-opacity=".25" stroke="${fill}" stroke-width="2.5" stroke-opacity=".6"`)
  })

export function kelp(x: number, y: number, height: number, fill: Colour, random: () => number) {
  const sway = 20 + random() * 26
  const lean = random() < 0.5 ? -1 : 1
  return path(
    ribbon(
      [
        [x, y],
        [x + sway * lean, y - height * 0.33],
        [x - sway * lean, y - height * 0.66],
        [x + sway * 0.6 * lean, y - height],
      ],
      (t) => 5 + 12 * Math.sin((0.1 + t * 0.85) * Math.PI),
    ),
    fill,
  )
}

export const coral = (x: number, y: number, scale: number, fill: Colour, shape: 'branch' | 'fan') =>
  place(
    { x, y, scale },
    shape === 'branch'
      ? line('M0 0V-70M0-24Q-34-30-34-66M0-40Q30-46 30-90M-34-48Q-50-52-52-74M30-66Q46-70 48-88', fill, 15)
      : path(smoothOutline(parsePoints('-10,4 -54,-40 -44,-92 0,-108 46,-92 54,-40 10,4')), fill) +
          line('M0-8V-84M0-30L-28-62M0-30L28-62M0-54L-14-82M0-54L14-82', darken(fill, 0.22), 5),
  )

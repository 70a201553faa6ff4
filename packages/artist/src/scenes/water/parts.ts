import type { Box } from '../../boxes.ts'
import { type Colour, darken, lighten, mix } from '../../colour.ts'
import { parsePoints, smoothOutline, star } from '../../curves.ts'
import type { Chance } from '../../random.ts'
import { circle, ellipse, line, opacity, path, place, rect, svg } from '../../svg.ts'
import { drawBackdrop, findFreePlace, scatter } from '../parts.ts'

/** Water that gets darker with depth, below `top`. */
export function drawWater(surface: Colour, deep: Colour, chance: Chance, top = 0): string {
  const shift = chance.between('waves', -30, 30)
  const layer = (y: number, share: number) =>
    path(svg`M0 ${y}Q${128 + shift} ${y - 26} 256 ${y}T512 ${y}V512H0Z`, mix(surface, deep, share))
  const height = 512 - top
  return (
    (top ? rect(0, top, 512, height, surface) : drawBackdrop(surface)) +
    layer(top + height * 0.3, 0.35) +
    layer(top + height * 0.55, 0.7) +
    layer(top + height * 0.78, 1)
  )
}

export const drawBeams = (fill: Colour, chance: Chance, top = -10) => {
  const x = chance.between('beams', 60, 190)
  const rays = [0, 120, 240].map((dx, i) =>
    path(svg`M${x + dx} ${top}h${44 + i * 12}L${x + dx - 50 + i * 8} 512h${-100 - i * 20}Z`, fill),
  )
  return `<g ${opacity(0.14)}>${rays.join('')}</g>`
}

export const drawSand = (fill: Colour, chance: Chance, top = 450) => {
  const [a, b] = [top + chance.between('sand a', 0, 18), top + chance.between('sand b', 2, 22)]
  return (
    path(svg`M0 ${a}C120 ${a - 22} 200 ${b + 12} 300 ${b}S450 ${a - 12} 512 ${a}V512H0Z`, fill) +
    scatter(chance, 'pebbles', 8, [10, top + 40, 500, 510], (x, y, random) =>
      ellipse(x, y, 6 + random() * 9, 4 + random() * 4, random() < 0.5 ? darken(fill, 0.18) : lighten(fill, 0.5)),
    )
  )
}

export const drawBubble = (x: number, y: number, r: number, fill: Colour) =>
  circle(x, y, r, fill, 'fill-opacity=".22" stroke="#fff" stroke-width="2.5" stroke-opacity=".55"') +
  circle(x - r * 0.35, y - r * 0.35, r * 0.22, '#fff', opacity(0.8))

/** Columns of bubbles that get larger as they rise, near the sides. */
export function drawBubbles(fill: Colour, chance: Chance, top: number, occupied: Box[] = []): string {
  const random = chance.sequence('bubbles')
  return [40 + random() * 50, 430 + random() * 45]
    .map((x) => {
      const count = 3 + Math.floor(random() * 3)
      return Array.from({ length: count }, (_, i) => {
        const [bx, y] = [x + (i % 2 ? 10 : -10) * random(), top + 60 + i * 60 + random() * 24]
        return findFreePlace(occupied, [[bx, y]], 10) ? drawBubble(bx, y, 10 - i * 1.2, fill) : ''
      }).join('')
    })
    .join('')
}

/** The height above `y` that is free of fish, within `reach` on both sides. */
export const measureSpaceAbove = (occupied: readonly Box[], x: number, y: number, reach: number) =>
  y -
  12 -
  Math.max(0, ...occupied.filter(([left, , right]) => left < x + reach && right > x - reach).map((box) => box[3]))

/** A blade that ends below the fish, where it does not seem to be in a mouth. */
export function placeBlade(occupied: readonly Box[], x: number, y: number, height: number, ...rest: BladeLook): string {
  const maxHeight = measureSpaceAbove(occupied, x, y, 45)
  return maxHeight < 45 ? '' : drawBlade(x, y, Math.min(height, maxHeight), ...rest)
}

type BladeLook = [width: number, fill: Colour, lean: number]

/** A blade that sways; `lean` is -1 or 1. */
export function drawBlade(x: number, y: number, height: number, width: number, fill: Colour, lean: number): string {
  const [root, sway, h] = [Math.round(x), Math.round(height * 0.2 * lean), Math.round(height)]
  const w = Math.round(width)
  const [low, high] = [Math.round(h * 0.33), Math.round(h * 0.7)]
  return path(
    `M${root - (w >> 1)} ${y}c${sway - w} ${-low} ${-sway - w} ${-high} ${sway} ${-h}c${w - 2 * sway} ${h - high} ${w} ${h - low} ${w - sway} ${h}Z`,
    fill,
  )
}

const coralShapes = {
  branch: (fill: Colour) =>
    line('M0 6V-70M0-25Q-35-30-35-65M0-40Q30-45 30-90M-35-50Q-50-50-50-75M30-65Q45-70 50-90', fill, 15) +
    line('M-4-8V-65M-35-45Q-40-50-40-60M25-60Q25-75 25-85', lighten(fill, 0.35), 4, opacity(0.6)),
  fan: (fill: Colour) =>
    path(smoothOutline(parsePoints('-10,6 -60,-40 -50,-95 0,-110 50,-95 60,-40 10,6')), fill) +
    line('M0 0V-90M0-25L-35-60M0-25L35-60M0-55L-18-90M0-55L18-90M-25-50L-40-50M25-50L40-50', darken(fill, 0.22), 5),
  tube: (fill: Colour) =>
    [
      [-30, -60, 15],
      [2, -95, 18],
      [34, -50, 14],
    ]
      .map(
        ([x, top, r]) =>
          path(svg`M${x! - r! * 0.7} 6L${x! - r!} ${top!}H${x! + r!}L${x! + r! * 0.7} 6Z`, fill) +
          ellipse(x!, top!, r!, r! * 0.42, darken(fill, 0.4), 0, svg`stroke="${lighten(fill, 0.25)}" stroke-width="4"`),
      )
      .join(''),
}

export const drawCoral = (x: number, y: number, scale: number, fill: Colour, shape: keyof typeof coralShapes) =>
  place({ x, y, scale }, coralShapes[shape](fill))

export const coralNames = Object.keys(coralShapes) as (keyof typeof coralShapes)[]

export const drawStarfish = (x: number, y: number, r: number, fill: Colour, turn: number) =>
  path(star(x, y, r, r * 0.5, 5, turn), fill, svg`stroke="${fill}" stroke-width="${r * 0.34}"`) +
  circle(x, y, r * 0.16, lighten(fill, 0.5))

/** Small fish far away, as one path; none that the large fish would cut. */
export const drawShoal = (fill: Colour, chance: Chance, area: Box, count: number, occupied: Box[]) =>
  path(
    scatter(chance, 'shoal', count, area, (x, y) =>
      findFreePlace(occupied, [[x + 17, y]], 20) ? svg`M${x} ${y}q12-12 26 0l9-8v16l-9-8q-14 12-26 0z` : '',
    ),
    fill,
  )

export const drawRock = (x: number, y: number, width: number, height: number, fill: Colour) =>
  path(
    svg`M${x - width / 2} ${y}C${x - width / 2} ${y - height * 0.7} ${x - width * 0.24} ${y - height} ${x} ${y - height * 0.96}S${x + width * 0.44} ${y - height * 0.8} ${x + width / 2} ${y}Z`,
    fill,
  ) +
  path(
    svg`M${x - width * 0.3} ${y - height * 0.5}C${x - width * 0.26} ${y - height * 0.86} ${x - width * 0.1} ${y - height * 0.92} ${x} ${y - height * 0.86}C${x - width * 0.14} ${y - height * 0.76} ${x - width * 0.2} ${y - height * 0.66} ${x - width * 0.3} ${y - height * 0.5}Z`,
    '#fff',
    opacity(0.16),
  )

import { type Colour, darken, lighten, mix } from '../../colour.ts'
import { parsePoints, smoothOutline, star } from '../../curves.ts'
import type { Chance } from '../../random.ts'
import { circle, ellipse, line, opacity, path, place, rect, svg } from '../../svg.ts'
import { drawBackdrop, scatter } from '../parts.ts'

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
  const rays = [0, 120, 236].map((dx, i) =>
    path(svg`M${x + dx} ${top}h${44 + i * 12}L${x + dx - 50 + i * 8} 512h${-100 - i * 20}Z`, fill),
  )
  return `<g ${opacity(0.14)}>${rays.join('')}</g>`
}

export const drawSand = (fill: Colour, chance: Chance, top = 446) => {
  const [a, b] = [top + chance.between('sand a', 0, 18), top + chance.between('sand b', 2, 22)]
  return (
    path(svg`M0 ${a}C120 ${a - 22} 200 ${b + 12} 300 ${b}S450 ${a - 12} 512 ${a}V512H0Z`, fill) +
    scatter(chance, 'pebbles', 8, [10, top + 40, 500, 506], (x, y, random) =>
      ellipse(x, y, 6 + random() * 9, 4 + random() * 4, random() < 0.5 ? darken(fill, 0.18) : lighten(fill, 0.5)),
    )
  )
}

export const drawBubble = (x: number, y: number, r: number, fill: Colour) =>
  circle(x, y, r, fill, 'fill-opacity=".22" stroke="#ffffff" stroke-width="2.5" stroke-opacity=".55"') +
  circle(x - r * 0.35, y - r * 0.35, r * 0.22, '#ffffff', opacity(0.8))

/** Columns of bubbles that get larger as they rise, near the sides. */
export function drawBubbles(fill: Colour, chance: Chance, top = 40): string {
  const random = chance.sequence('bubbles')
  return [40 + random() * 50, 430 + random() * 46]
    .map((x) => {
      const count = 3 + Math.floor(random() * 3)
      return Array.from({ length: count }, (_, i) =>
        drawBubble(x + (i % 2 ? 10 : -10) * random(), top + 60 + i * 62 + random() * 24, 10 - i * 1.2, fill),
      ).join('')
    })
    .join('')
}

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

/** A kelp plant: a stem with leaves on both sides. */
export function drawKelp(x: number, y: number, height: number, fill: Colour, lean: number): string {
  const count = Math.round(height / 52)
  let leaves = ''
  for (let i = 1; i <= count; i++) {
    const at = y - (i * height) / (count + 0.6)
    const dx = x + Math.sin((i / count) * 5) * 9 * lean
    leaves += svg`M${dx} ${at}q${i % 2 ? 26 : -26}-26 ${i % 2 ? 54 : -54}-20q${i % 2 ? -16 : 16} 26 ${i % 2 ? -54 : 54} 20Z`
  }
  return drawBlade(x, y, height, 6, darken(fill, 0.18), lean) + path(leaves, fill)
}

const coralShapes = {
  branch: (fill: Colour) =>
    line('M0 6V-70M0-24Q-34-30-34-66M0-40Q30-46 30-90M-34-48Q-50-52-52-74M30-66Q46-70 48-88', fill, 15) +
    line('M-4-8V-64M-36-44Q-38-52-38-62M26-62Q27-76 26-84', lighten(fill, 0.35), 4, opacity(0.6)),
  fan: (fill: Colour) =>
    path(smoothOutline(parsePoints('-10,6 -58,-40 -48,-96 0,-114 50,-96 58,-40 10,6')), fill) +
    line('M0 0V-92M0-26L-34-62M0-26L34-62M0-54L-18-90M0-54L18-90M-24-50L-42-52M24-50L42-52', darken(fill, 0.22), 5),
  tube: (fill: Colour) =>
    [
      [-30, -62, 15],
      [2, -96, 18],
      [34, -50, 14],
    ]
      .map(
        ([x, top, r]) =>
          path(svg`M${x! - r! * 0.7} 6L${x! - r!} ${top!}H${x! + r!}L${x! + r! * 0.7} 6Z`, fill) +
          ellipse(x!, top!, r!, r! * 0.42, darken(fill, 0.4), 0, svg`stroke="${lighten(fill, 0.25)}" stroke-width="4"`),
      )
      .join(''),
  brain: (fill: Colour) =>
    path('M-60 8C-66-60 66-60 60 8Z', fill) +
    line(
      'M-40-4q6-18 20-10t18-8 20 2 22 8M-30-24q14-10 24-2t22-2 20 6M-44 4q14-6 24 0t24-2 26 2',
      darken(fill, 0.22),
      4.5,
    ),
}

export const drawCoral = (x: number, y: number, scale: number, fill: Colour, shape: keyof typeof coralShapes) =>
  place({ x, y, scale }, coralShapes[shape](fill))

export const coralNames = Object.keys(coralShapes) as (keyof typeof coralShapes)[]

export const drawStarfish = (x: number, y: number, r: number, fill: Colour, turn: number) =>
  path(star(x, y, r, r * 0.5, 5, turn), fill, svg`stroke="${fill}" stroke-width="${r * 0.34}"`) +
  circle(x, y, r * 0.16, lighten(fill, 0.5))

export const drawShell = (x: number, y: number, scale: number, fill: Colour) =>
  place(
    { x, y, scale },
    path('M-8 10L-26-8Q-20-30 0-32T26-8L8 10Z', fill, `stroke="${fill}" stroke-width="4"`),
    line('M0 6V-26M-4 6L-15-18M4 6L15-18', darken(fill, 0.25), 3),
  )

/** Small fish far away, as one path. */
export const drawShoal = (fill: Colour, chance: Chance, area: readonly [number, number, number, number], count = 6) =>
  path(
    scatter(chance, 'shoal', count, area, (x, y) => svg`M${x} ${y}q12-12 26 0l9-8v16l-9-8q-14 12-26 0z`),
    fill,
  )

export const drawRock = (x: number, y: number, width: number, height: number, fill: Colour) =>
  path(
    svg`M${x - width / 2} ${y}C${x - width / 2} ${y - height * 0.7} ${x - width * 0.24} ${y - height} ${x} ${y - height * 0.96}S${x + width * 0.44} ${y - height * 0.8} ${x + width / 2} ${y}Z`,
    fill,
  ) +
  path(
    svg`M${x - width * 0.3} ${y - height * 0.5}C${x - width * 0.26} ${y - height * 0.86} ${x - width * 0.1} ${y - height * 0.92} ${x} ${y - height * 0.86}C${x - width * 0.14} ${y - height * 0.76} ${x - width * 0.2} ${y - height * 0.66} ${x - width * 0.3} ${y - height * 0.5}Z`,
    '#ffffff',
    opacity(0.16),
  )

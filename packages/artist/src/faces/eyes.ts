import { type Colour, INK } from '../colour.ts'
import { oval, star } from '../curves.ts'
import type { Sketch } from '../sketch.ts'
import { circle, ellipse, fade, line, n, path } from '../svg.ts'

export const eyeStyles = {
  round: 4,
  sparkle: 3,
  side: 2,
  up: 2,
  sleepy: 2,
  happy: 2,
  closed: 1,
  wink: 2,
  starry: 1,
} as const
export type EyeStyle = keyof typeof eyeStyles

export interface EyePair {
  /** Half the distance between the eyes. */
  apart: number
  y: number
  r: number
  /** Undefined for plain dark eyes. */
  iris?: Colour
  /** The lid of a sleepy eye. */
  lid: Colour
  /** Strokes of closed eyes; they need contrast to the coat. */
  stroke?: Colour
  slit?: boolean
}

const arc = (x: number, y: number, r: number, bend: number, stroke: Colour) =>
  line(`M${n(x - r)} ${n(y)}Q${n(x)} ${n(y + bend * r)} ${n(x + r)} ${n(y)}`, stroke, r * 0.34)

function open(x: number, look: readonly [number, number], eye: EyePair, shine: 'plain' | 'sparkle' | 'starry') {
  const { y, r, iris, slit } = eye
  const [px, py] = [x + look[0] * r * 0.24, y + look[1] * r * 0.24]
  const pupil = iris
    ? circle(x, y, r, INK) +
      circle(x, y, r * 0.88, iris) +
      ellipse(px, py, r * (slit ? 0.4 : 0.6), r * (slit ? 0.74 : 0.62), INK)
    : (look[0] || look[1] ? circle(x, y, r * 1.12, '#fffdf6') : '') +
      circle(px, py, r * (look[0] || look[1] ? 0.74 : 1), INK)
  const gleam =
    shine === 'starry'
      ? path(star(px - r * 0.1, py - r * 0.1, r * 0.55, r * 0.22, 4), '#ffffff')
      : circle(px - r * 0.3, py - r * 0.34, r * (shine === 'sparkle' ? 0.34 : 0.27), '#ffffff')
  const second = shine === 'plain' ? '' : circle(px + r * 0.34, py + r * 0.36, r * 0.17, '#ffffff', fade(0.9))
  return pupil + gleam + second
}

function one(style: EyeStyle, x: number, turn: number, eye: EyePair, { clip }: Sketch): string {
  const { y, r, lid, stroke = INK } = eye
  switch (style) {
    case 'round':
      return open(x, [0, 0], eye, 'plain')
    case 'sparkle':
    case 'starry':
      return open(x, [0, 0], { ...eye, r: r * 1.18, slit: false }, style)
    case 'side':
      return open(x, [turn, 0.2], eye, 'plain')
    case 'up':
      return open(x, [turn * 0.3, -1], eye, 'plain')
    case 'sleepy': {
      const edge = `M${n(x - r * 1.2)} ${n(y)}Q${n(x)} ${n(y - r * 0.5)} ${n(x + r * 1.2)} ${n(y)}`
      const cover = path(`${edge}V${n(y - r * 2)}H${n(x - r * 1.2)}Z`, lid)
      const half = clip(oval(x, y, r * 1.16, r * 1.16), open(x, [0, 0.5], eye, 'plain'), cover)
      return half + line(edge, stroke, r * 0.24)
    }
    case 'happy':
      return arc(x, y + r * 0.4, r, -1.7, stroke)
    case 'closed':
      return arc(x, y - r * 0.1, r, 1.5, stroke)
    case 'wink':
      return line(
        `M${n(x + r * 0.8)} ${n(y - r * 0.7)}L${n(x - r * 0.6)} ${n(y)}L${n(x + r * 0.8)} ${n(y + r * 0.7)}`,
        stroke,
        r * 0.32,
      )
  }
}

export function eyes(style: EyeStyle, eye: EyePair, sketch: Sketch): string {
  const turn = sketch.chance.pick('look', [-1, 1])
  if (style === 'wink')
    return one('round', turn * eye.apart, turn, eye, sketch) + one('happy', -turn * eye.apart, turn, eye, sketch)
  return one(style, -eye.apart, turn, eye, sketch) + one(style, eye.apart, turn, eye, sketch)
}

/** For an animal seen from its left side, which looks to the left. */
export const loneEye = (style: EyeStyle, x: number, eye: EyePair, sketch: Sketch) => one(style, x, -1, eye, sketch)

export const eyeWords: Record<EyeStyle, string> = {
  round: 'looking straight at you',
  sparkle: 'bright-eyed',
  starry: 'starry-eyed',
  side: 'glancing aside',
  up: 'looking up',
  sleepy: 'sleepy',
  happy: 'beaming',
  closed: 'dozing',
  wink: 'winking',
}

import { type Eyewear, glasses } from '../accessories/eyewear.ts'
import { type Headwear, wear } from '../accessories/headwear.ts'
import type { Colour } from '../colour.ts'
import { type Accent, wornColours } from '../palette.ts'
import { circle, fade, place } from '../svg.ts'
import type { EyePair } from './eyes.ts'

export interface Adorned {
  headwear: Headwear
  eyewear: Eyewear
  accent: Accent
}

interface Crown {
  /** The y of the middle of the top. */
  top: number
  /** The x of the ear's root; a flower is worn there. */
  spread: number
  scale?: number
  coat: Colour
}

/** Glasses and headwear. */
export function adornments(look: Adorned, eye: EyePair, { top, spread, scale = 1, coat }: Crown): string {
  const { main, second } = wornColours(look.accent, coat)
  return (
    glasses(look.eyewear, main, eye.apart, eye.y, eye.r) +
    place({ x: 0, y: top, scale }, wear(look.headwear, main, second, spread))
  )
}

export const blush = (apart: number, y: number, r: number, colour: Colour = '#f58a8a') =>
  circle(-apart, y, r, colour, fade(0.4)) + circle(apart, y, r, colour, fade(0.4))

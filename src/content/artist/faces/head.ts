import { type Eyewear, glasses } from '../accessories/eyewear.ts'
import { type Headwear, wear } from '../accessories/headwear.ts'
import type { Colour } from '../colour.ts'
import { type Accent, wornColours } from '../palette.ts'
import { circle, fade, place } from '../svg.ts'
import type { EyePair } from './eyes.ts'

/** What is worn on a head: `top` is the height of its crown, `spread` where the left ear is rooted. */
export function adornments(
  look: { headwear: Headwear; eyewear: Eyewear; accent: Accent },
  eye: EyePair,
  { top, spread, scale = 1 }: { top: number; spread: number; scale?: number },
) {
  const { main, second } = wornColours(look.accent)
  return (
    glasses(look.eyewear, main, eye.apart, eye.y, eye.r) +
    place({ x: 0, y: top, scale }, wear(look.headwear, main, second, spread))
  )
}

export const blush = (apart: number, y: number, r: number, colour: Colour = '#f58a8a') =>
  circle(-apart, y, r, colour, fade(0.4)) + circle(apart, y, r, colour, fade(0.4))

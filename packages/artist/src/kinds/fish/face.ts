import { BLUSH, type Colour, CREAM, contrast, darken, EYE_WHITE, INK, lighten, TONGUE } from '../../colour.ts'
import { ellipsePath, star } from '../../curves.ts'
import type { Sketch } from '../../sketch.ts'
import { circle, ellipse, line, opacity, path, place, svg } from '../../svg.ts'

/** A mood sets eyes and mouth together, so that they never contradict each other. */
export const moods = {
  calm: { weight: 3, phrase: 'smiling', mouth: 'smile' },
  cheerful: { weight: 3, phrase: 'laughing', mouth: 'laugh' },
  joyful: { weight: 2, phrase: 'beaming with joy', mouth: 'laugh' },
  curious: { weight: 2, phrase: 'looking curious', mouth: 'small' },
  dreamy: { weight: 1.5, phrase: 'gazing up dreamily', mouth: 'smile' },
  dazzled: { weight: 1, phrase: 'starry-eyed', mouth: 'laugh' },
  surprised: { weight: 1.5, phrase: 'looking surprised', mouth: 'round' },
  cheeky: { weight: 1.5, phrase: 'winking', mouth: 'tongue' },
  sleepy: { weight: 1.5, phrase: 'looking sleepy', mouth: 'small' },
  asleep: { weight: 0.7, phrase: 'fast asleep', mouth: 'small' },
  grumpy: { weight: 1, phrase: 'looking grumpy', mouth: 'frown' },
} as const
export type Mood = keyof typeof moods

/** Lines are dark, except on dark skin. */
const chooseLineColour = (skin: Colour) => (contrast(skin, INK) < 215 ? CREAM : INK)

export const fishIrises = { dark: INK, brown: '#a64', blue: '#48c', green: '#595', violet: '#86c' } as const

const gazes: Partial<Record<Mood, readonly [number, number]>> = {
  curious: [-0.2, -0.12],
  dreamy: [-0.08, -0.24],
  sleepy: [-0.1, 0.16],
  grumpy: [-0.18, 0.08],
}

interface FaceColours {
  /** The colour around the eyes. */
  skin: Colour
  iris: Colour
}

function drawOpenEye(x: number, y: number, r: number, mood: Mood, { skin, iris }: FaceColours) {
  const [gazeX, gazeY] = gazes[mood] ?? [-0.1, 0]
  const [px, py] = [x + gazeX * r, y + gazeY * r]
  const size = r * (mood === 'surprised' ? 0.52 : mood === 'dazzled' || mood === 'cheerful' ? 0.8 : 0.74)
  const ring = contrast(skin, EYE_WHITE) < 260 ? darken(skin, 0.3) : darken(skin, 0.15)
  return [
    circle(x, y, r, EYE_WHITE, svg`stroke="${ring}" stroke-width="${r * 0.13}"`),
    circle(px, py, size, iris),
    iris === INK ? '' : circle(px, py, size * 0.66, INK),
    mood === 'dazzled'
      ? path(star(px, py, size * 0.72, size * 0.3, 4), '#fff')
      : circle(px - size * 0.32, py - size * 0.38, size * 0.32, '#fff') +
        circle(px + size * 0.34, py + size * 0.38, size * 0.16, '#fff', opacity(0.85)),
  ].join('')
}

/** `outward` is 1 if the outer corner of the eye is on the right. */
function drawEye(x: number, y: number, r: number, mood: Mood, outward: number, colours: FaceColours, sketch: Sketch) {
  const stroke = chooseLineColour(colours.skin)
  const arc = (bend: number) =>
    line(
      svg`M${x - r * 0.8} ${y - bend * r * 0.3}Q${x} ${y + bend * r} ${x + r * 0.8} ${y - bend * r * 0.3}`,
      stroke,
      r * 0.28,
    )
  if (mood === 'joyful' || mood === 'cheeky') return arc(-1)
  if (mood === 'asleep') return arc(1)
  const open = drawOpenEye(x, y, r, mood, colours)
  if (mood !== 'sleepy' && mood !== 'grumpy') return open
  const tilt = mood === 'grumpy' ? r * 0.42 * outward : 0
  const lidY = y - r * (mood === 'grumpy' ? 0.32 : 0.12)
  const lid = svg`M${x - r * 1.2} ${lidY + tilt}L${x + r * 1.2} ${lidY - tilt}`
  const cover = path(svg`${lid}V${y - r * 2}H${x - r * 2}Z`, lighten(colours.skin, 0.12))
  return (
    sketch.clip(ellipsePath(x, y, r, r), open, cover, line(lid, stroke, r * 0.16)) +
    circle(x, y, r, 'none', svg`stroke="${darken(colours.skin, 0.3)}" stroke-width="${r * 0.13}"`)
  )
}

/** For a fish seen from its left side. */
export const drawSideEye = (x: number, y: number, r: number, mood: Mood, colours: FaceColours, sketch: Sketch) =>
  drawEye(x, y, r, mood, 1, colours, sketch)

/** For a fish that faces the viewer: eyes around `x`. */
export const drawFrontEyes = (
  x: number,
  y: number,
  r: number,
  halfDistance: number,
  mood: Mood,
  colours: FaceColours,
  sketch: Sketch,
) =>
  drawEye(x - halfDistance, y, r, mood === 'cheeky' ? 'calm' : mood, -1, colours, sketch) +
  drawEye(x + halfDistance, y, r, mood, 1, colours, sketch)

/** `x`, `y` is the middle of the mouth. */
export function drawMouth(mood: Mood, x: number, y: number, skin: Colour, scale = 1): string {
  const stroke = chooseLineColour(skin)
  const shapes = {
    smile: () => line('M-20 0Q0 18 20 0', stroke, 5.5),
    laugh: () => path('M-20-2Q0 6 20-2Q20 25 0 25T-20-2Z', INK) + path('M-13 17Q0 8 13 17Q8 25 0 25T-13 17Z', TONGUE),
    round: () => ellipse(0, 8, 10, 12, INK) + ellipse(0, 13, 6, 5, TONGUE),
    small: () => line('M-9 3Q0 11 9 3', stroke, 5.5),
    tongue: () => path('M-9 8H9V18Q8 30 0 30T-9 18Z', TONGUE) + line('M-20 0Q0 18 20 0', stroke, 5.5),
    frown: () => line('M-16 10Q0-6 16 10', stroke, 5.5),
  }
  return place({ x, y, scale }, shapes[moods[mood].mouth]())
}

export const drawCheek = (x: number, y: number, r: number, skin: Colour) =>
  ellipse(x, y, r, r * 0.72, contrast(skin, BLUSH) < 110 ? '#fed' : BLUSH, 0, opacity(0.45))

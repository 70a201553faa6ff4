import { BLUSH, type Colour, contrast, EYE_WHITE, INK, TONGUE } from './colour.ts'
import { ellipsePath, star } from './curves.ts'
import type { Sketch } from './sketch.ts'
import { circle, ellipse, line, opacity, path, place, svg } from './svg.ts'

export const eyeStyleWeights = {
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
export type EyeStyle = keyof typeof eyeStyleWeights

export interface EyePair {
  /** Half the distance between the eyes. */
  halfDistance: number
  y: number
  r: number
  /** Undefined for plain dark eyes. */
  iris?: Colour
  /** The lid of a sleepy eye. */
  lid: Colour
  /** Strokes of closed eyes; they need contrast to the coat. */
  stroke?: Colour
  /** The frame of glasses; default: `stroke`. */
  frame?: Colour
  slit?: boolean
}

/** True for eyes that are drawn as lines, which need contrast to the face. */
export const isLineStyle = (style: EyeStyle) =>
  style === 'closed' || style === 'happy' || style === 'wink' || style === 'sleepy'

const arc = (x: number, y: number, r: number, bend: number, stroke: Colour) =>
  line(svg`M${x - r} ${y}Q${x} ${y + bend * r} ${x + r} ${y}`, stroke, r * 0.34)

const MIN_PUPIL_CONTRAST = 190

/** `gaze` is the direction of the eye: [-1, 0] looks to the left, [0, -1] up. */
function drawOpenEye(x: number, gaze: readonly [number, number], eye: EyePair, shine: 'plain' | 'sparkle' | 'starry') {
  const { y, r, iris, slit } = eye
  const shift = r * (iris ? 0.34 : 0.24)
  const [px, py] = [x + gaze[0] * shift, y + gaze[1] * shift]
  // A dark eye on a dark face needs a white around it.
  const hasWhite = gaze[0] !== 0 || gaze[1] !== 0 || contrast(eye.lid, INK) < MIN_PUPIL_CONTRAST
  const pupil = iris
    ? circle(x, y, r, INK) +
      circle(x, y, r * 0.88, iris) +
      // A tall pupil that looks up would leave the iris.
      ellipse(px, py, r * (slit ? 0.4 : 0.6), r * (slit && gaze[1] >= 0 ? 0.74 : 0.62), INK)
    : (hasWhite ? circle(x, y, r * 1.16, EYE_WHITE) : '') +
      circle(px, py, r * (gaze[0] || gaze[1] ? 0.74 : hasWhite ? 0.92 : 1), INK)
  const highlight =
    shine === 'starry'
      ? path(star(px - r * 0.1, py - r * 0.1, r * 0.55, r * 0.22, 4), '#fff')
      : circle(px - r * 0.3, py - r * 0.34, r * (shine === 'sparkle' ? 0.34 : 0.27), '#fff')
  const secondHighlight = shine === 'plain' ? '' : circle(px + r * 0.34, py + r * 0.36, r * 0.17, '#fff', opacity(0.9))
  return pupil + highlight + secondHighlight
}

/** `side` is -1 if the animal looks to the left, 1 if to the right; `outward` is that of the outer corner of the eye. */
function drawEye(
  style: EyeStyle,
  x: number,
  side: number,
  eye: EyePair,
  { clip }: Sketch,
  outward = Math.sign(x),
): string {
  const { y, r, lid, stroke = INK } = eye
  switch (style) {
    case 'round':
      return drawOpenEye(x, [0, 0], eye, 'plain')
    case 'sparkle':
    case 'starry':
      return drawOpenEye(x, [0, 0], { ...eye, r: r * 1.18, slit: false }, style)
    case 'side':
      return drawOpenEye(x, [side, 0.2], eye, 'plain')
    case 'up':
      return drawOpenEye(x, [side * 0.3, -1], eye, 'plain')
    case 'sleepy': {
      // Lids that droop outwards look tired; others look angry.
      const droop = outward * r * 0.3
      const edge = svg`M${x - r * 1.2} ${y - droop}Q${x} ${y - r * 0.4} ${x + r * 1.2} ${y + droop}`
      const cover = path(svg`${edge}V${y - r * 2}H${x - r * 1.2}Z`, lid)
      const halfOpen = clip(ellipsePath(x, y, r * 1.16, r * 1.16), drawOpenEye(x, [0, 0.5], eye, 'plain'), cover)
      return halfOpen + line(edge, stroke, r * 0.24)
    }
    case 'happy':
      return arc(x, y + r * 0.4, r, -1.7, stroke)
    case 'closed':
      return arc(x, y - r * 0.1, r, 1.5, stroke)
    case 'wink':
      return line(
        svg`M${x + r * 0.8} ${y - r * 0.7}L${x - r * 0.6} ${y}L${x + r * 0.8} ${y + r * 0.7}`,
        stroke,
        r * 0.32,
      )
  }
}

export function drawEyes(style: EyeStyle, eye: EyePair, sketch: Sketch): string {
  const side = sketch.chance.pick('look', [-1, 1])
  if (style === 'wink')
    return (
      drawEye('round', side * eye.halfDistance, side, eye, sketch) +
      drawEye('happy', -side * eye.halfDistance, side, eye, sketch)
    )
  return drawEye(style, -eye.halfDistance, side, eye, sketch) + drawEye(style, eye.halfDistance, side, eye, sketch)
}

/** For an animal seen from its left side, which looks to the left. */
export const drawSideEye = (style: EyeStyle, x: number, eye: EyePair, sketch: Sketch) =>
  drawEye(style, x, -1, eye, sketch, 1)

export const eyePhrases: Record<EyeStyle, string> = {
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

export const mouthStyleWeights = { smile: 4, open: 3, tongue: 2, grin: 2, small: 2, smirk: 2 } as const
export type MouthStyle = keyof typeof mouthStyleWeights

/** The mouth below a nose at 0,0; about 40 wide. */
function drawMouthShape(style: MouthStyle, stroke: Colour): string {
  const lips = (reach: number) =>
    line(svg`M0 0V8Q${-reach * 0.4} 22 ${-reach} 11M0 8Q${reach * 0.4} 22 ${reach} 11`, stroke, 4.4)
  switch (style) {
    case 'smile':
      return lips(22)
    case 'open':
      return (
        path('M-17 12Q0 18 17 12Q16 38 0 39T-17 12Z', INK) +
        path('M-9 31Q0 22 9 31Q5 38 0 38T-9 31Z', TONGUE) +
        lips(22)
      )
    case 'tongue':
      return path('M-9 13H9V25Q8 36 0 36T-9 25Z', TONGUE) + line('M0 18V27', '#c57', 2.5) + lips(21)
    case 'grin':
      return (
        line('M0 0V12', stroke, 4.4) +
        path('M-25 11Q0 21 25 11Q22 34 0 35T-25 11Z', '#fff', `stroke="${stroke}" stroke-width="4"`) +
        line('M-21 21Q0 29 21 21', stroke, 2, opacity(0.5))
      )
    case 'small':
      return line('M0 0V7M-8 13Q0 5 8 13', stroke, 4.4)
    case 'smirk':
      return line('M0 0V8M-14 12Q8 22 20 6', stroke, 4.4)
  }
}

export const drawMouth = (style: MouthStyle, x: number, y: number, scale = 1, stroke = INK) =>
  place({ x, y, scale }, drawMouthShape(style, stroke))

/** Mouths that fit the eyes; eyes that are not listed fit all mouths. */
const fittingMouths: Partial<Record<EyeStyle, readonly MouthStyle[]>> = {
  closed: ['smile', 'small'],
  // With another mouth, it would look grumpy.
  sleepy: ['smile'],
  happy: ['smile', 'open', 'grin', 'tongue'],
  wink: ['smile', 'open', 'grin', 'tongue', 'smirk'],
  starry: ['smile', 'open', 'grin', 'tongue', 'smirk'],
}

/** True for expressions that contradict themselves, such as asleep and laughing. */
export const isContradictory = (eyes: EyeStyle, mouth: MouthStyle) => fittingMouths[eyes]?.includes(mouth) === false

export const mouthPhrases: Record<MouthStyle, string> = {
  smile: 'smiling',
  open: 'laughing',
  tongue: 'sticking out its tongue',
  grin: 'grinning',
  small: 'serious',
  smirk: 'smirking',
}

/** An expression in words: one or two phrases. Only the mouth is visible below sunglasses. */
export function describeExpression(eyes: EyeStyle | 'hidden', mouth: MouthStyle): string[] {
  if (eyes === 'hidden') return [mouthPhrases[mouth]]
  if (eyes === 'closed') return [mouth === 'smile' ? 'dozing with a smile' : 'dozing']
  if (eyes === 'sleepy') return ['smiling sleepily']
  if (eyes === 'happy') return [mouth === 'smile' ? 'beaming' : mouthPhrases[mouth]]
  return [eyePhrases[eyes], mouthPhrases[mouth]]
}

/** The mood of an animal as tags. */
export function listMoods(eyes: EyeStyle | 'hidden', mouth?: MouthStyle): string[] {
  if (eyes === 'closed') return ['sleeping']
  const isSmiling = eyes === 'happy' || mouth === 'smile' || mouth === 'open' || mouth === 'grin'
  return [
    isSmiling && 'smiling',
    mouth === 'open' && 'laughing',
    mouth === 'tongue' && 'tongue',
    mouth === 'small' && 'serious',
    eyes === 'sleepy' && 'sleepy',
    eyes === 'wink' && 'winking',
  ].filter((mood) => mood !== false)
}

export const drawBlush = (halfDistance: number, y: number, r: number, colour: Colour = BLUSH) =>
  circle(-halfDistance, y, r, colour, opacity(0.4)) + circle(halfDistance, y, r, colour, opacity(0.4))

import { drawHeadwear, type Headwear } from '../../accessories/headwear.ts'
import {
  type Accent,
  accessoryColours,
  BLUSH,
  contrast,
  darken,
  EYE_WHITE,
  INK,
  lighten,
  lineColourOn,
  TONGUE,
} from '../../colour.ts'
import { ellipsePath, smoothOutline, star } from '../../curves.ts'
import { drawBlush, drawEyes, drawSideEye, type EyeStyle } from '../../face.ts'
import type { Sketch } from '../../sketch.ts'
import { bothSides, circle, ellipse, line, opacity, path, place, svg } from '../../svg.ts'
import { drawFrontMarkings, drawSideMarkings, type FishColours, type FishPattern } from './patterns.ts'
import { backHeightAt, dorsalFins, type FishShape, fishTails } from './shapes.ts'

export const fishMouthWeights = { smile: 3, open: 2, kiss: 2, grin: 1.5 } as const

export interface FishAppearance {
  shape: FishShape
  spiny: boolean
  tail: keyof typeof fishTails
  dorsal: keyof typeof dorsalFins
  pattern: FishPattern
  eyes: EyeStyle
  mouth: keyof typeof fishMouthWeights
  headwear: Headwear
  accent: Accent
  colours: FishColours
}

const drawFinRays = (fin: string) => line('M10-6L70-40M12 0H80M10 6L70 40', darken(fin, 0.25), 4, opacity(0.5))

function drawFishMouth(style: FishAppearance['mouth'], x: number, y: number, stroke: string) {
  switch (style) {
    case 'smile':
      return line(svg`M${x} ${y}q14 18 34 8`, stroke, 5.5)
    case 'open':
      return ellipse(x + 14, y + 6, 12, 14, INK) + ellipse(x + 15, y + 12, 7, 6, TONGUE)
    case 'kiss':
      return circle(x + 4, y - 6, 10, TONGUE) + circle(x + 6, y + 8, 9, '#e2647a')
    case 'grin':
      return path(svg`M${x + 4} ${y}q20 8 40-4q-4 26-22 24t-18-20z`, EYE_WHITE, `stroke="${stroke}" stroke-width="4"`)
  }
}

const drawSpines = (count: number, r: number, fill: string) =>
  path(star(0, 0, r + 24, r - 6, count), fill, `stroke="${fill}" stroke-width="4"`)

/** The colour behind the eyes. */
const faceColour = ({ pattern, colours: { body, marks, fins } }: FishAppearance) =>
  pattern === 'mask' || pattern === 'koi' ? marks : pattern === 'halves' ? fins : body

const hasOpenEyes = ({ eyes }: FishAppearance) => eyes !== 'happy' && eyes !== 'closed' && eyes !== 'wink'

export function drawFishFromSide(fish: FishAppearance, sketch: Sketch): string {
  const { shape, colours } = fish
  const { body, fins } = colours
  const [eyeX, eyeY] = shape.eye
  const eye = { halfDistance: 0, y: eyeY, r: 19, lid: lighten(body, 0.2), stroke: lineColourOn(faceColour(fish)) }
  const { main, second } = accessoryColours(fish.accent, body)
  const [fin, finReference] = sketch.reusable(
    sketch.shadedShape('M0-14C34-34 70-20 76 6C60 30 24 30 0 14Z', fins, drawFinRays(fins), 4),
  )
  return [
    place({ x: shape.tail, y: 0 }, sketch.shadedShape(fishTails[fish.tail], fins, drawFinRays(fins), 7)),
    place(
      { x: 6, y: shape.top, scale: shape.fins },
      sketch.shadedShape(
        dorsalFins[fish.dorsal],
        fins,
        line('M-20 24L-4-30M10 24L24-34M40 24L46-20', darken(fins, 0.25), 4, opacity(0.5)),
        5,
      ),
    ),
    place({ x: 20, y: shape.bottom - 16, turn: 56, scale: 0.84 * shape.fins }, fin),
    fish.spiny ? drawSpines(26, 106, darken(fins, 0.1)) : '',
    sketch.shadedShape(smoothOutline(shape.outline), body, drawSideMarkings(fish.pattern, colours, sketch), 11),
    drawFishMouth(fish.mouth, ...shape.mouth, lineColourOn(body)),
    circle(eyeX + 16, eyeY + 40, 14, BLUSH, opacity(0.45)),
    hasOpenEyes(fish) ? circle(eyeX, eyeY, 26, EYE_WHITE) : '',
    drawSideEye(fish.eyes, eyeX, eye, sketch),
    place({ x: 10, y: 30, turn: 14 }, finReference),
    place(
      { x: eyeX + 22, y: backHeightAt(shape, eyeX + 22) + 6, scale: 0.62, turn: -24 },
      drawHeadwear(fish.headwear, main, second, 24),
    ),
  ].join('')
}

export function drawFishFromFront(fish: FishAppearance, sketch: Sketch): string {
  const { colours, shape } = fish
  const { body, fins } = colours
  const halfHeight = shape.bottom > 96 ? 122 : shape.bottom > 82 ? 108 : 92
  const face = faceColour(fish)
  const eye = { halfDistance: 50, y: -18, r: 19, lid: lighten(face, 0.2), stroke: lineColourOn(face) }
  const { main, second } = accessoryColours(fish.accent, body)
  const fin = place(
    { x: 92, y: 26, turn: 12 },
    sketch.shadedShape('M0-14C34-44 84-40 92-6C80 34 24 34 0 14Z', fins, drawFinRays(fins), 4),
  )
  return [
    place(
      { x: 64, y: -10, turn: -24, scale: 1.05 },
      sketch.shadedShape(fishTails[fish.tail], darken(fins, 0.12), drawFinRays(fins), 6),
    ),
    place({ x: 0, y: -halfHeight + 8 }, sketch.shadedShape(dorsalFins[fish.dorsal], fins, '', 5)),
    sketch.bothSides(fin),
    fish.spiny ? drawSpines(26, 108, darken(fins, 0.1)) : '',
    sketch.shadedShape(ellipsePath(0, 0, 116, halfHeight), body, drawFrontMarkings(fish.pattern, colours, sketch), 12),
    drawBlush(78, 24, 14, contrast(face, BLUSH) < 90 ? '#d95f6f' : BLUSH),
    hasOpenEyes(fish) ? bothSides(circle(50, -18, 26, EYE_WHITE)) : '',
    drawEyes(fish.eyes, eye, sketch),
    place({ x: -18, y: 30 }, drawFishMouth(fish.mouth, 0, 0, lineColourOn(body))),
    place({ x: 0, y: -halfHeight + 16, scale: 0.84 }, drawHeadwear(fish.headwear, main, second, 40)),
  ].join('')
}

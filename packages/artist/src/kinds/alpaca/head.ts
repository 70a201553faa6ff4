import { drawHeadAccessories, type HeadAccessories } from '../../accessories/headwear.ts'
import { CREAM, darken, INK, INNER_EAR, lineColourOn, mix, mostContrasting, PALE_LIP } from '../../colour.ts'
import {
  bumpyOutline,
  type Cubic,
  ellipsePoints,
  mirrorPoints,
  parseCurve,
  parsePoints,
  ribbon,
  smoothOutline,
} from '../../curves.ts'
import { drawBlush, drawEyes, drawMouth, type EyeStyle, type MouthStyle } from '../../face.ts'
import type { Sketch } from '../../sketch.ts'
import { bothSides, ellipse, line, mirror, path } from '../../svg.ts'
import type { Wool } from './wool.ts'

export const topknotWeights = { round: 2, fringe: 2, tall: 1.5, parted: 1.5, tufts: 1.5 } as const
export const alpacaEarWeights = { up: 3, out: 2, flopped: 1.5 } as const

interface Head {
  topknot: keyof typeof topknotWeights
  ears: keyof typeof alpacaEarWeights
  eyes: EyeStyle
  mouth: MouthStyle
}

const earCurves: Record<Head['ears'], Cubic> = {
  up: parseCurve('40,-50 50,-85 70,-105 60,-140'),
  out: parseCurve('45,-45 70,-60 98,-75 105,-110'),
  flopped: parseCurve('45,-45 80,-70 110,-60 115,-25'),
}

function drawEar(style: Head['ears'], { fill, face }: Wool, sketch: Sketch) {
  const curve = earCurves[style]
  const width = (t: number) => 8 + 26 * t * (1.15 - t) * 1.6
  return sketch.shadedShape(
    ribbon(curve, width, 0, 1, 4),
    fill,
    path(
      ribbon(curve, (t) => width(t) * 0.5, 0.15, 0.86, 4),
      mix(INNER_EAR, face, 0.3),
    ),
    4,
  )
}

function drawTopknot(style: Head['topknot'], { fill, curlLength, curlLine }: Wool, sketch: Sketch) {
  const tuft = (x: number, y: number, rx: number, ry: number) =>
    sketch.shadedShape(bumpyOutline(ellipsePoints(x, y, rx, ry, 14), curlLength * 0.72), fill, '', 7)
  const swirl = line('M-16-80q10-14 20-4M10-60q10-8 18 2', curlLine, 4, 'opacity=".45"')
  switch (style) {
    case 'round':
      return tuft(0, -65, 50, 34) + swirl
    case 'fringe':
      return tuft(0, -55, 60, 32) + tuft(0, -85, 34, 22) + swirl
    case 'tall':
      return tuft(0, -60, 45, 28) + tuft(2, -95, 36, 30) + swirl
    case 'parted':
      return tuft(-28, -60, 36, 30) + tuft(28, -60, 36, 30)
    case 'tufts':
      return tuft(-40, -60, 24, 22) + tuft(40, -60, 24, 22) + tuft(0, -75, 32, 26)
  }
}

export function drawAlpacaHead(look: Head & HeadAccessories, wool: Wool, sketch: Sketch): string {
  const { face } = wool
  const stroke = lineColourOn(face)
  const eye = { halfDistance: 35, y: -8, r: 13.5, lid: darken(face, 0.1), stroke }
  const muzzle = mix(face, CREAM, 0.4)
  // Only one ear flops.
  const ears =
    look.ears === 'flopped'
      ? mirror(drawEar('flopped', wool, sketch)) + drawEar('up', wool, sketch)
      : sketch.bothSides(drawEar(look.ears, wool, sketch))
  const cheeks = sketch.shadedShape(
    bumpyOutline(ellipsePoints(0, -2, 65, 60, 16), wool.curlLength * 0.7),
    wool.fill,
    '',
    8,
  )
  const bare = smoothOutline(mirrorPoints(parsePoints('0,-45 35,-40 55,-10 50,25 40,55 25,70 0,75')))
  return [
    ears,
    cheeks,
    sketch.shadedShape(bare, face, ellipse(0, 45, 36, 28, muzzle), 7),
    drawBlush(40, 22, 11),
    drawMouth(look.mouth, 0, 45, 0.8, mostContrasting([INK, PALE_LIP], muzzle)),
    path('M-10 35Q0 30 10 35Q10 40 0 50Q-10 40-10 35Z', mostContrasting([INK, '#b88'], muzzle)),
    drawEyes(look.eyes, eye, sketch),
    look.eyewear === 'none' ? bothSides(line('M50-14l9-5M50-8l10-1', INK, 3)) : '',
    drawTopknot(look.topknot, wool, sketch),
    drawHeadAccessories(look, eye, {
      topY: look.topknot === 'tall' ? -110 : look.topknot === 'fringe' ? -95 : -85,
      earX: 55,
      scale: 0.74,
      coat: wool.fill,
    }),
  ].join('')
}

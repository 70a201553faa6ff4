import { darker, INK, mix } from '../../colour.ts'
import { blob, type Cubic, mirrorPoints, parsePoints, ribbon, ring, woolly } from '../../curves.ts'
import { type EyeStyle, eyes } from '../../faces/eyes.ts'
import { type Adorned, adornments, blush } from '../../faces/head.ts'
import { type MouthStyle, mouthAt } from '../../faces/mouths.ts'
import { mostContrasting } from '../../palette.ts'
import type { Sketch } from '../../sketch.ts'
import { both, ellipse, flip, line, path } from '../../svg.ts'
import type { Wool } from './fleece.ts'

export const topknots = { round: 2, fringe: 2, tall: 1.5, parted: 1.5, tufts: 1.5 } as const
export const bananaEars = { up: 3, out: 2, flopped: 1.5 } as const

interface Head {
  topknot: keyof typeof topknots
  ears: keyof typeof bananaEars
  eyes: EyeStyle
  mouth: MouthStyle
}

const earCurves: Record<Head['ears'], Cubic> = {
  up: [
    [40, -50],
    [52, -84],
    [70, -104],
    [60, -140],
  ],
  out: [
    [44, -44],
    [72, -62],
    [98, -76],
    [104, -112],
  ],
  flopped: [
    [44, -46],
    [78, -70],
    [112, -62],
    [116, -26],
  ],
}

function ear(which: Head['ears'], { fill, face }: Wool, sketch: Sketch) {
  const curve = earCurves[which]
  const width = (t: number) => 8 + 26 * t * (1.15 - t) * 1.6
  return sketch.solid(
    ribbon(curve, width),
    fill,
    path(
      ribbon(curve, (t) => width(t) * 0.5, 0.15, 0.86),
      mix('#f2a0a0', face, 0.3),
    ),
    4,
  )
}

function topknot(which: Head['topknot'], { fill, curl, mark }: Wool, sketch: Sketch) {
  const bump = curl * 0.72
  const tuft = (x: number, y: number, rx: number, ry: number) =>
    sketch.solid(woolly(ring(x, y, rx, ry, 14), bump), fill, '', 7)
  const swirl = line(
    'M-16-78q10-14 22-4M10-60q10-8 18 2',
    darker(fill === '#fdf7ee' ? mark : fill, 0.25),
    4,
    'opacity=".45"',
  )
  switch (which) {
    case 'round':
      return tuft(0, -66, 50, 34) + swirl
    case 'fringe':
      return tuft(0, -54, 58, 32) + tuft(0, -84, 34, 22) + swirl
    case 'tall':
      return tuft(0, -62, 46, 28) + tuft(2, -96, 36, 30) + swirl
    case 'parted':
      return tuft(-28, -60, 36, 30) + tuft(28, -60, 36, 30)
    case 'tufts':
      return tuft(-40, -58, 24, 22) + tuft(40, -58, 24, 22) + tuft(0, -76, 32, 26)
  }
}

export function alpacaHead(look: Head & Adorned, wool: Wool, sketch: Sketch): string {
  const { face } = wool
  const stroke = mostContrasting(face, [INK, '#fff6e3'])
  const eye = { apart: 35, y: -8, r: 13.5, lid: darker(face, 0.1), stroke }
  const muzzle = mix(face, '#fff6e3', 0.4)
  const floppy = look.ears === 'flopped'
  const right = ear(floppy ? 'up' : look.ears, wool, sketch)
  const left = flip(ear(look.ears, wool, sketch))
  const cheeks = sketch.solid(woolly(ring(0, -2, 66, 62, 16), wool.curl * 0.7), wool.fill, '', 8)
  const bare = blob(mirrorPoints(parsePoints('0,-46 34,-42 54,-10 50,24 42,54 24,70 0,74')))
  return [
    left + right,
    cheeks,
    sketch.solid(bare, face, ellipse(0, 46, 36, 28, muzzle), 7),
    blush(42, 22, 11),
    mouthAt(look.mouth, 0, 46, 0.8, mostContrasting(muzzle, [INK, '#f3dfe6'])),
    path('M-10 36Q0 31 10 36Q10 42 0 48Q-10 42-10 36Z', mostContrasting(muzzle, [INK, '#b98a80'])),
    eyes(look.eyes, eye, sketch),
    both(line('M50-14l9-5M49-8l10-1', stroke, 3)),
    topknot(look.topknot, wool, sketch),
    adornments(look, eye, {
      top: look.topknot === 'tall' ? -112 : look.topknot === 'fringe' ? -96 : -84,
      spread: 56,
      scale: 0.74,
      coat: wool.fill,
    }),
  ].join('')
}

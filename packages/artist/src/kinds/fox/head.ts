import { drawHeadAccessories, type HeadAccessories } from '../../accessories/headwear.ts'
import { type Colour, darken, INK, INNER_EAR, irises, lineColourOn, mix } from '../../colour.ts'
import { mirrorPoints, type Point, parsePoints, smoothOutline } from '../../curves.ts'
import { drawBlush, drawEyes, drawMouth, type EyeStyle, type MouthStyle } from '../../face.ts'
import type { Sketch } from '../../sketch.ts'
import { bothSides, ellipse, path } from '../../svg.ts'

export interface FoxColours {
  base: Colour
  pale: Colour
  socks: Colour
}

export const foxColours = {
  red: { base: '#e74', pale: '#fed', socks: '#534' },
  rust: { base: '#c63', pale: '#fec', socks: '#433' },
  amber: { base: '#ea4', pale: '#fee', socks: '#643' },
  arctic: { base: '#eee', pale: '#fff', socks: '#ccd' },
  silver: { base: '#779', pale: '#eee', socks: '#445' },
  sand: { base: '#ec9', pale: '#fffaf2', socks: '#c96' },
  chocolate: { base: '#864', pale: '#edc', socks: '#433' },
  rose: { base: '#e98', pale: '#fee', socks: '#845' },
} as const

export const foxBuildWeights = { classic: 3, fluffy: 2, slender: 1.5, fennec: 1.5, kit: 2 } as const
export const foxMarkingWeights = { classic: 3, blaze: 1.5, mask: 1.5, cross: 1.2, brows: 1.2 } as const

export interface FoxHead extends HeadAccessories {
  build: keyof typeof foxBuildWeights
  marking: keyof typeof foxMarkingWeights
  eyeColour: 'dark' | 'amber' | 'green'
  eyes: EyeStyle
  mouth: MouthStyle
}

const outlines: Record<FoxHead['build'], readonly Point[]> = {
  classic: parsePoints('0,-72 44,-68 80,-34 104,14 118,44 84,58 40,82 0,96'),
  fluffy: parsePoints('0,-72 46,-68 82,-34 104,4 128,28 110,38 118,58 84,62 40,84 0,96'),
  slender: parsePoints('0,-74 40,-68 70,-34 88,12 98,40 70,56 34,84 0,102'),
  fennec: parsePoints('0,-70 46,-66 80,-34 98,12 104,40 76,58 38,80 0,92'),
  kit: parsePoints('0,-78 50,-72 90,-36 108,12 110,42 82,64 42,82 0,90'),
}

const ears: Record<FoxHead['build'], string> = {
  classic: 'M18-58C34-108 66-150 84-152Q98-150 100-124C102-86 98-44 90-10Z',
  fluffy: 'M18-58C34-104 64-142 82-144Q96-142 99-118C102-84 100-44 92-10Z',
  slender: 'M14-58C28-112 56-158 76-160Q90-156 92-130C94-90 88-44 78-12Z',
  fennec: 'M18-54C34-118 78-176 112-178Q130-174 128-142C124-92 110-40 92-2Z',
  kit: 'M24-62C38-100 64-130 82-132Q97-130 100-108C104-78 104-44 98-14Z',
}

const cheeks = 'M-140 110V14C-110 26-84 14-62 8C-40 4-22 18 0 40C22 18 40 4 62 8C84 14 110 26 140 14V110Z'

function drawFaceMarkings(marking: FoxHead['marking'], { pale, socks, base }: FoxColours): string {
  const lower = path(cheeks, pale)
  switch (marking) {
    case 'classic':
      return lower
    case 'blaze':
      return lower + path('M0-84C12-50 10-10 8 50H-8C-10-10-12-50 0-84Z', pale)
    case 'mask':
      return lower + bothSides(path('M16 34C22 8 44-16 66-8C60 14 40 20 16 34Z', socks))
    case 'cross':
      return path('M-12-100H12C10-60 10-20 18 30H-18C-10-20-10-60-12-100Z', mix(socks, base, 0.25)) + lower
    case 'brows':
      return lower + ellipse(-38, -34, 13, 8, pale, -18) + ellipse(38, -34, 13, 8, pale, 18)
  }
}

const shape = { topY: -68, earX: 58 }

export function createFoxHead(look: FoxHead, colours: FoxColours) {
  const { base, pale, socks } = colours
  const eyeBackgrounds: readonly [Colour, ...Colour[]] = [base, pale, ...(look.marking === 'mask' ? [socks] : [])]
  return {
    eyeBackgrounds,
    drawHead: (sketch: Sketch) => drawFoxHead(look, colours, eyeBackgrounds, sketch),
  }
}

function drawFoxHead(
  look: FoxHead,
  colours: FoxColours,
  eyeBackgrounds: readonly [Colour, ...Colour[]],
  sketch: Sketch,
): string {
  const { base, pale, socks } = colours
  const ear = ears[look.build]
  const inside = `<g transform="translate(24 -22) scale(.62)">${path(ear, mix(pale, INNER_EAR, 0.35))}</g>`
  const tip = path('M30-200H150V-112Q90-100 30-112Z', socks)
  const stroke = lineColourOn(...eyeBackgrounds)
  const iris = look.eyeColour === 'dark' ? undefined : irises[look.eyeColour]
  const eye = {
    halfDistance: 42,
    y: look.build === 'kit' ? 4 : -2,
    r: look.build === 'kit' ? 16.5 : 14.5,
    ...(iris && { iris }),
    lid: darken(look.marking === 'mask' ? socks : base, 0.08),
    stroke,
  }
  const outline = smoothOutline(mirrorPoints(outlines[look.build]), 0.86)
  return [
    sketch.bothSides(sketch.shadedShape(ear, base, tip + inside, 5)),
    sketch.shadedShape(outline, base, drawFaceMarkings(look.marking, colours), 10),
    drawBlush(70, 34, 14),
    drawMouth(look.mouth, 0, 60, 0.76),
    path('M-15 46Q0 38 15 46Q16 56 0 66Q-16 56-15 46Z', INK) + ellipse(-5, 48, 5, 3, '#fff', -12, 'opacity=".5"'),
    drawEyes(look.eyes, eye, sketch),
    drawHeadAccessories(look, eye, { ...shape, coat: base }),
  ].join('')
}

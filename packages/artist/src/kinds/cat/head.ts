import { drawHeadAccessories, type HeadAccessories } from '../../accessories/headwear.ts'
import {
  type Colour,
  CREAM,
  darken,
  frameColourOn,
  INK,
  INNER_EAR,
  type Iris,
  irises,
  lineColourOn,
  mix,
  mostContrasting,
  PALE_LIP,
  WHITE_FUR,
} from '../../colour.ts'
import { mirrorPoints, type Point, parsePoints, smoothOutline } from '../../curves.ts'
import { drawBlush, drawEyes, drawMouth, type EyeStyle, type MouthStyle } from '../../face.ts'
import { drawPatch } from '../../patch.ts'
import type { Sketch } from '../../sketch.ts'
import { bothSides, circle, ellipse, line, opacity, path } from '../../svg.ts'
import type { CatCoat, CatPattern } from './coats.ts'

export const catBreedWeights = { shorthair: 3, longhair: 2, kitten: 2, tufted: 1.5, slender: 1.5, flat: 1.5 } as const
type CatBreed = keyof typeof catBreedWeights

/** With long fur on cheeks, chest and tail. */
export const isFluffy = (breed: CatBreed) => breed === 'longhair' || breed === 'flat' || breed === 'tufted'

const round = parsePoints('0,-80 46,-76 86,-40 103,12 88,56 48,82 0,87')
const slim = parsePoints('0,-78 44,-74 80,-40 90,8 72,54 38,84 0,90')
const broad = parsePoints('0,-76 52,-72 96,-36 108,4 130,28 110,36 122,60 96,60 86,76 48,82 0,86')
const small = parsePoints('0,-82 52,-76 94,-38 106,14 92,58 50,80 0,84')
const tufty = parsePoints('0,-80 46,-76 86,-42 102,0 122,26 104,34 114,56 88,56 82,74 48,82 0,88')

const upright = 'M22-66C36-104 64-138 82-140Q96-140 99-116C102-84 100-44 94-16Z'
const ears: Record<CatBreed, string> = {
  shorthair: upright,
  longhair: upright,
  tufted: upright,
  slender: 'M16-64C34-112 72-150 96-150Q110-148 110-122C110-84 102-40 88-6Z',
  flat: 'M34-62C46-92 68-114 84-114Q97-113 99-94C102-66 104-44 100-16Z',
  kitten: 'M34-64C46-94 64-118 82-120Q97-119 100-98C103-72 102-44 98-16Z',
}
const outlines: Record<CatBreed, readonly Point[]> = {
  shorthair: round,
  longhair: tufty,
  kitten: small,
  tufted: tufty,
  slender: slim,
  flat: broad,
}

export interface CatHead extends HeadAccessories {
  breed: CatBreed
  pattern: CatPattern
  eyes: EyeStyle
  mouth: MouthStyle
  iris: Iris
}

function drawFaceMarkings(
  pattern: CatPattern,
  { base, marks, marks2 = marks, chest }: CatCoat,
  { chance }: Sketch,
): string {
  const muzzle = (fill: Colour) => path(smoothOutline(mirrorPoints(parsePoints('0,10 26,22 44,46 30,76 0,92'))), fill)
  switch (pattern) {
    case 'plain':
      return muzzle(mix(base, CREAM, 0.28))
    case 'smoke':
      return ellipse(0, -84, 70, 44, marks) + muzzle(mix(base, CREAM, 0.3))
    case 'tabby':
      return (
        path('M-8-90L-5-44L0-40L5-44L8-90ZM-34-88L-25-50L-20-48L-18-86ZM34-88L25-50L20-48L18-86Z', marks) +
        bothSides(path('M112 8L74 14L73 19L112 24ZM108 34L72 34L71 39L102 52Z', marks)) +
        muzzle(mix(base, CREAM, 0.5))
      )
    case 'spotted':
      return (
        parsePoints('0,-58 -22,-66 22,-66 -11,-42 11,-42')
          .map(([x, y]) => circle(x, y, 5.5, marks))
          .join('') +
        bothSides(circle(88, 20, 6, marks) + circle(80, 38, 5, marks)) +
        muzzle(mix(base, CREAM, 0.5))
      )
    case 'tuxedo':
      return path('M0-60C10-30 10-10 26 14C50 26 66 50 54 96H-54C-66 50-50 26-26 14C-10-10-10-30 0-60Z', chest!)
    case 'calico': {
      const random = chance.sequence('face patches')
      const side = chance.pick('face side', [-1, 1])
      return drawPatch(side * 62, -40, 56, 62, marks, random) + drawPatch(-side * 74, -62, 44, 40, marks2, random)
    }
    case 'pointed':
      // The mask of a Siamese cat includes the eyes.
      return ellipse(0, 50, 58, 52, marks) + bothSides(ellipse(40, 6, 34, 31, marks, 30))
    case 'mask':
      return path('M-130 100H130V36C98 48 60 46 36 32C18 18 10-30 0-72C-10-30-18 18-36 32C-60 46-98 48-130 36Z', base)
  }
}

const shape = { topY: -76, earX: 62 }

export function createCatHead(look: CatHead, coat: CatCoat) {
  const { pattern } = look
  const eyeBackgrounds: readonly [Colour, ...Colour[]] =
    pattern === 'pointed'
      ? [coat.marks]
      : pattern === 'mask'
        ? // The edge of the white blaze is below the eyes.
          [coat.marks, coat.base]
        : pattern === 'calico'
          ? [coat.base, coat.marks]
          : [coat.base]
  return {
    eyeBackgrounds,
    drawHead: (sketch: Sketch) => drawCatHead(look, coat, eyeBackgrounds, sketch),
  }
}

function drawCatHead(
  look: CatHead,
  coat: CatCoat,
  eyeBackgrounds: readonly [Colour, ...Colour[]],
  sketch: Sketch,
): string {
  const { breed, pattern } = look
  const outline = smoothOutline(mirrorPoints(outlines[breed]), isFluffy(breed) ? 0.8 : 1)
  const ear = ears[breed]
  const inner = `<g transform="translate(26 -22) scale(.62)">${path(ear, mix(INNER_EAR, coat.ears, 0.25))}</g>`
  const tuft =
    breed === 'tufted'
      ? line('M88-136l8-20M84-136l0-16', coat.ears, 6)
      : breed === 'longhair'
        ? line('M52-66l18-26M62-60l16-22', coat.base, 7)
        : ''
  const stroke = lineColourOn(...eyeBackgrounds)
  const muzzleColour =
    pattern === 'pointed'
      ? coat.marks
      : pattern === 'tuxedo' || pattern === 'mask' || pattern === 'calico'
        ? WHITE_FUR
        : mix(coat.base, CREAM, 0.3)
  const eye = {
    halfDistance: 42,
    y: breed === 'flat' || breed === 'kitten' ? 10 : 4,
    r: breed === 'kitten' ? 22 : 18.5,
    iris: irises[look.iris],
    lid: darken(eyeBackgrounds[0], 0.08),
    stroke,
    frame: frameColourOn(...eyeBackgrounds, muzzleColour),
    slit: true,
  }
  const lip = mostContrasting([INK, PALE_LIP], muzzleColour)
  const whiskers = bothSides(line('M58 36L104 28M58 46L106 48', stroke, 2.6, opacity(0.55)))
  return [
    sketch.bothSides(sketch.shadedShape(ear, coat.ears, inner, 5) + tuft),
    // The fill shows as a thin line around markings that reach the outline.
    sketch.shadedShape(
      outline,
      pattern === 'mask' ? coat.marks : coat.base,
      drawFaceMarkings(pattern, coat, sketch),
      10,
    ),
    drawBlush(64, 36, 15),
    whiskers,
    drawMouth(look.mouth, 0, 44, 1, lip),
    path('M-11 32Q0 27 11 32Q12 38 0 46Q-12 38-11 32Z', '#e89'),
    drawEyes(look.eyes, eye, sketch),
    drawHeadAccessories(look, eye, { ...shape, coat: coat.base }),
  ].join('')
}

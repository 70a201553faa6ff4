import { drawHeadAccessories, type HeadAccessories } from '../../accessories/headwear.ts'
import {
  type Colour,
  darken,
  frameColourOn,
  INK,
  INNER_EAR,
  lineColourOn,
  mix,
  mostContrasting,
  PALE_LIP,
} from '../../colour.ts'
import { bumpyOutline, ellipsePoints, mirrorPoints, type Point, parsePoints, smoothOutline } from '../../curves.ts'
import { drawBlush, drawEyes, drawMouth, type EyeStyle, type MouthStyle } from '../../face.ts'
import type { Sketch } from '../../sketch.ts'
import { bothSides, circle, ellipse, line, path } from '../../svg.ts'
import type { DogBreed, DogEars } from './breeds.ts'
import type { DogCoat } from './coats.ts'

const outlines: Record<DogBreed['head'], readonly Point[]> = {
  round: parsePoints('0,-82 46,-76 80,-44 92,0 88,40 58,76 0,90'),
  long: parsePoints('0,-84 42,-76 72,-42 76,0 64,44 50,82 0,98'),
  broad: parsePoints('0,-78 52,-74 92,-40 104,6 96,48 60,80 0,90'),
}

/** Upright ears are behind the head, hanging ears in front of it. */
const ears: Record<DogEars, { behind: boolean; outline: string; inner?: string }> = {
  prick: {
    behind: true,
    outline: 'M20-62C34-110 62-142 78-144Q92-142 95-118C98-84 96-50 88-20Z',
    inner: 'M46-74C54-100 66-118 76-122Q82-116 82-100C83-80 82-64 80-48Z',
  },
  bat: {
    behind: true,
    outline: 'M34-56C32-110 52-146 78-146C104-142 108-90 92-26Z',
    inner: 'M54-70C52-104 64-126 77-126C90-122 92-90 84-52Z',
  },
  drop: { behind: false, outline: 'M44-76C70-92 98-84 108-56C120-20 116 18 98 34C82 40 74 8 70-20C66-44 52-58 44-76Z' },
  long: {
    behind: false,
    outline: 'M44-72C74-88 98-74 106-44C120 8 128 60 106 88C84 100 68 66 68 20C68-20 58-50 44-72Z',
  },
  button: { behind: false, outline: 'M36-78C60-100 92-96 102-78C108-56 98-28 86-22C72-34 52-52 36-78Z' },
  curly: { behind: false, outline: bumpyOutline(ellipsePoints(92, 10, 26, 56, 12), 30) },
}

function drawFaceMarkings(
  { face, pattern }: DogBreed,
  base: Colour,
  marks: Colour,
  pale: Colour,
  side: number,
): string {
  const muzzle = (fill: Colour, rx = 50, ry = 40) => ellipse(0, 50, rx, ry, fill)
  switch (face) {
    case 'plain':
      return (
        parsePoints('-40,-56 52,-30 -62,20 18,-66 70,30 -20,-34')
          .map(([x, y], i) => circle(side * x, y, 7 + (i % 3) * 2, marks))
          .join('') + muzzle(pale)
      )
    case 'blaze':
      return (
        (pattern === 'patches' ? ellipse(side * 52, -16, 46, 58, marks) : '') +
        path('M-9-100H9C12-50 14-20 30 4C60 24 66 60 48 110H-48C-66 60-60 24-30 4C-14-20-12-50-9-100Z', pale)
      )
    case 'mask':
      return (
        path(
          'M-130-120H130V20C100 26 74 12 58-16C44-36 20-34 8-14L0 2L-8-14C-20-34-44-36-58-16C-74 12-100 26-130 20Z',
          marks,
        ) +
        ellipse(-36, -36, 11, 8, pale, -20) +
        ellipse(36, -36, 11, 8, pale, 20)
      )
    case 'cheeks':
      return (
        path('M-120 100V0C-90 14-70 10-44 22C-30 4 30 4 44 22C70 10 90 14 120 0V100Z', pale) +
        ellipse(-34, -36, 12, 8, pale, -18) +
        ellipse(34, -36, 12, 8, pale, 18)
      )
    case 'brows':
      return muzzle(pale, 44, 46) + circle(-32, -36, 9, pale) + circle(32, -36, 9, pale)
    case 'muzzle':
      return muzzle(pale)
    case 'pug':
      return (
        muzzle(marks, 58, 44) +
        ellipse(-40, 0, 28, 26, marks, 0, 'opacity=".5"') +
        ellipse(40, 0, 28, 26, marks, 0, 'opacity=".5"') +
        line('M-22-44Q0-56 22-44M-14-60Q0-68 14-60', mix(base, marks, 0.5), 5)
      )
    case 'beard':
      return (
        path(bumpyOutline(mirrorPoints(parsePoints('0,14 44,24 66,56 44,96 0,108')), 24), pale) +
        bothSides(path('M66-30C56-56 26-60 10-46C16-32 42-32 58-22Z', pale))
      )
  }
}

interface DogHead extends HeadAccessories {
  eyes: EyeStyle
  mouth: MouthStyle
}

const getShape = ({ ears, head }: DogBreed) => ({
  topY: ears === 'curly' ? -92 : -76,
  earX: 58,
  scale: head === 'long' ? 0.94 : 1,
})

export function createDogHead(look: DogHead, breed: DogBreed, coat: DogCoat, iris: Colour | undefined) {
  const [, base, marks, pale] = coat
  const eyeBackgrounds: readonly [Colour, ...Colour[]] =
    breed.face === 'mask'
      ? [marks, base]
      : breed.face === 'pug'
        ? [mix(base, marks, 0.5)]
        : breed.face === 'blaze' || breed.face === 'beard'
          ? [base, pale, ...(breed.pattern === 'patches' ? [marks] : [])]
          : [base]
  return {
    eyeBackgrounds,
    ears: breed.darkEars ? marks : base,
    drawHead: (sketch: Sketch) => drawDogHead(look, breed, coat, eyeBackgrounds, iris, sketch),
  }
}

function drawDogHead(
  look: DogHead,
  breed: DogBreed,
  [, base, marks, pale]: DogCoat,
  eyeBackgrounds: readonly [Colour, ...Colour[]],
  iris: Colour | undefined,
  sketch: Sketch,
): string {
  const { behind, outline: earOutline, inner } = ears[breed.ears]
  const earColour = breed.darkEars ? marks : base
  const ear = sketch.bothSides(
    sketch.shadedShape(earOutline, earColour, inner ? path(inner, mix(INNER_EAR, earColour, 0.3)) : '', 6),
  )
  const side = sketch.chance.pick('face side', [-1, 1])
  const eye = {
    halfDistance: breed.head === 'long' ? 33 : 38,
    y: -4,
    r: 14.5,
    ...(iris && { iris }),
    lid: darken(breed.pattern === 'patches' ? marks : eyeBackgrounds[0], 0.08),
    stroke: lineColourOn(...eyeBackgrounds),
    frame: frameColourOn(...eyeBackgrounds, pale),
  }
  const muzzle = breed.face === 'pug' ? marks : pale
  const nose = mostContrasting([INK, '#855'], muzzle)
  const topknot = breed.ears === 'curly' ? path(bumpyOutline(ellipsePoints(0, -78, 62, 34, 14), 32), base) : ''
  const beardTip =
    breed.face === 'beard' ? path(bumpyOutline(mirrorPoints(parsePoints('0,40 52,52 44,98 0,112')), 24), pale) : ''
  return [
    behind ? ear : '',
    sketch.shadedShape(
      smoothOutline(mirrorPoints(outlines[breed.head])),
      base,
      drawFaceMarkings(breed, base, marks, pale, side),
      10,
    ),
    beardTip,
    behind ? '' : ear,
    topknot,
    drawBlush(breed.head === 'long' ? 52 : 66, 32, 13),
    drawMouth(look.mouth, 0, 42, 1.1, mostContrasting([INK, PALE_LIP], muzzle)),
    path('M-20 24Q0 14 20 24Q22 36 0 46Q-22 36-20 24Z', nose) + ellipse(-6, 26, 6, 3.5, '#fff', -12, 'opacity=".5"'),
    drawEyes(look.eyes, eye, sketch),
    drawHeadAccessories(look, eye, { ...getShape(breed), coat: base }),
  ].join('')
}

import { type Colour, darken, lighten, mix } from '../../colour.ts'
import { bumpyOutline, ellipsePoints, type Point } from '../../curves.ts'
import { drawPatch } from '../../patch.ts'
import type { Area } from '../../quadruped/coat.ts'
import type { Sketch } from '../../sketch.ts'
import { circle, line, opacity, path, place, rect, svg } from '../../svg.ts'

/** Colour of the fleece, and the pale colour of face and legs. */
export const fleeces = {
  white: ['#fffaf2', '#edc'],
  cream: ['#fdb', '#fed'],
  fawn: ['#eb8', '#fdc'],
  caramel: ['#c85', '#eca'],
  brown: ['#964', '#db8'],
  chocolate: ['#754', '#c97'],
  black: ['#445', '#989'],
  grey: ['#aab', '#eee'],
  'rose-grey': ['#caa', '#edc'],
  pink: ['#eab', '#fed'],
  'sky blue': ['#8be', '#eef'],
  lavender: ['#bad', '#eef'],
} as const satisfies Record<string, readonly [Colour, Colour]>
type Fleece = keyof typeof fleeces

/** Length of one curl along the outline, in pixels. */
export const curlLengths = { curly: 26, fluffy: 36, cloud: 50 } as const
type FleeceCut = keyof typeof curlLengths

export const woolPatternWeights = { plain: 3, patched: 1.3, 'two-toned': 1.3, dappled: 1.2 } as const
type WoolPattern = keyof typeof woolPatternWeights

export interface Wool {
  fill: Colour
  marks: Colour
  /** Lines on the topknot. */
  curlLine: Colour
  /** Bare skin: face and legs. */
  face: Colour
  curlLength: number
  pattern: WoolPattern
}

/** The lower half of a two-toned animal; the same for all parts of its body, so that its edge is one line. */
export type Belly = readonly [x: number, y: number, rx: number, ry: number]

export function createWool(fleece: Fleece, cut: FleeceCut, pattern: WoolPattern, face: 'pale' | 'same' | 'dark'): Wool {
  const [fill, pale] = fleeces[fleece]
  const faces = { pale, same: lighten(fill, 0.14), dark: darken(fill, 0.34) }
  const marks = fleece === 'black' || fleece === 'chocolate' ? lighten(fill, 0.45) : darken(fill, 0.24)
  // A curl line in the colour of a white fleece would be invisible.
  const curlLine = darken(fleece === 'white' ? marks : fill, 0.25)
  return { fill, marks, curlLine, face: faces[face], curlLength: curlLengths[cut], pattern }
}

function drawCurls(count: number, at: () => Point, { fill }: Wool) {
  const strokes = Array.from({ length: count }, () => {
    const [x, y] = at()
    return svg`M${x} ${y}q9 11 19 0`
  })
  return line(strokes.join(''), darken(fill, 0.3), 4, opacity(0.5))
}

function drawWoolMarkings(wool: Wool, [x, y, width, height]: Area, belly: Belly, { chance }: Sketch) {
  const random = chance.sequence(`wool ${x}`)
  const at = (): Point => [x + width * (0.1 + 0.7 * random()), y + height * (0.15 + 0.7 * random())]
  const texture = drawCurls(Math.round((width * height) / 6000), at, wool)
  switch (wool.pattern) {
    case 'plain':
      return texture
    // Curls on a patch would look like a face.
    case 'patched':
      return (
        drawPatch(x + width * 0.75, y + height * 0.3, width * 0.3, height * 0.3, wool.marks, random) +
        drawPatch(x + width * 0.2, y + height * 0.8, width * 0.3, height * 0.22, wool.marks, random)
      )
    case 'dappled':
      return Array.from({ length: 8 }, () => circle(...at(), 8 + random() * 9, wool.marks)).join('')
    case 'two-toned':
      return path(bumpyOutline(ellipsePoints(...belly, 16), wool.curlLength), mix(wool.fill, wool.marks, 0.6)) + texture
  }
}

/** A woolly part of the body with markings in the given area. */
export const drawWoolPart = (
  corners: readonly Point[],
  wool: Wool,
  area: Area,
  belly: Belly,
  sketch: Sketch,
  shade = '',
) =>
  sketch.shadedShape(
    bumpyOutline(corners, wool.curlLength),
    wool.fill,
    drawWoolMarkings(wool, area, belly, sketch) + shade,
  )

/** A leg, its foot on the ground or at `bottom`. */
export function drawAlpacaLeg(
  x: number,
  top: number,
  width: number,
  { face, fill, curlLength }: Wool,
  far = false,
  bottom = far ? 440 : 445,
) {
  const bare = rect(x - width / 2, top, width, bottom - top, far ? darken(face, 0.2) : face, 10)
  const toes = rect(x - width / 2 - 2, bottom - 13, width + 4, 13, darken(face, 0.45), 6)
  const cuff = path(
    bumpyOutline(ellipsePoints(x, top + 8, width * 0.68, 26, 10), curlLength * 0.62),
    far ? darken(fill, 0.16) : fill,
  )
  return bare + toes + cuff
}

/** A leg that swings from the hip at x,y; `turn` in degrees, forwards if positive. */
export const drawSwingingLeg = (x: number, y: number, turn: number, length: number, wool: Wool, far = false) =>
  place({ x, y, turn }, drawAlpacaLeg(0, 0, 32, wool, far, length))

import { darken } from '../../../colour.ts'
import { parseCurve, parsePoints, ribbon, smoothOutline } from '../../../curves.ts'
import { type Figure, GROUND_Y } from '../../../figure.ts'
import { circle, ellipse, line, opacity, type Placement, path, place } from '../../../svg.ts'
import {
  drawClaws,
  drawFeatherEye,
  drawFoldedWing,
  drawFoot,
  drawSideTail,
  drawSideWing,
  drawTuckedFeet,
} from '../parts.ts'
import type { Build } from '../species/species.ts'
import { type Bird, drawBelly } from './figure.ts'

interface SideBuild {
  body: string
  head: Placement
  neckwear: Placement
  wing: Placement
  tail?: Placement
  /** A neck and its half-widths. */
  neck?: readonly [curve: string, from: number, to: number]
  belly: readonly [x: number, y: number, rx: number, ry: number]
  legs: readonly [number, number]
  legTop: number
}

const sideBuilds: Record<Build, SideBuild> = {
  songbird: {
    body: '146,318 152,262 196,230 262,240 332,274 396,318 358,364 292,398 222,402 168,374',
    head: { x: 196, y: 214, scale: 0.98 },
    neckwear: { x: 200, y: 284, scale: 0.8, turn: 6 },
    wing: { x: 262, y: 298, scale: 0.88 },
    tail: { x: 378, y: 318, turn: -12 },
    belly: [206, 356, 76, 58],
    legs: [232, 284],
    legTop: 388,
  },
  ball: {
    body: '150,340 164,282 226,250 300,262 358,306 366,360 322,402 250,412 180,394',
    head: { x: 214, y: 226, scale: 1.06 },
    neckwear: { x: 216, y: 302, scale: 0.84, turn: 4 },
    wing: { x: 286, y: 326, scale: 0.6, turn: -4 },
    belly: [200, 370, 60, 40],
    legs: [236, 288],
    legTop: 396,
  },
  upright: {
    body: '176,330 190,256 250,224 312,256 344,330 352,398 318,434 250,440 194,414',
    head: { x: 240, y: 200, scale: 1 },
    neckwear: { x: 238, y: 272, scale: 0.84, turn: 4 },
    wing: { x: 276, y: 300, scale: 0.8, turn: 46 },
    tail: { x: 332, y: 414, scale: 0.6, turn: 0 },
    belly: [210, 356, 62, 82],
    legs: [226, 288],
    legTop: 424,
  },
  parrot: {
    body: '178,312 188,244 242,222 300,250 346,318 364,384 326,410 262,408 204,376',
    head: { x: 228, y: 198, scale: 0.96 },
    neckwear: { x: 232, y: 268, scale: 0.8, turn: 6 },
    wing: { x: 272, y: 290, scale: 0.86, turn: 34 },
    tail: { x: 340, y: 378, scale: 0.84, turn: -10 },
    belly: [214, 350, 52, 60],
    legs: [250, 298],
    legTop: 396,
  },
  hen: {
    body: '138,304 158,244 216,240 290,284 350,268 408,236 424,292 398,356 330,400 240,408 168,378',
    head: { x: 184, y: 200, scale: 0.82 },
    neckwear: { x: 188, y: 262, scale: 0.72, turn: 6 },
    wing: { x: 262, y: 316, scale: 0.84, turn: -6 },
    tail: { x: 372, y: 268, scale: 0.8 },
    belly: [196, 350, 54, 48],
    legs: [238, 290],
    legTop: 396,
  },
  duck: {
    body: '130,340 156,296 232,300 310,304 372,294 426,262 432,316 394,376 316,408 222,408 154,386',
    head: { x: 186, y: 206, scale: 0.82 },
    neckwear: { x: 186, y: 284, scale: 0.58 },
    neck: ['192,360 176,310 188,260 188,214', 50, 38],
    wing: { x: 260, y: 338, scale: 0.92, turn: -10 },
    belly: [200, 380, 66, 34],
    legs: [244, 300],
    legTop: 396,
  },
  swan: {
    body: '128,356 156,312 232,308 300,292 372,274 438,238 444,312 404,380 320,410 222,410 150,394',
    head: { x: 172, y: 134, scale: 0.58 },
    neckwear: { x: 158, y: 292, scale: 0.46, turn: -18 },
    neck: ['184,380 96,300 240,240 180,146', 34, 23],
    wing: { x: 268, y: 330, scale: 1.04, turn: -18 },
    belly: [0, 0, 0, 0],
    legs: [246, 304],
    legTop: 398,
  },
  flamingo: {
    body: '178,266 212,230 284,218 350,240 404,282 348,318 270,328 204,310',
    head: { x: 178, y: 116, scale: 0.56 },
    neckwear: { x: 172, y: 234, scale: 0.36, turn: -20 },
    neck: ['210,286 100,256 256,196 184,124', 22, 17],
    wing: { x: 272, y: 264, scale: 0.84, turn: -6 },
    tail: { x: 380, y: 284, scale: 0.7, turn: 4 },
    belly: [0, 0, 0, 0],
    legs: [262, 300],
    legTop: 310,
  },
  peacock: {
    body: '150,316 164,258 210,236 270,258 336,296 380,330 330,366 262,388 196,380 160,352',
    head: { x: 190, y: 150, scale: 0.64 },
    neckwear: { x: 190, y: 250, scale: 0.6 },
    neck: ['206,310 172,260 198,210 192,156', 48, 32],
    wing: { x: 256, y: 312, scale: 0.72, turn: -2 },
    belly: [0, 0, 0, 0],
    legs: [236, 284],
    legTop: 376,
  },
  kiwi: {
    body: '132,330 160,266 240,228 330,242 384,300 386,362 332,400 250,406 176,384',
    head: { x: 166, y: 256, scale: 0.66 },
    neckwear: { x: 182, y: 306, scale: 0.62, turn: 14 },
    wing: { x: 290, y: 320, scale: 0.4 },
    belly: [0, 0, 0, 0],
    legs: [246, 300],
    legTop: 392,
  },
}

/** The folded train of a peacock. */
const drawTrain = ({ plumage, sketch }: Bird) =>
  sketch.shadedShape(
    smoothOutline(parsePoints('286,290 360,290 440,340 494,412 476,440 410,438 330,404 284,350')),
    plumage.mark,
    line('M300 320L470 420M300 340L410 430M320 310L486 396', darken(plumage.mark, 0.2), 4, opacity(0.6)),
    9,
  ) +
  parsePoints('452,414 404,408 412,366 362,380 366,338')
    .map(([x, y]) => place({ x, y, scale: 0.72 }, drawFeatherEye(0, 0, 118, plumage)))
    .join('')

/** Bent in the middle; the foot is at `x` on the ground. */
const drawLongLegs = ({ plumage: { legs } }: Bird, lifted: boolean) =>
  drawFoot(264, 310, GROUND_Y, legs, true) +
  circle(264, 382, 7, legs) +
  (lifted
    ? line('M304 310L340 366L286 388', legs, 8) + path('M290 380L262 402Q274 410 290 398Z', legs)
    : drawFoot(316, 310, GROUND_Y - 4, darken(legs, 0.14), true) + circle(316, 378, 7, darken(legs, 0.14)))

/** A bird that faces left. `feet`: on the ground, around a perch at the same height, or none. */
export function drawSideFigure(bird: Bird, feet: 'ground' | 'perch' | 'lifted' | 'none' | 'tucked', tilt = 6): Figure {
  const { shape, plumage, sketch } = bird
  const build = sideBuilds[shape.build]
  const { body, head, neckwear, wing, tail, neck, belly, legs, legTop } = build
  const drawLegs = () => {
    if (feet === 'none') return ''
    if (feet === 'tucked') return drawTuckedFeet(legs[0], legTop + 4, plumage.legs)
    if (shape.build === 'flamingo') return drawLongLegs(bird, feet === 'lifted')
    if (feet === 'perch')
      return (
        legs.map((x) => line(`M${x} ${legTop}V${GROUND_Y - 4}`, plumage.legs, 9)).join('') +
        legs.map((x) => drawClaws(x, GROUND_Y, plumage.legs)).join('')
      )
    return legs
      .map((x, i) => drawFoot(x, legTop, GROUND_Y - i * 3, i ? darken(plumage.legs, 0.12) : plumage.legs, shape.webbed))
      .join('')
  }
  const markings =
    belly[2] > 0
      ? drawBelly(bird, ...belly)
      : shape.build === 'kiwi'
        ? line(
            'M210 290q10 16 4 30M260 270q12 16 6 32M310 290q12 16 4 32M240 340q12 14 6 30M290 350q10 14 4 28M340 340q8 12 2 28M196 350q8 10 4 24',
            plumage.wing,
            5,
          )
        : ''
  const neckShape = neck
    ? sketch.shadedShape(
        ribbon(parseCurve(neck[0]), (t) => neck[1] + (neck[2] - neck[1]) * t),
        shape.face === 'hood' ? plumage.main : plumage.main,
        shape.face === 'hood' ? ellipse(190, 214, 60, 56, plumage.mark) : '',
        6,
      ) +
      (shape.face === 'hood' && plumage.mark !== plumage.main ? line('M146 268Q186 284 228 266', '#fffaf2', 10) : '')
    : ''
  const wingShape = shape.flippers
    ? place({ x: 286, y: 276, turn: -14 }, drawFoldedWing(118, plumage.wing, sketch))
    : shape.build === 'kiwi'
      ? ''
      : place(wing, drawSideWing(plumage, shape, sketch))
  const curl =
    shape.build === 'duck' ? line('M414 268Q436 236 416 230Q400 232 408 246', darken(plumage.main, 0.2), 8) : ''
  return {
    body: [
      drawLegs(),
      shape.build === 'peacock' ? drawTrain(bird) : '',
      tail ? place(tail, drawSideTail(shape.tail, plumage, sketch)) : '',
      curl,
      sketch.shadedShape(smoothOutline(parsePoints(body)), plumage.main, markings),
      neckShape,
      wingShape,
    ].join(''),
    head: { ...head, turn: sketch.chance.between('tilt', -tilt, tilt) },
    neck: neckwear,
  }
}

import { darken } from '../../../colour.ts'
import { parseCurve, parsePoints, ribbon, smoothOutline } from '../../../curves.ts'
import { type Figure, GROUND_Y } from '../../../figure.ts'
import { circle, ellipse, line, type Placement, path, place } from '../../../svg.ts'
import { drawClaws, drawFoldedWing, drawFoot, drawSideTail, drawSideWing } from '../parts.ts'
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
    body: '145,320 150,260 196,230 260,240 330,275 395,320 360,365 290,400 220,400 170,375',
    head: { x: 196, y: 215, scale: 0.98 },
    neckwear: { x: 200, y: 285, scale: 0.8, turn: 6 },
    wing: { x: 260, y: 300, scale: 0.88 },
    tail: { x: 380, y: 320, turn: -12 },
    belly: [205, 355, 75, 60],
    legs: [230, 285],
    legTop: 390,
  },
  ball: {
    body: '150,340 165,280 225,250 300,260 360,305 365,360 320,400 250,410 180,395',
    head: { x: 215, y: 225, scale: 1.06 },
    neckwear: { x: 215, y: 300, scale: 0.84, turn: 4 },
    wing: { x: 285, y: 325, scale: 0.6, turn: -4 },
    belly: [200, 370, 60, 40],
    legs: [235, 290],
    legTop: 395,
  },
  upright: {
    body: '175,330 190,256 250,225 310,256 345,330 350,400 320,435 250,440 195,415',
    head: { x: 240, y: 200, scale: 1 },
    neckwear: { x: 240, y: 270, scale: 0.84, turn: 4 },
    wing: { x: 275, y: 300, scale: 0.8, turn: 45 },
    tail: { x: 330, y: 415, scale: 0.6, turn: 0 },
    belly: [210, 355, 60, 80],
    legs: [225, 290],
    legTop: 425,
  },
  parrot: {
    body: '180,310 190,245 240,220 300,250 345,320 365,385 325,410 260,410 205,375',
    head: { x: 230, y: 200, scale: 0.96 },
    neckwear: { x: 230, y: 270, scale: 0.8, turn: 6 },
    wing: { x: 270, y: 290, scale: 0.86, turn: 34 },
    tail: { x: 340, y: 380, scale: 0.84, turn: -10 },
    belly: [215, 350, 50, 60],
    legs: [250, 300],
    legTop: 395,
  },
  hen: {
    body: '140,305 160,245 215,240 290,285 350,270 410,235 425,290 400,355 330,400 240,410 170,380',
    head: { x: 185, y: 200, scale: 0.82 },
    neckwear: { x: 190, y: 260, scale: 0.72, turn: 6 },
    wing: { x: 260, y: 315, scale: 0.84, turn: -6 },
    tail: { x: 370, y: 270, scale: 0.8 },
    belly: [196, 350, 55, 50],
    legs: [240, 290],
    legTop: 395,
  },
  duck: {
    body: '130,340 155,295 230,300 310,305 370,295 425,260 430,315 395,375 315,410 220,410 155,385',
    head: { x: 185, y: 205, scale: 0.82 },
    neckwear: { x: 185, y: 285, scale: 0.58 },
    neck: ['190,360 175,310 190,260 190,215', 50, 38],
    wing: { x: 260, y: 340, scale: 0.92, turn: -10 },
    belly: [200, 380, 65, 34],
    legs: [245, 300],
    legTop: 395,
  },
  swan: {
    body: '130,355 155,310 230,310 300,290 370,275 440,240 445,310 405,380 320,410 220,410 150,395',
    head: { x: 170, y: 135, scale: 0.58 },
    neckwear: { x: 160, y: 290, scale: 0.46, turn: -18 },
    neck: ['185,380 95,300 240,240 180,145', 34, 23],
    wing: { x: 270, y: 330, scale: 1.04, turn: -18 },
    belly: [0, 0, 0, 0],
    legs: [245, 305],
    legTop: 400,
  },
  flamingo: {
    body: '180,265 210,230 285,220 350,240 405,280 350,320 270,330 205,310',
    head: { x: 180, y: 115, scale: 0.56 },
    neckwear: { x: 170, y: 235, scale: 0.36, turn: -20 },
    neck: ['210,285 100,256 256,196 185,125', 22, 17],
    wing: { x: 270, y: 265, scale: 0.84, turn: -6 },
    tail: { x: 380, y: 285, scale: 0.7, turn: 4 },
    belly: [0, 0, 0, 0],
    legs: [260, 300],
    legTop: 310,
  },
}

/** Bent in the middle; the foot is at `x` on the ground. */
const drawLongLegs = ({ plumage: { legs } }: Bird, lifted: boolean) =>
  drawFoot(265, 310, GROUND_Y, legs, true) +
  circle(265, 380, 7, legs) +
  (lifted
    ? line('M305 310L340 365L285 390', legs, 8) + path('M290 380L260 400Q275 410 290 400Z', legs)
    : drawFoot(315, 310, GROUND_Y - 4, darken(legs, 0.14), true) + circle(315, 380, 7, darken(legs, 0.14)))

/** A bird that faces left. `feet`: on the ground, around a perch at the same height, or none. */
export function drawSideFigure(bird: Bird, feet: 'ground' | 'perch' | 'lifted' | 'none', tilt = 6): Figure {
  const { shape, plumage, sketch } = bird
  const build = sideBuilds[shape.build]
  const { body, head, neckwear, wing, tail, neck, belly, legs, legTop } = build
  const drawLegs = () => {
    if (feet === 'none') return ''
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
  const markings = belly[2] > 0 ? drawBelly(bird, ...belly) : ''
  const neckShape = neck
    ? sketch.shadedShape(
        ribbon(parseCurve(neck[0]), (t) => neck[1] + (neck[2] - neck[1]) * t),
        plumage.main,
        shape.face === 'hood' ? ellipse(190, 215, 60, 55, plumage.mark) : '',
        6,
      ) +
      (shape.face === 'hood' && plumage.mark !== plumage.main ? line('M145 270Q185 285 230 265', '#fffaf2', 10) : '')
    : ''
  const wingShape = shape.flippers
    ? place({ x: 285, y: 275, turn: -14 }, drawFoldedWing(120, plumage.wing, sketch))
    : place(wing, drawSideWing(plumage, shape, sketch))
  const curl =
    shape.build === 'duck' ? line('M415 270Q435 235 415 230Q400 230 410 245', darken(plumage.main, 0.2), 8) : ''
  return {
    body: [
      drawLegs(),
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

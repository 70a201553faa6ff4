import { darken } from '../../colour.ts'
import { mirrorPoints, parseCurve, parsePoints, ribbon, smoothOutline } from '../../curves.ts'
import type { PosedBody } from '../../land-animal.ts'
import type { Sketch } from '../../sketch.ts'
import { bothSides, ellipse, line, opacity, path, place } from '../../svg.ts'
import { HEAD_RADIUS } from './head.ts'
import { breastColour, drawFoldedWing, drawFoot, drawSideTail, drawSpeckles, type Plumage } from './parts.ts'
import type { Species } from './species.ts'

function drawBelly(bird: Species, plumage: Plumage, x: number, y: number, rx: number, ry: number) {
  if (bird.belly === 'none' && bird.face !== 'bib') return ''
  const spots = bird.belly === 'speckled' ? drawSpeckles(x, y - ry * 0.4, rx * 1.3, 3, plumage.wing) : ''
  const breast = bird.face === 'breast' ? ellipse(x - 4, y - ry * 0.8, rx * 1.2, ry * 0.9, breastColour(plumage)) : ''
  return ellipse(x, y, rx, ry, plumage.front) + spots + breast
}

/** A body seen from the front, down to `bottom`; the head goes on its top. */
function drawUprightBody(bird: Species, plumage: Plumage, sketch: Sketch, bottom: number) {
  const height = 184 * bird.height
  const top = bottom - height
  const widen = (x: number) => 256 + x * bird.width
  const at = (share: number) => top + height * share
  const outline = smoothOutline(
    mirrorPoints(
      [
        [256, top],
        [widen(60), at(0.12)],
        [widen(98), at(0.46)],
        [widen(92), at(0.78)],
        [widen(52), at(0.97)],
        [256, at(1)],
      ],
      256,
    ),
  )
  const long = path(
    ribbon(
      [
        [286, bottom - 70],
        [310, bottom - 30],
        [324, bottom],
        [332, bottom + 26],
      ],
      () => 22,
    ),
    plumage.wing,
  )
  const fan = place(
    { x: 256, y: bottom - 40 },
    bothSides(path('M20-40C60-120 130-130 140-90C120-40 70-20 20-10Z', plumage.wing)),
  )
  const tailFeathers = bird.tail === 'long' ? long : bird.tail === 'fan' ? fan : ''
  const wing = drawFoldedWing(height * 0.62, plumage.wing, sketch)
  return {
    top,
    svg: [
      tailFeathers,
      sketch.shadedShape(outline, plumage.main, drawBelly(bird, plumage, 256, at(0.66), 62 * bird.width, height * 0.4)),
      place({ x: 256, y: 0 }, sketch.bothSides(place({ x: 88 * bird.width, y: at(0.24), turn: -8 }, wing))),
    ].join(''),
  }
}

type BirdPose = (bird: Species, plumage: Plumage, sketch: Sketch) => PosedBody

const standing: BirdPose = (bird, plumage, sketch) => {
  const legs = 46 * bird.legLength
  const bottom = 440 - legs
  const { svg, top } = drawUprightBody(bird, plumage, sketch, bottom)
  const scale = 1.12 * bird.headSize
  return {
    body:
      drawFoot(226, bottom - 16, 444, darken(plumage.bright, 0.1)) +
      drawFoot(286, bottom - 16, 444, darken(plumage.bright, 0.1)) +
      svg,
    head: { x: 256, y: top - HEAD_RADIUS * scale * 0.34, scale, turn: sketch.chance.between('tilt', -8, 8) },
    neck: { x: 256, y: top + HEAD_RADIUS * scale * 0.5, scale: 0.92 },
    shadow: { x: 260, rx: 100 * bird.width },
  }
}

const perched: BirdPose = (bird, plumage, sketch) => {
  const bottom = 394
  const { svg, top } = drawUprightBody(bird, plumage, sketch, bottom)
  const scale = 1.1 * bird.headSize
  const claws = [228, 284]
    .map((x) => line(`M${x - 14} 396v12M${x} 398v14M${x + 14} 396v12`, darken(plumage.bright, 0.1), 9))
    .join('')
  const leaf = (x: number, y: number, turn: number) => ellipse(x, y, 26, 12, '#6db56f', turn)
  return {
    body: [
      sketch.shadedShape(
        ribbon(parseCurve('-30,372 140,392 340,372 548,396'), (t) => 19 - 5 * t),
        '#8a6248',
        line('M60 410q40 6 70 4M330 406q40-4 70 0', '#6d4a38', 4),
        7,
      ),
      leaf(88, 382, -30) + leaf(118, 428, 30) + leaf(420, 384, -24) + leaf(452, 424, 24),
      svg,
      claws,
    ].join(''),
    head: { x: 256, y: top - HEAD_RADIUS * scale * 0.34, scale, turn: sketch.chance.between('tilt', -10, 10) },
    neck: { x: 256, y: top + HEAD_RADIUS * scale * 0.5, scale: 0.92 },
  }
}

const sideways: BirdPose = (bird, plumage, sketch) => {
  const tall = bird.height
  const drop = 30 * (1 - bird.legLength)
  const y = (value: number) => 400 - (400 - value) * tall + drop
  const outline = smoothOutline([
    [148, y(300)],
    [196, y(226)],
    [270, y(238)],
    [348, y(272)],
    [400, y(316)],
    [352, y(372)],
    [270, y(402)],
    [188, y(384)],
  ])
  const wing = sketch.shadedShape(
    smoothOutline([
      [208, y(286)],
      [262, y(262)],
      [330, y(286)],
      [392, y(338)],
      [318, y(356)],
      [240, y(346)],
    ]),
    plumage.wing,
    line(`M262 ${y(340)}q30 8 70-4M250 ${y(318)}q40 14 90 4`, darken(plumage.wing, 0.3), 5, opacity(0.6)),
    7,
  )
  const legColour = darken(plumage.bright, 0.1)
  const scale = 0.98 * bird.headSize
  return {
    body: [
      drawFoot(232, y(384), 444, legColour) + drawFoot(284, y(384), 444, legColour),
      place({ x: 372, y: y(318), scale: 0.86 }, drawSideTail(bird.tail, plumage, sketch)),
      sketch.shadedShape(outline, plumage.main, drawBelly(bird, plumage, 210, y(356), 84, 60), 12),
      wing,
    ].join(''),
    head: { x: 194, y: y(226) - 12, scale, turn: sketch.chance.between('tilt', -6, 8) },
    neck: { x: 196, y: y(226) + 58 * scale, scale: 0.72, turn: 10 },
    shadow: { x: 262, rx: 120 },
  }
}

const flying: BirdPose = (bird, plumage, sketch) => {
  const outline = smoothOutline(parsePoints('126,300 190,240 270,246 350,282 404,322 340,352 250,366 160,350'))
  const feathers = line('M300 130l-20 90M340 140l-36 90M264 140l-6 80', darken(plumage.wing, 0.25), 6, opacity(0.5))
  const near = sketch.shadedShape(
    smoothOutline(parsePoints('214,290 222,200 270,110 352,74 372,130 348,220 300,296')),
    plumage.wing,
    feathers,
    9,
  )
  const far = path(
    smoothOutline(parsePoints('220,270 190,190 214,110 262,66 296,110 290,210 270,270')),
    darken(plumage.wing, 0.25),
  )
  const scale = 0.88 * bird.headSize
  return {
    body: [
      far,
      place(
        { x: 378, y: 318, turn: -6, scale: 0.8 },
        drawSideTail(bird.tail === 'none' ? 'short' : bird.tail, plumage, sketch),
      ),
      sketch.shadedShape(outline, plumage.main, drawBelly(bird, plumage, 220, 350, 110, 50)),
      near,
    ].join(''),
    head: { x: 176, y: 254, scale, turn: sketch.chance.between('tilt', -8, 6) },
    neck: { x: 188, y: 256 + 56 * scale, scale: 0.64, turn: 16 },
  }
}

const nesting: BirdPose = (bird, plumage, sketch) => {
  const { svg, top } = drawUprightBody(bird, plumage, sketch, 424)
  const scale = 1.14 * bird.headSize
  const twigs =
    'M104 400q60 24 120 20M140 440q80 16 160 4M230 416q90 12 176-12M280 448q60 2 116-20M120 424q40 18 76 16M300 430q50 4 90-10'
  const ends = 'M96 396l-26-14M112 392l-20-24M416 396l26-14M402 392l22-22M92 414l-28 0M420 414l28 2'
  const egg = (x: number, turn: number, fill: string) =>
    ellipse(x, 384, 25, 33, fill, turn) + ellipse(x - 6, 372, 4, 5, '#ffffff', turn, opacity(0.7))
  return {
    body: svg,
    front: [
      egg(140, -18, '#bfe0e6') + egg(372, 18, '#f3d9bd'),
      line(ends, '#8f6540', 8),
      sketch.shadedShape(
        smoothOutline(parsePoints('80,388 150,402 256,406 362,402 432,388 420,430 352,468 256,474 160,468 92,430')),
        '#b98a5c',
        line(twigs, '#8f6540', 6),
        10,
      ),
    ].join(''),
    head: { x: 256, y: top - HEAD_RADIUS * scale * 0.3, scale, turn: sketch.chance.between('tilt', -9, 9) },
    neck: { x: 256, y: top + HEAD_RADIUS * scale * 0.54, scale: 0.92 },
    shadow: { x: 260, rx: 170 },
  }
}

export const birdPoses = { standing, perched, sideways, flying, nesting }

/** Poses that show one side of the head. */
export const profilePoses: ReadonlySet<keyof typeof birdPoses> = new Set(['sideways', 'flying'])

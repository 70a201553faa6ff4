import { type Colour, CREAM, contrast, darken } from '../../colour.ts'
import { ellipsePoints, parsePoints } from '../../curves.ts'
import { type Figure, moveFigure } from '../../figure.ts'
import type { PosedBody } from '../../land-animal.ts'
import type { Sketch } from '../../sketch.ts'
import { ellipse, line, opacity, place } from '../../svg.ts'
import { type Blanket, drawBlanket } from './blanket.ts'
import { drawAlpacaHead } from './head.ts'
import { createWool, drawAlpacaLeg, drawSwingingLeg, drawWoolPart, type Wool } from './wool.ts'

interface Build {
  wool: Wool
  blanket: Blanket
  main: Colour
  second: Colour
}

type AlpacaPose = (build: Build, sketch: Sketch) => PosedBody

const portrait: AlpacaPose = ({ wool }, sketch) => ({
  body:
    drawWoolPart(parsePoints('96,540 104,470 160,430 352,430 408,470 416,540'), wool, [110, 440, 300, 72], sketch) +
    drawWoolPart(parsePoints('190,490 194,350 200,220 312,220 318,350 322,490'), wool, [196, 240, 120, 220], sketch),
  head: { x: 256, y: 210, scale: 1.12, turn: sketch.chance.between('tilt', -6, 6) },
  neck: { x: 256, y: 362, scale: 1.04 },
})

const side: AlpacaPose = ({ wool, blanket, main, second }, sketch) => ({
  body: [
    drawAlpacaLeg(226, 370, 30, wool, true),
    drawAlpacaLeg(350, 370, 30, wool, true),
    drawAlpacaLeg(196, 376, 32, wool),
    drawAlpacaLeg(382, 376, 32, wool),
    drawWoolPart(ellipsePoints(414, 292, 26, 26, 8), wool, [390, 270, 30, 30], sketch),
    drawWoolPart(
      parsePoints('160,300 190,262 290,250 390,262 424,306 414,366 350,396 220,396 166,366'),
      wool,
      [190, 270, 210, 110],
      sketch,
    ),
    drawBlanket(blanket, 310, 270, main, second, sketch),
    drawWoolPart(parsePoints('118,206 196,206 214,280 226,350 160,366 136,310'), wool, [136, 210, 66, 120], sketch),
  ].join(''),
  head: { x: 156, y: 180, scale: 0.95, turn: sketch.chance.between('tilt', -8, 5) },
  neck: { x: 174, y: 288, scale: 0.7, turn: 6 },
  shadow: { x: 286, rx: 150 },
})

const front: AlpacaPose = ({ wool }, sketch) => ({
  body: [
    drawAlpacaLeg(196, 380, 34, wool, true),
    drawAlpacaLeg(316, 380, 34, wool, true),
    drawAlpacaLeg(224, 384, 36, wool),
    drawAlpacaLeg(288, 384, 36, wool),
    drawWoolPart(ellipsePoints(256, 354, 102, 70, 14), wool, [170, 290, 172, 120], sketch),
    drawWoolPart(
      parsePoints('218,180 294,180 300,260 308,350 256,372 204,350 212,260'),
      wool,
      [208, 190, 96, 140],
      sketch,
    ),
  ].join(''),
  head: { x: 256, y: 168, scale: 0.88, turn: sketch.chance.between('tilt', -8, 8) },
  neck: { x: 256, y: 284, scale: 0.76 },
  shadow: { x: 260, rx: 120 },
})

const resting: AlpacaPose = ({ wool, blanket, main, second }, sketch) => {
  const leg = (x: number) => ellipse(x, 440, 40, 13, wool.face) + ellipse(x - 26, 441, 18, 12, darken(wool.face, 0.4))
  return {
    body: [
      drawWoolPart(ellipsePoints(420, 372, 28, 28, 8), wool, [396, 350, 30, 30], sketch),
      drawWoolPart(
        parsePoints('120,400 160,346 280,318 392,340 436,396 424,446 140,450'),
        wool,
        [190, 340, 220, 100],
        sketch,
      ),
      drawBlanket(blanket, 322, 340, main, second, sketch),
      drawWoolPart(parsePoints('124,244 208,244 222,330 232,420 150,436 130,360'), wool, [140, 260, 70, 130], sketch),
      leg(176) + leg(268),
    ].join(''),
    head: { x: 166, y: 212, scale: 1.04, turn: sketch.chance.between('tilt', -8, 5) },
    neck: { x: 180, y: 342, scale: 0.74, turn: 4 },
    shadow: { x: 280, rx: 176 },
  }
}

const TRUNK = parsePoints('160,300 190,262 290,250 390,262 424,306 414,366 350,396 220,396 166,366')

/** The trunk of an alpaca seen from the side, with its tail and its blanket, but without neck and legs. */
const drawTrunk = ({ wool, blanket, main, second }: Build, sketch: Sketch) =>
  drawWoolPart(ellipsePoints(414, 284, 26, 26, 8), wool, [390, 262, 30, 30], sketch) +
  drawWoolPart(TRUNK, wool, [190, 270, 210, 110], sketch) +
  drawBlanket(blanket, 310, 270, main, second, sketch)

const drawMotion = (d: string) => line(d, CREAM, 7, opacity(0.75))

const running: AlpacaPose = (build, sketch) => {
  const { wool } = build
  const figure: Figure = {
    body: [
      drawSwingingLeg(228, 360, 20, 94, wool, true),
      drawSwingingLeg(356, 360, -14, 94, wool, true),
      drawSwingingLeg(204, 352, 52, 96, wool),
      drawSwingingLeg(384, 352, -52, 96, wool),
      drawTrunk(build, sketch),
      drawWoolPart(parsePoints('104,216 180,206 212,276 226,346 160,366 132,318'), wool, [126, 220, 70, 120], sketch),
    ].join(''),
    head: { x: 142, y: 188, scale: 0.92, turn: sketch.chance.between('tilt', -8, 2) },
    neck: { x: 164, y: 292, scale: 0.7, turn: 10 },
  }
  const moved = moveFigure(figure, { x: 14, y: -22, turn: -3, scale: 0.94 })
  return {
    ...moved,
    body: drawMotion('M446 300h44M456 340h40M440 440q20-12 40-4M400 446q14-8 26-2') + moved.body,
    shadow: { x: 280, rx: 130 },
  }
}

/** A jump with stiff legs, which alpacas do when they are happy. */
const pronking: AlpacaPose = (build, sketch) => {
  const { wool } = build
  const figure: Figure = {
    body: [
      drawSwingingLeg(226, 370, 12, 78, wool, true),
      drawSwingingLeg(352, 370, -8, 78, wool, true),
      drawSwingingLeg(196, 376, 16, 80, wool),
      drawSwingingLeg(382, 376, -18, 80, wool),
      drawTrunk(build, sketch),
      drawWoolPart(parsePoints('118,206 196,206 214,280 226,350 160,366 136,310'), wool, [136, 210, 66, 120], sketch),
    ].join(''),
    head: { x: 156, y: 180, scale: 0.93, turn: sketch.chance.between('tilt', -8, 5) },
    neck: { x: 174, y: 288, scale: 0.7, turn: 6 },
  }
  const moved = moveFigure(figure, { x: 0, y: -64, turn: 5, scale: 0.84 })
  return {
    ...moved,
    body: drawMotion('M170 430q-10-14-8-30M256 436v-30M342 430q10-14 8-30') + moved.body,
    shadow: { x: 270, rx: 92 },
  }
}

const grazing: AlpacaPose = (build, sketch) => {
  const { wool } = build
  const blades = (x: number, height: number) =>
    `M${x} 452q-2-${height / 2} -12-${height}M${x} 452q0-${height / 2} 4-${height * 1.2}M${x} 452q2-${height / 2} 14-${height * 0.8}`
  return {
    body: [
      drawAlpacaLeg(246, 370, 30, wool, true),
      drawAlpacaLeg(360, 370, 30, wool, true),
      drawAlpacaLeg(220, 376, 32, wool),
      drawAlpacaLeg(390, 376, 32, wool),
      place({ x: 12, y: 0 }, drawTrunk(build, sketch)),
      drawWoolPart(
        parsePoints('150,284 232,276 228,350 190,388 140,410 92,392 106,340'),
        wool,
        [120, 290, 90, 90],
        sketch,
      ),
    ].join(''),
    head: { x: 122, y: 352, scale: 0.86, turn: sketch.chance.between('tilt', -12, -4) },
    neck: { x: 196, y: 342, scale: 0.62, turn: 62 },
    front: line([blades(76, 26), blades(112, 34), blades(146, 28), blades(176, 22)].join(''), '#4f9a5c', 6),
    shadow: { x: 290, rx: 160 },
  }
}

/** A mother with her young, which has another colour, so that both are visible. */
const family: AlpacaPose = (build, sketch) => {
  const { body, head, neck } = side(build, sketch)
  const moved = moveFigure({ body, head, neck }, { x: -40, y: 0, scale: 0.88 })
  const isPale = contrast(build.wool.fill, '#ffffff') < 330
  const fleece = isPale
    ? sketch.chance.pick('young', ['brown', 'caramel', 'chocolate', 'black'] as const)
    : sketch.chance.pick('young', ['cream', 'white', 'fawn'] as const)
  const wool = createWool(fleece, 'cloud', 'plain', 'pale')
  const young = {
    body:
      drawAlpacaLeg(224, 384, 36, wool) +
      drawAlpacaLeg(288, 384, 36, wool) +
      drawWoolPart(ellipsePoints(256, 350, 92, 64, 10), wool, [180, 300, 150, 60], sketch) +
      drawWoolPart(parsePoints('218,190 294,190 300,270 304,346 256,366 208,346 212,270'), wool, [0, 0, 0, 0], sketch),
    head: { x: 256, y: 176, scale: 0.96 },
    neck: { x: 256, y: 284 },
  }
  const placed = moveFigure(young, { x: 172, y: 6, scale: 0.48 })
  const look = {
    eyes: 'sparkle',
    mouth: 'smile',
    topknot: 'round',
    ears: 'up',
    headwear: 'none',
    eyewear: 'none',
    accent: 'red',
  } as const
  return {
    ...moved,
    front: placed.body + place(placed.head, drawAlpacaHead(look, wool, sketch)),
    shadow: { x: 280, rx: 180 },
  }
}

export const alpacaPoses = { portrait, side, front, resting, running, pronking, grazing, family }

import { type Colour, CREAM, contrast, darken, shadeOn } from '../../colour.ts'
import { ellipsePoints, parsePoints } from '../../curves.ts'
import { type Figure, moveFigure } from '../../figure.ts'
import type { PosedBody } from '../../land-animal.ts'
import { type Sketch, withoutSheen } from '../../sketch.ts'
import { ellipse, line, opacity, place } from '../../svg.ts'
import { type Blanket, drawBlanket } from './blanket.ts'
import { drawAlpacaHead } from './head.ts'
import { type Belly, createWool, curlLengths, drawAlpacaLeg, drawSwingingLeg, drawWoolPart, type Wool } from './wool.ts'

interface Build {
  wool: Wool
  blanket: Blanket
  main: Colour
  second: Colour
}

type AlpacaPose = (build: Build, sketch: Sketch) => PosedBody

const SIDE: Belly = [295, 382, 168, 55]
const FRONT: Belly = [255, 412, 136, 60]
const LYING: Belly = [300, 442, 176, 50]

/** Separates the neck from a body that faces right; a neck that faces left has its own shade on the side of the body. */
function drawNeckShade(d: string, { fill }: Wool, { facing }: Sketch) {
  const [colour, strength] = shadeOn(fill, 0.14)
  return facing === 'left' ? '' : line(d, colour, 62, opacity(strength))
}

/** Patches would cover the edge of the shoulders. */
const portrait: AlpacaPose = ({ wool }, sketch) => ({
  body:
    drawWoolPart(
      parsePoints('95,540 105,470 160,430 350,430 410,470 415,540'),
      wool.pattern === 'patched' ? { ...wool, pattern: 'plain' } : wool,
      [110, 440, 300, 70],
      FRONT,
      sketch,
    ) +
    drawWoolPart(
      parsePoints('190,490 195,350 200,220 310,220 320,350 320,490'),
      wool,
      [196, 240, 120, 220],
      FRONT,
      sketch,
    ),
  head: { x: 256, y: 210, scale: 1.12, turn: sketch.chance.between('tilt', -6, 6) },
  neck: { x: 256, y: 360, scale: 1.04 },
})

const side: AlpacaPose = (build, sketch) => ({
  body: [
    drawAlpacaLeg(225, 370, 30, build.wool, true),
    drawAlpacaLeg(350, 370, 30, build.wool, true),
    drawAlpacaLeg(196, 375, 32, build.wool),
    drawAlpacaLeg(380, 375, 32, build.wool),
    drawTrunk(build, sketch),
    drawRaisedNeck(build.wool, sketch),
  ].join(''),
  head: { x: 155, y: 180, scale: 0.95, turn: sketch.chance.between('tilt', -8, 5) },
  neck: { x: 175, y: 290, scale: 0.7, turn: 6 },
  shadow: { x: 285, rx: 150 },
})

const front: AlpacaPose = ({ wool }, sketch) => ({
  body: [
    drawAlpacaLeg(196, 380, 34, wool, true),
    drawAlpacaLeg(315, 380, 34, wool, true),
    drawAlpacaLeg(225, 385, 36, wool),
    drawAlpacaLeg(290, 385, 36, wool),
    drawWoolPart(ellipsePoints(256, 355, 100, 70, 14), wool, [170, 290, 170, 120], FRONT, sketch),
    drawWoolPart(
      parsePoints('220,180 295,180 300,260 310,350 256,370 205,350 210,260'),
      wool,
      [210, 190, 95, 140],
      FRONT,
      sketch,
    ),
  ].join(''),
  head: { x: 256, y: 170, scale: 0.88, turn: sketch.chance.between('tilt', -8, 8) },
  neck: { x: 256, y: 285, scale: 0.76 },
  shadow: { x: 260, rx: 120 },
})

const resting: AlpacaPose = ({ wool, blanket, main, second }, sketch) => {
  const leg = (x: number) => ellipse(x, 440, 40, 13, wool.face) + ellipse(x - 26, 440, 18, 12, darken(wool.face, 0.4))
  return {
    body: [
      drawWoolPart(ellipsePoints(420, 370, 28, 28, 8), wool, [395, 350, 30, 30], LYING, sketch),
      drawWoolPart(
        parsePoints('120,400 160,345 280,320 390,340 435,395 425,445 140,450'),
        wool,
        [190, 340, 220, 100],
        LYING,
        sketch,
        drawNeckShade('M210 270Q240 400 170 420', wool, sketch),
      ),
      drawBlanket(blanket, 320, 340, main, second, sketch),
      drawWoolPart(
        parsePoints('125,245 210,245 220,330 230,420 150,435 130,360'),
        wool,
        [140, 260, 70, 130],
        LYING,
        sketch,
      ),
      leg(175) + leg(270),
    ].join(''),
    head: { x: 165, y: 210, scale: 1.04, turn: sketch.chance.between('tilt', -8, 5) },
    neck: { x: 180, y: 340, scale: 0.74, turn: 4 },
    shadow: { x: 280, rx: 175 },
  }
}

const TRUNK = parsePoints('160,300 190,260 290,250 390,260 425,305 415,365 350,395 220,395 165,365')

/** The trunk of an alpaca seen from the side, with its tail and its blanket, but without neck and legs. */
const drawTrunk = ({ wool, blanket, main, second }: Build, sketch: Sketch) =>
  drawWoolPart(ellipsePoints(415, 285, 26, 26, 8), wool, [390, 260, 30, 30], SIDE, sketch) +
  drawWoolPart(
    TRUNK,
    wool,
    [190, 270, 210, 110],
    SIDE,
    sketch,
    drawNeckShade('M205 220Q230 350 160 360', wool, sketch),
  ) +
  drawBlanket(blanket, 310, 270, main, second, sketch)

const drawRaisedNeck = (wool: Wool, sketch: Sketch) =>
  drawWoolPart(parsePoints('120,205 196,205 215,280 225,350 160,365 135,310'), wool, [135, 210, 65, 120], SIDE, sketch)

const drawMotion = (d: string) => line(d, CREAM, 7, opacity(0.75))

const running: AlpacaPose = (build, sketch) => {
  const { wool } = build
  const figure: Figure = {
    body: [
      drawSwingingLeg(230, 360, 20, 95, wool, true),
      drawSwingingLeg(355, 360, -14, 95, wool, true),
      drawSwingingLeg(205, 350, 50, 95, wool),
      drawSwingingLeg(385, 350, -50, 95, wool),
      drawTrunk(build, sketch),
      drawWoolPart(
        parsePoints('105,215 180,205 210,275 225,345 160,365 130,320'),
        wool,
        [125, 220, 70, 120],
        SIDE,
        sketch,
      ),
    ].join(''),
    head: { x: 140, y: 190, scale: 0.92, turn: sketch.chance.between('tilt', -8, 2) },
    neck: { x: 165, y: 290, scale: 0.7, turn: 10 },
  }
  const moved = moveFigure(figure, { x: 14, y: -22, turn: -3, scale: 0.94 })
  return {
    ...moved,
    body: drawMotion('M445 300h45M455 340h40M440 440q20-12 40-4M400 445q14-8 25-2') + moved.body,
    shadow: { x: 280, rx: 130 },
  }
}

/** A jump with stiff legs, which alpacas do when they are happy. */
const pronking: AlpacaPose = (build, sketch) => {
  const { wool } = build
  const figure: Figure = {
    body: [
      drawSwingingLeg(225, 370, 12, 80, wool, true),
      drawSwingingLeg(350, 370, -8, 80, wool, true),
      drawSwingingLeg(196, 375, 16, 80, wool),
      drawSwingingLeg(380, 375, -18, 80, wool),
      drawTrunk(build, sketch),
      drawRaisedNeck(wool, sketch),
    ].join(''),
    head: { x: 155, y: 180, scale: 0.93, turn: sketch.chance.between('tilt', -8, 5) },
    neck: { x: 175, y: 290, scale: 0.7, turn: 6 },
  }
  const moved = moveFigure(figure, { x: 0, y: -65, turn: 5, scale: 0.84 })
  return {
    ...moved,
    shadow: { x: 270, rx: 90 },
  }
}

/** The young has another colour than its mother, so that both are visible. */
export function createYoungWool({ fill, curlLength }: Wool) {
  const [dark, pale] = curlLength < curlLengths.cloud ? (['caramel', 'grey'] as const) : (['brown', 'white'] as const)
  return createWool(contrast(fill, '#fff') < 330 ? dark : pale, 'cloud', 'plain', 'pale')
}

/** A mother with her young. */
const family: AlpacaPose = (build, shinySketch) => {
  const { body, head, neck } = side(build, shinySketch)
  const sketch = withoutSheen(shinySketch)
  const moved = moveFigure({ body, head, neck }, { x: -40, y: 0, scale: 0.88 })
  const wool = createYoungWool(build.wool)
  const young = {
    body:
      drawAlpacaLeg(225, 385, 36, wool) +
      drawAlpacaLeg(290, 385, 36, wool) +
      drawWoolPart(ellipsePoints(256, 350, 90, 65, 10), wool, [180, 300, 150, 60], FRONT, sketch) +
      drawWoolPart(
        parsePoints('220,190 295,190 300,270 305,345 256,365 210,345 210,270'),
        wool,
        [0, 0, 0, 0],
        FRONT,
        sketch,
      ),
    head: { x: 256, y: 175, scale: 0.96 },
    neck: { x: 256, y: 285 },
  }
  const placed = moveFigure(young, { x: 170, y: 6, scale: 0.48 })
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

export const alpacaPoses = { portrait, side, front, resting, running, pronking, family }

import { type Colour, darken } from '../../colour.ts'
import { ellipsePoints, parsePoints } from '../../curves.ts'
import type { PosedBody } from '../../land-animal.ts'
import type { Sketch } from '../../sketch.ts'
import { ellipse } from '../../svg.ts'
import { type Blanket, drawBlanket } from './blanket.ts'
import { drawAlpacaLeg, drawWoolPart, type Wool } from './wool.ts'

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

export const alpacaPoses = { portrait, side, front, resting }

import { darken, lighten } from '../../../colour.ts'
import { parsePoints, smoothOutline } from '../../../curves.ts'
import type { Figure } from '../../../figure.ts'
import { ellipse, opacity, path, place } from '../../../svg.ts'
import { drawFoldedWing, drawOpenWing, drawSideTail, drawTuckedFeet } from '../parts.ts'
import type { Plumage } from '../species/species.ts'
import { type Bird, drawBelly } from './figure.ts'

const flip = (content: string) => `<g transform="matrix(1 0 0 -1 0 0)">${content}</g>`

/** A bird that flies to the left, with its wings up or down. */
export function drawFlyingFigure(bird: Bird, wings: 'up' | 'down'): Figure {
  const { shape, plumage, sketch } = bird
  const shade = {
    ...plumage,
    wing: darken(plumage.wing, 0.2),
    main: darken(plumage.main, 0.2),
    mark: darken(plumage.mark, 0.2),
  }
  const up = wings === 'up'
  const draw = (colours: Plumage) => {
    const wing = drawOpenWing(colours, shape, sketch)
    return up ? wing : flip(wing)
  }
  return {
    body: [
      place(up ? { x: 232, y: 276, turn: -4 } : { x: 242, y: 296, scale: 0.84, turn: -14 }, draw(shade)),
      place(
        { x: 384, y: 314, turn: up ? -20 : -28, scale: shape.tail === 'long' ? 0.64 : 0.8 },
        drawSideTail(shape.tail, plumage, sketch),
      ),
      drawTuckedFeet(300, 348, plumage.legs),
      sketch.shadedShape(
        smoothOutline(parsePoints('122,304 184,248 270,252 350,284 408,316 340,350 250,364 158,348')),
        plumage.main,
        drawBelly(bird, 216, 350, 100, 44),
      ),
      place(up ? { x: 274, y: 296, turn: 26, scale: 1.02 } : { x: 268, y: 292, scale: 0.86, turn: -34 }, draw(plumage)),
    ].join(''),
    head: { x: 172, y: 256, scale: 0.88, turn: sketch.chance.between('tilt', -6, 8) },
    neck: { x: 186, y: 320, scale: 0.68, turn: 18 },
  }
}

/** A hummingbird in the air, its beak at 100,242. */
export function drawHoveringFigure(bird: Bird): Figure {
  const { shape, plumage, sketch } = bird
  const wing = drawOpenWing({ ...plumage, wing: lighten(plumage.wing, 0.2) }, shape, sketch)
  return {
    body: [
      `<g ${opacity(0.75)}>${place({ x: 300, y: 288, turn: 14, scale: 0.98 }, wing)}</g>`,
      place({ x: 366, y: 386, turn: 38, scale: 0.8 }, drawSideTail('short', plumage, sketch)),
      drawTuckedFeet(290, 372, plumage.legs),
      sketch.shadedShape(
        smoothOutline(parsePoints('214,300 240,250 300,258 352,310 384,380 378,404 330,396 262,372 226,340')),
        plumage.main,
        drawBelly(bird, 256, 352, 60, 54),
      ),
      place({ x: 318, y: 310, turn: 58, scale: 0.92 }, drawOpenWing(plumage, shape, sketch)),
    ].join(''),
    head: { x: 252, y: 234, scale: 0.84, turn: sketch.chance.between('tilt', -3, 3) },
    neck: { x: 256, y: 298, scale: 0.66, turn: 16 },
  }
}

/** A penguin on its belly. */
export function drawSlidingFigure({ plumage, sketch }: Bird): Figure {
  return {
    body: [
      path('M424 372Q470 340 492 352Q484 370 452 392ZM414 396Q470 384 488 402Q470 416 428 412Z', plumage.legs),
      sketch.shadedShape(
        smoothOutline(parsePoints('104,400 130,340 210,314 310,318 400,352 446,394 410,424 300,438 170,438')),
        plumage.main,
        ellipse(230, 436, 170, 46, plumage.front),
      ),
      place({ x: 270, y: 352, turn: -76 }, drawFoldedWing(110, plumage.wing, sketch)),
    ].join(''),
    head: { x: 172, y: 300, scale: 0.98, turn: sketch.chance.between('tilt', -8, 4) },
    neck: { x: 178, y: 370, scale: 0.76, turn: 4 },
  }
}

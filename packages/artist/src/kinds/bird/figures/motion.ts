import { darken } from '../../../colour.ts'
import { parsePoints, smoothOutline } from '../../../curves.ts'
import type { Figure } from '../../../figure.ts'
import { place } from '../../../svg.ts'
import { drawOpenWing, drawSideTail, drawTuckedFeet } from '../parts.ts'
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
      place(up ? { x: 230, y: 275, turn: -4 } : { x: 240, y: 295, scale: 0.84, turn: -14 }, draw(shade)),
      place(
        { x: 385, y: 315, turn: up ? -20 : -28, scale: shape.tail === 'long' ? 0.64 : 0.8 },
        drawSideTail(shape.tail, plumage, sketch),
      ),
      drawTuckedFeet(300, 350, plumage.legs),
      sketch.shadedShape(
        smoothOutline(parsePoints('120,305 185,250 270,250 350,285 410,315 340,350 250,365 160,350')),
        plumage.main,
        drawBelly(bird, 215, 350, 100, 45),
      ),
      place(up ? { x: 275, y: 295, turn: 26, scale: 1.02 } : { x: 270, y: 290, scale: 0.86, turn: -34 }, draw(plumage)),
    ].join(''),
    head: { x: 170, y: 256, scale: 0.88, turn: sketch.chance.between('tilt', -6, 8) },
    neck: { x: 185, y: 320, scale: 0.68, turn: 18 },
  }
}

import type { Sketch } from '../../../sketch.ts'
import { ellipse, type Placement, place } from '../../../svg.ts'
import { drawSpeckles } from '../parts.ts'
import type { Plumage, Species } from '../species/species.ts'

/** A bird without its head, in the coordinates of the picture; it stands on the ground. */
export interface Figure {
  body: string
  head: Placement
  neck: Placement
}

export interface Bird {
  shape: Species
  plumage: Plumage
  sketch: Sketch
}

export const GROUND_Y = 446

/** Moves, scales and turns a figure about the middle of the ground. */
export function moveFigure(figure: Figure, { x, y, scale = 1, turn = 0 }: Placement): Figure {
  const angle = (turn / 180) * Math.PI
  const [sin, cos] = [Math.sin(angle) * scale, Math.cos(angle) * scale]
  const move = (part: Placement): Placement => {
    const [dx, dy] = [part.x - 256, part.y - GROUND_Y]
    return {
      x: 256 + x + dx * cos - dy * sin,
      y: GROUND_Y + y + dx * sin + dy * cos,
      scale: (part.scale ?? 1) * scale,
      turn: (part.turn ?? 0) + turn,
    }
  }
  return {
    body: place({ x: 256 + x, y: GROUND_Y + y, scale, turn }, place({ x: -256, y: -GROUND_Y }, figure.body)),
    head: move(figure.head),
    neck: move(figure.neck),
  }
}

export function drawBelly({ shape, plumage }: Bird, x: number, y: number, rx: number, ry: number) {
  const { front, mark, wing } = plumage
  switch (shape.belly) {
    case 'plain':
      return shape.face === 'bib' ? ellipse(x, y - ry * 0.9, rx, ry * 0.6, front) : ''
    case 'oval':
      return ellipse(x, y, rx, ry, front)
    case 'speckled':
      return ellipse(x, y, rx, ry, front) + drawSpeckles(x, y - ry * 0.4, rx * 1.3, 3, wing)
    case 'breast':
      return ellipse(x, y, rx, ry, front) + ellipse(x, y - ry * 0.85, rx * 1.25, ry * 0.85, mark)
  }
}

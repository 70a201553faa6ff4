import { type Placement, place } from './svg.ts'

/** An animal on the ground: its body, and the places of its head and neck. Coordinates are those of the picture. */
export interface Figure {
  body: string
  head: Placement
  neck: Placement
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

import type { Sketch } from '../../../sketch.ts'
import { ellipse } from '../../../svg.ts'
import { drawSpeckles } from '../parts.ts'
import type { Plumage, Species } from '../species/species.ts'

export interface Bird {
  shape: Species
  plumage: Plumage
  sketch: Sketch
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

import { mirrorPoints, ribbon, smoothOutline } from '../../curves.ts'
import type { Sketch } from '../../sketch.ts'
import { bothSides, ellipse, path, place } from '../../svg.ts'
import { breastColour } from './head.ts'
import { drawFoldedWing, drawSpeckles, type Plumage } from './parts.ts'
import type { Species } from './species.ts'

export function drawBelly(bird: Species, plumage: Plumage, x: number, y: number, rx: number, ry: number) {
  if (bird.belly === 'none' && bird.face !== 'bib') return ''
  const spots = bird.belly === 'speckled' ? drawSpeckles(x, y - ry * 0.4, rx * 1.3, 3, plumage.wing) : ''
  const breast = bird.face === 'breast' ? ellipse(x - 4, y - ry * 0.8, rx * 1.2, ry * 0.9, breastColour(plumage)) : ''
  return ellipse(x, y, rx, ry, plumage.front) + spots + breast
}

/** A body seen from the front, down to `bottom`; the head goes on its top. */
export function drawUprightBody(bird: Species, plumage: Plumage, sketch: Sketch, bottom: number) {
  const height = 184 * bird.height
  const top = bottom - height
  const wide = (x: number) => 256 + x * bird.width
  const at = (share: number) => top + height * share
  const outline = smoothOutline(
    mirrorPoints(
      [
        [256, top],
        [wide(60), at(0.12)],
        [wide(98), at(0.46)],
        [wide(92), at(0.78)],
        [wide(52), at(0.97)],
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

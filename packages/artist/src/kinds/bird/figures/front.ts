import { darken } from '../../../colour.ts'
import { mirrorPoints, parseCurve, ribbon, smoothOutline } from '../../../curves.ts'
import type { Figure } from '../../../figure.ts'
import { path, place } from '../../../svg.ts'
import { HEAD_RADIUS } from '../head.ts'
import { drawFoldedWing, drawOpenWing } from '../parts.ts'
import type { Plumage, Species } from '../species/species.ts'
import { type Bird, drawBelly } from './figure.ts'

type Wings = 'folded' | 'spread' | 'raised' | 'cheering'
const wingTurns = { spread: 75, raised: 40 } as const
const wingScales = { spread: 0.82, raised: 0.86 } as const

/** The feathers of a tail behind the body of a bird that faces the viewer; `waist` is the middle of the body. */
function drawFrontTail({ tail }: Species, plumage: Plumage, bottom: number, waist: number, inFlight: boolean) {
  if (tail === 'none') return ''
  const { main, mark, wing } = plumage
  if (inFlight) {
    const tip = tail === 'long' ? 'M-14 0L-17 80Q0 105 17 80L14 0Z' : 'M-15 0L-19 60Q0 85 19 60L15 0Z'
    const middle = tail === 'long' && mark !== main ? mark : wing
    return [-24, 24, 0]
      .map((turn) => place({ x: 256, y: bottom - 34, turn }, path(tip, turn ? darken(wing, 0.1) : middle)))
      .join('')
  }
  if (tail === 'long') {
    const curve = `282,${bottom - 70} 306,${bottom - 30} 322,${bottom + 6} 330,${bottom + 36}`
    return path(
      ribbon(parseCurve(curve), () => 19),
      wing,
    )
  }
  if (tail === 'short') return ''
  return [28, 50, 75]
    .map((turn) =>
      place(
        { x: 295, y: waist, turn },
        path('M-16 0L-19-85Q0-110 19-85L16 0Z', turn === 50 ? darken(main, 0.1) : wing),
      ),
    )
    .join('')
}

/** A bird that faces the viewer. `bottom` is the lower end of its body. */
export function drawFrontFigure(bird: Bird, bottom: number, wings: Wings, tilt = 8): Figure {
  const { shape, plumage, sketch } = bird
  const [width, tall, headSize] = shape.size
  const height = 185 * tall
  const top = bottom - height
  const at = (share: number) => top + height * share
  const outline = smoothOutline(
    mirrorPoints(
      [
        [256, top],
        [256 + 60 * width, at(0.12)],
        [256 + 98 * width, at(0.46)],
        [256 + 90 * width, at(0.78)],
        [256 + 50 * width, at(0.97)],
        [256, at(1)],
      ],
      256,
    ),
  )
  const drawWing = () => {
    if (wings === 'folded' || wings === 'cheering' || shape.flippers)
      return place(
        { x: (wings === 'folded' ? 85 : 68) * width, y: at(0.24), turn: wings === 'folded' ? -8 : -125 },
        drawFoldedWing(height * 0.62, plumage.wing, sketch),
      )
    return place(
      { x: 65 * width, y: at(0.34), turn: wingTurns[wings], scale: wingScales[wings] },
      drawOpenWing(plumage, shape, sketch),
    )
  }
  const wingPair = place({ x: 256, y: 0 }, sketch.bothSides(drawWing()))
  const body = sketch.shadedShape(outline, plumage.main, drawBelly(bird, 256, at(0.66), 60 * width, height * 0.4))
  const scale = 1.1 * headSize
  return {
    body:
      // Between the feet of a landing bird, a tail looks like a third leg.
      (wings === 'raised' ? '' : drawFrontTail(shape, plumage, bottom, at(0.5), wings === 'spread')) +
      (wings === 'folded' || wings === 'cheering' ? body + wingPair : wingPair + body),
    head: { x: 256, y: top - HEAD_RADIUS * scale * 0.32, scale, turn: sketch.chance.between('tilt', -tilt, tilt) },
    neck: { x: 256, y: top + HEAD_RADIUS * scale * 0.52, scale: 0.9 },
  }
}

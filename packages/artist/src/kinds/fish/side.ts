import { darken, lighten } from '../../colour.ts'
import { type Point, parsePoints, smoothOutline } from '../../curves.ts'
import type { Sketch } from '../../sketch.ts'
import { ellipse, line, opacity, path, place, svg } from '../../svg.ts'
import { drawGlasses, drawHat, type Worn } from './accessories.ts'
import { drawCheek, drawMouth, drawSideEye, type Mood } from './face.ts'
import type { FishColours } from './markings.ts'

/** One fish to draw. */
export interface FishModel {
  colours: FishColours
  /** The index of the marking. */
  marking: number
  mood: Mood
  iris: string
  worn: Worn
  /** How far the tail swings down (positive) or up. */
  bend: number
  sketch: Sketch
}

export type Box = readonly [left: number, top: number, right: number, bottom: number]

/** A fish around 0,0, facing left, and the space that it needs. */
export interface FishDrawing {
  art: string
  box: Box
  /** True if the fish reaches into the corners of its box. */
  hasCorners?: boolean
}

export interface SideShape {
  /** From the mouth along the back, clockwise. */
  body: string
  /** Fins behind the body; the first and the last point of each are inside the body. */
  tail: readonly string[]
  /** The dorsal fin is the first. */
  fins: readonly string[]
  /** The fin on the side. */
  pectoral: readonly [x: number, y: number, scale: number]
  eye: readonly [x: number, y: number, r: number]
  /** The lips. */
  mouth: Point
  /** 0 if `front` draws the mouth. */
  mouthScale?: number
  /** The x of the gill. */
  gill: number
  /** The place of a hat, if the species can wear one. */
  hat?: readonly [x: number, y: number, turn: number]
  /** The width of the coloured edge of fins. */
  edge?: number
  /** The colour around the eye, where it is not that of the body. */
  skin?(colours: FishColours, marking: number): string
  /** The colour around the mouth, where it is not that of the body. */
  mouthSkin?(colours: FishColours): string
  /** Long thin parts behind the body: barbels, filaments. */
  threads?: string
  /** Parts that only this species has, in front of or behind everything else. */
  front?(model: FishModel): string
  behind?(model: FishModel): string
}

export type DrawMarkings = (colours: FishColours, random: () => number) => string

/** The fin on the side of the fish. */
const PECTORAL = parsePoints('-6,-10 20,-25 55,-20 70,2 55,25 20,25 -6,12')

function boxAround(outlines: readonly (readonly Point[])[]): Box {
  const points = outlines.flat()
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  // Smooth outlines reach a little beyond their points.
  return [Math.min(...xs) - 5, Math.min(...ys) - 5, Math.max(...xs) + 5, Math.max(...ys) + 5]
}

/** Lines from the root of a fin to its far points. */
function drawRays(points: readonly Point[], stroke: string) {
  const [first, last] = [points[0]!, points.at(-1)!]
  const [x, y] = [(first[0] + last[0]) / 2, (first[1] + last[1]) / 2]
  const d = points.slice(1, -1).map(([px, py]) => {
    const [dx, dy] = [px - x, py - y]
    return svg`M${x + dx * 0.42} ${y + dy * 0.42}L${x + dx * 0.84} ${y + dy * 0.84}`
  })
  return line(d.join(''), stroke, 3.5, opacity(0.5))
}

/** A fin with a shade, for large ones. */
function drawLargeFin(points: readonly Point[], { fins, trim }: FishColours, edge: number, sketch: Sketch, marks = '') {
  const outline = smoothOutline(points, 0.9)
  const border = edge ? line(outline, trim, edge * 2) : ''
  return sketch.shadedShape(outline, fins, marks + drawRays(points, darken(fins, 0.3)) + border, 6)
}

function drawSmallFin(points: readonly Point[], fill: string, { fins, trim }: FishColours, edge: number) {
  const border = edge ? svg`stroke="${trim}" stroke-width="${edge}"` : ''
  return path(smoothOutline(points, 0.9), fill, border) + drawRays(points, darken(fins, 0.3))
}

export function defineSideFish(shape: SideShape, markings: readonly DrawMarkings[], tailMarkings?: DrawMarkings) {
  const body = parsePoints(shape.body)
  const tail = shape.tail.map(parsePoints)
  const fins = shape.fins.map(parsePoints)
  const [eyeX, eyeY, eyeR] = shape.eye
  const {
    mouth: [mouthX, mouthY],
    mouthScale = 1,
  } = shape

  return (model: FishModel): FishDrawing => {
    const { colours, mood, worn, sketch } = model
    const random = sketch.chance.sequence('markings')
    // The tail half swings; the head stays, so that face and hat fit.
    const swing = (points: readonly Point[]) =>
      points.map(([x, y]): Point => {
        const share = x > 0 ? (x / 150) ** 2 : 0
        return [x - Math.abs(model.bend) * share * 0.3, y + model.bend * share]
      })
    const skin = shape.skin?.(colours, model.marking) ?? colours.body
    const [bodyPoints, tailPoints, finPoints] = [swing(body), tail.map(swing), fins.map(swing)]
    const outline = smoothOutline(bodyPoints)
    const [dorsal, ...lowerFins] = finPoints
    const edge = shape.edge ?? 0
    const [px, py, finScale] = shape.pectoral
    const gill = shape.gill
    const hat = shape.hat ? drawHat(worn, colours.body) : ''
    const [left, top, right, bottom] = boxAround([bodyPoints, ...tailPoints, ...finPoints])
    const tailMarks = tailMarkings?.(colours, random) ?? ''
    const art = [
      shape.threads ? line(shape.threads, darken(colours.fins, 0.1), 5) : '',
      shape.behind?.(model) ?? '',
      ...tailPoints.map((points) => drawLargeFin(points, colours, edge, sketch, tailMarks)),
      ...lowerFins.map((points) => drawSmallFin(points, darken(colours.fins, 0.1), colours, edge)),
      drawLargeFin(dorsal!, colours, edge, sketch),
      sketch.shadedShape(
        outline,
        colours.body,
        [
          markings[model.marking]!(colours, random),
          ellipse(-34, (bodyPoints[3]?.[1] ?? 0) * 0.78, 65, 11, '#fff', -8, opacity(0.2)),
          line(svg`M${gill}-34Q${gill + 20} 6 ${gill} 44`, darken(skin, 0.35), 4, opacity(0.35)),
        ].join(''),
        11,
      ),
      place(
        { x: px, y: py, scale: finScale, turn: 16 + model.bend * 0.3 },
        drawSmallFin(PECTORAL, lighten(colours.fins, 0.14), colours, edge),
      ),
      shape.front?.(model) ?? '',
      mouthScale
        ? drawCheek(eyeX + eyeR * 0.5, eyeY + eyeR * 1.75, eyeR * 0.62, skin) +
          drawMouth(mood, mouthX + 18 * mouthScale, mouthY + 2, shape.mouthSkin?.(colours) ?? skin, mouthScale)
        : '',
      drawSideEye(eyeX, eyeY, eyeR, mood, { skin, iris: model.iris }, sketch),
      drawGlasses(worn, colours.body, eyeX, eyeY, eyeR),
      shape.hat ? place({ x: shape.hat[0], y: shape.hat[1], turn: shape.hat[2] }, hat) : '',
    ].join('')
    return { art, box: [left, hat ? Math.min(top, shape.hat![1] - 65) : top, right, bottom] }
  }
}

import { SHADOW } from '../../colour.ts'
import { type Cubic, parseCurve, smoothOutline } from '../../curves.ts'
import { line, opacity } from '../../svg.ts'
import { drawBodyMarkings, drawPaw } from '../coat.ts'
import { drawHeadShadow, type Pose } from '../pose.ts'
import { drawTail, isShortTail } from '../tail.ts'

const tailCurve: Cubic = parseCurve('424,372 462,462 330,474 262,450')
/** Short tails and pompoms stand up behind the body. */
const shortTailCurve: Cubic = parseCurve('428,372 456,372 470,350 470,324')

const GROUND_Y = 450

/** Separates the tail from a body of the same colour. */
const TAIL_SHADOW = line('M424 372C462 462 330 474 262 450', SHADOW, 62, opacity(0.12))

export const curled: Pose = ({ coat, tail: tailStyle, girth }, sketch) => {
  const isShort = isShortTail(tailStyle)
  /** Scales a height above the ground with the girth. */
  const scaleHeight = (y: number) => GROUND_Y - (GROUND_Y - y) * (0.6 + 0.4 * girth)
  const outline = smoothOutline([
    [150, scaleHeight(316)],
    [256, scaleHeight(270)],
    [364, scaleHeight(292)],
    [432, scaleHeight(360)],
    [430, 424],
    [360, 450],
    [160, 452],
    [92, 430],
    [92, 370],
  ])
  const head = { x: 172, y: 330, turn: sketch.chance.between('tilt', -12, -2) }
  return {
    body: [
      isShort ? drawTail(tailStyle, shortTailCurve, coat, sketch) : '',
      sketch.shadedShape(
        outline,
        coat.base,
        drawBodyMarkings(coat, [190, scaleHeight(286), 240, 140], sketch) +
          drawHeadShadow(head, coat, sketch) +
          (isShort ? '' : TAIL_SHADOW),
        16,
      ),
      drawPaw(214, 438, 34, 15, coat),
    ].join(''),
    // Without a tail around the body, a hind paw is visible; a white one would look like a separate thing.
    front: isShort
      ? drawPaw(356, 440, 36, 15, { ...coat, socks: coat.base })
      : drawTail(tailStyle, tailCurve, coat, sketch),
    head,
    neck: { x: 184, y: 404, scale: 0.86, turn: -8 },
    shadow: { x: 262, rx: 186 },
  }
}

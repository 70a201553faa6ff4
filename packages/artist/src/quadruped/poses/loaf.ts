import { type Cubic, parseCurve, smoothOutline } from '../../curves.ts'
import { drawBodyMarkings, drawPaw } from '../coat.ts'
import { drawChest, drawHeadShadow, type Pose } from '../pose.ts'
import { drawTail, isShortTail } from '../tail.ts'

const tailCurve: Cubic = parseCurve('438,404 446,452 384,448 300,438')
/** Short tails and pompoms stand up behind the body. */
const shortTailCurve: Cubic = parseCurve('416,384 448,384 462,362 462,336')

export const loaf: Pose = (build, sketch) => {
  const { coat, tail: tailStyle, girth } = build
  const raise = (y: number) => 448 - (448 - y) * (0.55 + 0.45 * girth)
  const outline = smoothOutline([
    [150, raise(300)],
    [250, raise(266)],
    [346, raise(282)],
    [416, raise(350)],
    [426, 420],
    [384, 448],
    [150, 449],
    [98, 424],
    [106, raise(350)],
  ])
  const chest = drawChest(build, {
    centre: 190,
    fluffy: '190,310 254,350 234,430 190,446',
    bump: 28,
    smooth: '190,310 240,350 234,420 190,446',
  })
  const head = { x: 192, y: 266, scale: 1.08, turn: sketch.chance.between('tilt', -8, 6) }
  return {
    body: [
      isShortTail(tailStyle) ? drawTail(tailStyle, shortTailCurve, coat, sketch) : '',
      sketch.shadedShape(
        outline,
        coat.base,
        drawBodyMarkings(coat, [200, raise(284), 224, 130], sketch) + chest + drawHeadShadow(head, coat, sketch),
        16,
      ),
      drawPaw(148, 438, 38, 17, coat),
      drawPaw(232, 438, 38, 17, coat),
      isShortTail(tailStyle)
        ? ''
        : drawTail(tailStyle, tailCurve, tailStyle === 'whip' ? { ...coat, tailTip: undefined } : coat, sketch),
    ].join(''),
    head,
    neck: { x: 194, y: 352, scale: 0.95 },
    shadow: { x: 266, rx: 182 },
  }
}

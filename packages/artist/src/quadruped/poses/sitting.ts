import { type Cubic, ellipsePath, mirrorPoints, parseCurve, smoothOutline } from '../../curves.ts'
import type { PosedBody } from '../../land-animal.ts'
import type { Sketch } from '../../sketch.ts'
import { place } from '../../svg.ts'
import { drawBodyMarkings, drawLeg, drawPaw } from '../coat.ts'
import { drawLimb } from '../limb.ts'
import { type Build, drawChest, type Pose } from '../pose.ts'
import { drawTail } from '../tail.ts'
import { drawToy } from '../toys.ts'

const tailCurves: readonly Cubic[] = [
  parseCurve('330,420 420,450 470,390 430,320'),
  parseCurve('330,424 440,460 420,330 452,268'),
  parseCurve('320,424 400,460 480,440 474,380'),
]

/** Stays close to the body, because another animal sits on the other side. */
const pairedTailCurve = parseCurve('318,424 376,450 404,410 384,346')

/** `playing` raises one paw to a toy; `paired` keeps the tail close. */
const sit = (build: Build, sketch: Sketch, variant?: 'playing' | 'paired'): PosedBody => {
  const { coat, tail: tailStyle, girth } = build
  const widen = (x: number) => 256 + x * girth
  const outline = smoothOutline(
    mirrorPoints(
      [
        [256, 220],
        [widen(50), 244],
        [widen(76), 310],
        [widen(88), 380],
        [widen(82), 432],
        [widen(44), 448],
        [256, 450],
      ],
      256,
    ),
  )
  const [haunch, haunchReference] = sketch.reusable(
    sketch.shadedShape(
      ellipsePath(0, 410, 44 * girth, 40),
      coat.base,
      drawBodyMarkings(coat, [-44, 380, 88, 70], sketch),
      7,
    ),
  )
  const [leg, legReference] = sketch.reusable(drawLeg(0, 340, 46, coat, sketch))
  const chest = drawChest(build, {
    centre: 256,
    fluffy: '256,250 300,288 286,328 256,346',
    bump: 26,
    smooth: '256,240 298,286 286,330 256,350',
  })
  const reachForToy = () =>
    place({ x: 92, y: 402 }, drawToy(build.toy, coat.base, sketch)) +
    drawLimb(
      [
        [widen(-30), 336],
        [186, 362],
        [150, 338],
        [114, 364],
      ],
      { width: 25, length: 1 },
      coat,
      sketch,
    )
  return {
    body: [
      drawTail(
        tailStyle,
        variant === 'paired' ? pairedTailCurve : sketch.chance.pick('tail', tailCurves),
        coat,
        sketch,
      ),
      place({ x: widen(-72), y: 0 }, haunch) + place({ x: widen(72), y: 0 }, haunchReference),
      drawPaw(widen(-90), 440, 33, 15, coat) + drawPaw(widen(90), 440, 33, 15, coat),
      sketch.shadedShape(
        outline,
        coat.base,
        drawBodyMarkings(
          coat,
          // The legs would cut a saddle.
          coat.pattern === 'saddle' ? [widen(-160), 262, 320 * girth, 100] : [widen(-88), 270, 176 * girth, 170],
          sketch,
        ) + chest,
      ),
      place({ x: widen(29), y: 0 }, leg),
      variant === 'playing' ? '' : place({ x: widen(-29), y: 0 }, legReference),
      variant === 'playing' ? reachForToy() : '',
    ].join(''),
    head: { x: 256, y: 196, scale: 1.08, turn: sketch.chance.between('tilt', -8, 8) },
    neck: { x: 256, y: 284, scale: 0.95 },
    shadow: variant === 'playing' ? { x: 232, rx: 184 } : { x: 262, rx: 150 * girth },
  }
}

export const sitting: Pose = (build, sketch) => sit(build, sketch)
export const playing: Pose = (build, sketch) => sit(build, sketch, 'playing')
export const sittingInPair: Pose = (build, sketch) => sit(build, sketch, 'paired')

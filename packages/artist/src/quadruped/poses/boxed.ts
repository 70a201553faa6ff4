import { CREAM, contrast, mostContrasting, SHADOW } from '../../colour.ts'
import { mirrorPoints, smoothOutline } from '../../curves.ts'
import { ellipse, opacity, path, rect } from '../../svg.ts'
import { drawBodyMarkings, drawPaw } from '../coat.ts'
import type { Pose } from '../pose.ts'

const CARDBOARD_COLOURS = ['#da6', '#b74', '#ec9']

/** Paws on the box must be visible. */
const MIN_BOX_CONTRAST = 90

/** Half of the body looks out of a cardboard box. */
export const boxed: Pose = ({ coat, girth }, sketch) => {
  const widen = (x: number) => 256 + x * girth
  const outline = smoothOutline(
    mirrorPoints(
      [
        [256, 240],
        [widen(56), 268],
        [widen(92), 330],
        [widen(100), 420],
        [256, 470],
      ],
      256,
    ),
  )
  const paws = coat.socks ?? coat.base
  const visible = CARDBOARD_COLOURS.filter((colour) => contrast(colour, paws) >= MIN_BOX_CONTRAST)
  const cardboard = visible.length > 0 ? sketch.chance.pick('card', visible) : mostContrasting(CARDBOARD_COLOURS, paws)
  const rim = [
    path('M84 348L56 392L100 404L112 352ZM428 348L456 392L412 404L400 352Z', cardboard),
    path('M84 348L56 392L100 404L112 352ZM428 348L456 392L412 404L400 352Z', SHADOW, opacity(0.12)),
    path('M96 352H416L402 456Q401 462 394 462H118Q111 462 110 456Z', cardboard),
    rect(232, 352, 48, 110, CREAM, 0, opacity(0.3)),
    path('M96 352H416L414 368H98Z', SHADOW, opacity(0.12)),
    path(
      'M330 420v-22m-8 8l8-8 8 8M360 420v-22m-8 8l8-8 8 8',
      'none',
      `stroke="${SHADOW}" stroke-width="5" ${opacity(0.35)}`,
    ),
  ]
  const chest = coat.chest ? ellipse(256, 340, 54, 70, coat.chest) : ''
  return {
    body:
      path('M112 344H400L416 352H96Z', '#863') +
      sketch.clip(
        'M0 0H512V356H0Z',
        sketch.shadedShape(outline, coat.base, drawBodyMarkings(coat, [156, 280, 200, 100], sketch) + chest),
      ),
    front: [...rim, drawPaw(188, 356, 32, 21, coat), drawPaw(324, 356, 32, 21, coat)].join(''),
    head: { x: 256, y: 214, scale: 1.12, turn: sketch.chance.between('tilt', -8, 8) },
    neck: { x: 256, y: 312, scale: 1 },
    shadow: { x: 262, rx: 176 },
  }
}

import { type Headwear, wear } from '../../accessories/headwear.ts'
import { contrast, darker, INK, lighter } from '../../colour.ts'
import { blob, oval, star } from '../../curves.ts'
import { type EyeStyle, eyes, loneEye } from '../../faces/eyes.ts'
import { blush } from '../../faces/head.ts'
import { type Accent, mostContrasting, wornColours } from '../../palette.ts'
import type { Sketch } from '../../sketch.ts'
import { both, circle, ellipse, fade, line, n, path, place } from '../../svg.ts'
import type { Scales } from './colours.ts'
import { type FishPattern, fishMarkings, frontMarkings } from './patterns.ts'
import { backAt, dorsals, type FishShape, tails } from './shapes.ts'

export const fishMouths = { smile: 3, open: 2, kiss: 2, grin: 1.5 } as const

export interface Swimmer {
  shape: FishShape
  spiny: boolean
  tail: keyof typeof tails
  dorsal: keyof typeof dorsals
  pattern: FishPattern
  eyes: EyeStyle
  mouth: keyof typeof fishMouths
  headwear: Headwear
  accent: Accent
  scales: Scales
}

const rays = (stroke: string) => line('M10-6L70-40M12 0H80M10 6L70 40', darker(stroke, 0.25), 4, fade(0.5))

function mouth(kind: Swimmer['mouth'], x: number, y: number, stroke: string) {
  switch (kind) {
    case 'smile':
      return line(`M${n(x)} ${n(y)}q14 18 34 8`, stroke, 5.5)
    case 'open':
      return ellipse(x + 14, y + 6, 12, 14, INK) + ellipse(x + 15, y + 12, 7, 6, '#f27f8f')
    case 'kiss':
      return circle(x + 4, y - 6, 10, '#f27f8f') + circle(x + 6, y + 8, 9, '#e2647a')
    case 'grin':
      return path(
        `M${n(x + 4)} ${n(y)}q20 8 40-4q-4 26-22 24t-18-20z`,
        '#fffdf6',
        `stroke="${stroke}" stroke-width="4"`,
      )
  }
}

const spines = (count: number, r: number, fill: string) =>
  path(star(0, 0, r + 24, r - 6, count), fill, `stroke="${fill}" stroke-width="4"`)

export function fromTheSide(fish: Swimmer, sketch: Sketch): string {
  const { shape, scales } = fish
  const { body, fins } = scales
  const face =
    fish.pattern === 'mask' || fish.pattern === 'koi' ? scales.marks : fish.pattern === 'halves' ? fins : body
  const [ex, ey] = shape.eye
  const stroke = mostContrasting(body, [INK, '#fff6e3'])
  const eye = { apart: 0, y: ey, r: 19, lid: lighter(body, 0.2), stroke: mostContrasting(face, [INK, '#fff6e3']) }
  const shut = fish.eyes === 'happy' || fish.eyes === 'closed' || fish.eyes === 'wink'
  const { main, second } = wornColours(fish.accent, scales.body)
  const [fin, finAgain] = sketch.twice(sketch.solid('M0-14C34-34 70-20 76 6C60 30 24 30 0 14Z', fins, rays(fins), 4))
  return [
    place({ x: shape.tail, y: 0 }, sketch.solid(tails[fish.tail], fins, rays(fins), 7)),
    place(
      { x: 6, y: shape.top, scale: shape.fins },
      sketch.solid(
        dorsals[fish.dorsal],
        fins,
        line('M-20 24L-4-30M10 24L24-34M40 24L46-20', darker(fins, 0.25), 4, fade(0.5)),
        5,
      ),
    ),
    place({ x: 20, y: shape.bottom - 16, turn: 56, scale: 0.84 * shape.fins }, fin),
    fish.spiny ? spines(26, 106, darker(fins, 0.1)) : '',
    sketch.solid(blob(shape.outline), body, fishMarkings(fish.pattern, scales, sketch), 11),
    mouth(fish.mouth, ...shape.mouth, stroke),
    circle(ex + 16, ey + 40, 14, '#f58a8a', fade(0.45)),
    shut ? '' : circle(ex, ey, 26, '#fffdf6'),
    loneEye(fish.eyes, ex, eye, sketch),
    place({ x: 10, y: 30, turn: 14 }, finAgain),
    place({ x: ex + 22, y: backAt(shape, ex + 22) + 6, scale: 0.62, turn: -24 }, wear(fish.headwear, main, second, 24)),
  ].join('')
}

/** The same fish, seen from the front. */
export function fromTheFront(fish: Swimmer, sketch: Sketch): string {
  const { scales, shape } = fish
  const { body, fins, marks } = scales
  const tall = shape.bottom > 96 ? 122 : shape.bottom > 82 ? 108 : 92
  const face = fish.pattern === 'mask' || fish.pattern === 'koi' ? marks : fish.pattern === 'halves' ? fins : body
  const stroke = mostContrasting(face, [INK, '#fff6e3'])
  const eye = { apart: 50, y: -18, r: 19, lid: lighter(face, 0.2), stroke }
  const shut = fish.eyes === 'happy' || fish.eyes === 'closed'
  const { main, second } = wornColours(fish.accent, scales.body)
  const fin = place(
    { x: 92, y: 26, turn: 12 },
    sketch.solid('M0-14C34-44 84-40 92-6C80 34 24 34 0 14Z', fins, rays(fins), 4),
  )
  const whites = fish.eyes === 'wink' || shut ? '' : both(circle(50, -18, 26, '#fffdf6'))
  return [
    place({ x: 64, y: -10, turn: -24, scale: 1.05 }, sketch.solid(tails[fish.tail], darker(fins, 0.12), rays(fins), 6)),
    place({ x: 0, y: -tall + 8 }, sketch.solid(dorsals[fish.dorsal], fins, '', 5)),
    sketch.pair(fin),
    fish.spiny ? spines(26, 108, darker(fins, 0.1)) : '',
    sketch.solid(oval(0, 0, 116, tall), body, frontMarkings(fish.pattern, scales, sketch), 12),
    blush(78, 24, 14, contrast(face, '#f58a8a') < 90 ? '#d95f6f' : '#f58a8a'),
    whites,
    eyes(fish.eyes, eye, sketch),
    place({ x: -18, y: 30 }, mouth(fish.mouth, 0, 0, mostContrasting(body, [INK, '#fff6e3']))),
    place({ x: 0, y: -tall + 16, scale: 0.84 }, wear(fish.headwear, main, second, 40)),
  ].join('')
}

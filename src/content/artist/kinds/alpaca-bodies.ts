import { patch } from '../bodies/coat.ts'
import type { Posed } from '../bodies/pose.ts'
import { type Colour, darker } from '../colour.ts'
import { type Point, ring, woolly } from '../curves.ts'
import type { Sketch } from '../sketch.ts'
import { box, circle, ellipse, fade, line, n, path } from '../svg.ts'
import type { Wool } from './alpaca-fleece.ts'

export const blankets = { none: 5, stripes: 1, zigzag: 1, fringe: 1 } as const

export interface AlpacaBuild {
  wool: Wool
  blanket: keyof typeof blankets
  accent: Colour
  second: Colour
}

const curls = (x: number, y: number, size: number, stroke: Colour) =>
  line(`M${n(x)} ${n(y)}q${n(size * 0.5)} ${n(size * 0.6)} ${n(size)} 0`, stroke, 4, fade(0.5))

function markings(
  { pattern, mark, fill }: Wool,
  [x, y, width, height]: readonly [number, number, number, number],
  { chance }: Sketch,
) {
  const random = chance.row(`wool ${x}`)
  const at = () => [x + width * (0.1 + 0.7 * random()), y + height * (0.15 + 0.7 * random())] as const
  const texture = Array.from({ length: Math.round((width * height) / 8000) }, () =>
    curls(...at(), 16 + random() * 8, darker(fill, 0.3)),
  ).join('')
  if (pattern === 'patched')
    return (
      patch(x + width * 0.75, y + height * 0.3, width * 0.3, height * 0.3, mark, random) +
      patch(x + width * 0.2, y + height * 0.8, width * 0.3, height * 0.22, mark, random) +
      texture
    )
  if (pattern === 'dappled') return Array.from({ length: 9 }, () => circle(...at(), 8 + random() * 9, mark)).join('')
  if (pattern === 'two-toned')
    return ellipse(x + width / 2, y + height * 1.02, width * 0.8, height * 0.5, mark) + texture
  return texture
}

const wool = (
  corners: readonly Point[],
  build: AlpacaBuild,
  area: readonly [number, number, number, number],
  sketch: Sketch,
  more = '',
) => sketch.solid(woolly(corners, build.wool.curl), build.wool.fill, markings(build.wool, area, sketch) + more, 12)

function foot(x: number, top: number, width: number, { wool: { face, fill, curl } }: AlpacaBuild, far = false) {
  const bottom = far ? 440 : 446
  const bare = box(x - width / 2, top, width, bottom - top, far ? darker(face, 0.2) : face, 10)
  const toes = box(x - width / 2 - 2, bottom - 13, width + 4, 13, darker(face, 0.45), 6)
  const cuff = path(woolly(ring(x, top + 8, width * 0.68, 26, 10), curl * 0.62), far ? darker(fill, 0.16) : fill)
  return bare + toes + cuff
}

/** A woven cloth over the back, in the colours of what the animal wears. */
function cloth({ blanket, accent, second }: AlpacaBuild, x: number, y: number) {
  if (blanket === 'none') return ''
  const shape = box(x - 62, y - 40, 124, 138, accent, 10)
  const rows = blanket === 'stripes' ? box(x - 62, y + 14, 124, 16, second) + box(x - 62, y + 44, 124, 10, second) : ''
  const teeth =
    blanket === 'zigzag'
      ? line(`M${n(x - 62)} ${n(y + 46)}l15.5-22 15.5 22 15.5-22 15.5 22 15.5-22 15.5 22 15.5-22 15.5 22`, second, 8)
      : ''
  const fringe =
    blanket === 'fringe'
      ? line(Array.from({ length: 9 }, (_, i) => `M${n(x - 56 + i * 14)} ${n(y + 96)}v14`).join(''), second, 6) +
        circle(x, y + 40, 20, second)
      : ''
  return shape + rows + teeth + fringe
}

type AlpacaPose = (build: AlpacaBuild, sketch: Sketch) => Posed

const portrait: AlpacaPose = (build, sketch) => ({
  body:
    wool(
      [
        [96, 540],
        [104, 470],
        [160, 430],
        [352, 430],
        [408, 470],
        [416, 540],
      ],
      build,
      [110, 440, 300, 72],
      sketch,
      cloth(build, 256, 470),
    ) +
    wool(
      [
        [186, 480],
        [192, 330],
        [200, 210],
        [312, 210],
        [320, 330],
        [326, 480],
      ],
      build,
      [196, 240, 120, 220],
      sketch,
    ),
  head: { x: 256, y: 234, scale: 1.28, turn: sketch.chance.between('tilt', -6, 6) },
  neck: { x: 256, y: 376, scale: 1.12 },
})

const side: AlpacaPose = (build, sketch) => ({
  body: [
    foot(226, 370, 30, build, true),
    foot(350, 370, 30, build, true),
    foot(196, 376, 32, build),
    foot(382, 376, 32, build),
    wool(ring(414, 292, 26, 26, 8), build, [390, 270, 30, 30], sketch),
    wool(
      [
        [160, 300],
        [190, 262],
        [290, 250],
        [390, 262],
        [424, 306],
        [414, 366],
        [350, 396],
        [220, 396],
        [166, 366],
      ],
      build,
      [190, 270, 210, 110],
      sketch,
      cloth(build, 304, 268),
    ),
    wool(
      [
        [118, 190],
        [196, 190],
        [214, 280],
        [226, 350],
        [160, 366],
        [136, 310],
      ],
      build,
      [136, 200, 66, 120],
      sketch,
    ),
  ].join(''),
  head: { x: 156, y: 180, scale: 0.95, turn: sketch.chance.between('tilt', -8, 5) },
  neck: { x: 174, y: 288, scale: 0.7, turn: 6 },
  shadow: { x: 286, rx: 150 },
})

const front: AlpacaPose = (build, sketch) => ({
  body: [
    foot(196, 380, 34, build, true),
    foot(316, 380, 34, build, true),
    foot(224, 384, 36, build),
    foot(288, 384, 36, build),
    wool(ring(256, 344, 104, 78, 14), build, [170, 280, 172, 120], sketch),
    wool(
      [
        [212, 170],
        [300, 170],
        [310, 260],
        [322, 346],
        [256, 372],
        [190, 346],
        [202, 260],
      ],
      build,
      [208, 190, 96, 140],
      sketch,
    ),
  ].join(''),
  head: { x: 256, y: 184, scale: 0.98, turn: sketch.chance.between('tilt', -8, 8) },
  neck: { x: 256, y: 300, scale: 0.86 },
  shadow: { x: 260, rx: 120 },
})

const resting: AlpacaPose = (build, sketch) => ({
  body: [
    wool(ring(420, 372, 28, 28, 8), build, [396, 350, 30, 30], sketch),
    wool(
      [
        [120, 400],
        [160, 346],
        [280, 318],
        [392, 340],
        [436, 396],
        [424, 446],
        [140, 450],
      ],
      build,
      [190, 340, 220, 100],
      sketch,
      cloth(build, 314, 336),
    ),
    wool(
      [
        [124, 244],
        [208, 244],
        [222, 330],
        [232, 420],
        [150, 436],
        [130, 360],
      ],
      build,
      [140, 260, 70, 130],
      sketch,
    ),
    ellipse(176, 440, 40, 13, build.wool.face) + ellipse(150, 441, 18, 12, darker(build.wool.face, 0.4)),
    ellipse(268, 441, 40, 12, build.wool.face) + ellipse(242, 442, 17, 11, darker(build.wool.face, 0.4)),
  ].join(''),
  head: { x: 166, y: 212, scale: 1.04, turn: sketch.chance.between('tilt', -8, 5) },
  neck: { x: 180, y: 342, scale: 0.74, turn: 4 },
  shadow: { x: 280, rx: 176 },
})

export const alpacaPoses = { portrait, side, front, resting }

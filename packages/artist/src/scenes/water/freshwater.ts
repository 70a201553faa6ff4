import type { Box } from '../../boxes.ts'
import { type Colour, darken, lighten, mix } from '../../colour.ts'
import type { Chance } from '../../random.ts'
import { circle, ellipse, flower, line, opacity, path, place, rect, svg } from '../../svg.ts'
import { findFreePlace, scatter } from '../parts.ts'
import { type Scheme, scheme } from '../scene.ts'
import { drawBeams, drawBubbles, drawRock, drawSand, drawWater, placeBlade } from './parts.ts'
import type { WaterScene } from './water-scene.ts'

/** The y of the surface: a strip of air is above it. */
const SURFACE = 65

const pondSchemes = [
  scheme('#bed', '#fff', '#9cb', '#9cb', '#dc9', '#e79'),
  scheme('#9de', '#fff', '#7bd', '#7bd', '#dc9', '#f98'),
  scheme('#488', '#dfe', '#376', '#376', '#896', '#fac'),
  scheme('#379', '#def', '#367', '#367', '#887', '#fc8'),
  scheme('#585', '#efc', '#474', '#474', '#875', '#fee'),
  scheme('#357', '#cdf', '#246', '#246', '#778', '#eac'),
  scheme('#dec', '#fff', '#bd9', '#bd9', '#cb8', '#e8a'),
]

const reeds = (x: number, fill: Colour, random: () => number) =>
  line(svg`M${x} 130Q${x - 2} 70 ${x - 8} -6M${x + 16} 130Q${x + 18} 70 ${x + 26} 6M${x + 8} 130V20`, fill, 6) +
  line(svg`M${x + 8} 24v-${20 + random() * 6}`, '#854', 12)

const lilyPad = (x: number, r: number, stem: number, bloom: Colour | undefined, random: () => number) =>
  line(svg`M${x} ${SURFACE + 4}q${20 - random() * 40} ${stem * 0.5} 0 ${stem}`, '#696', 5, opacity(0.55)) +
  ellipse(x, SURFACE + 4, r, 11, '#596') +
  ellipse(x, SURFACE, r, 9, '#6b7') +
  (bloom
    ? place(
        { x, y: SURFACE - 4 },
        path('M-6 2Q-35-2-30-18Q-14-16-6 2ZM6 2Q35-2 30-18Q14-16 6 2Z', darken(bloom, 0.12)) +
          path('M-4 4Q-25-16-16-35Q0-20 0 4ZM4 4Q25-16 16-35Q0-20 0 4Z', bloom) +
          path('M0 4Q-14-20 0-40Q14-20 0 4Z', lighten(bloom, 0.5)),
      )
    : '')

const drawPads = (bloom: Colour, chance: Chance) => {
  const random = chance.sequence('pads')
  return [60, 170, 340, 460]
    .map((x, i) =>
      lilyPad(
        x + random() * 24 - 12,
        36 + random() * 16,
        60 + random() * 120,
        i % 2 === 0 || random() < 0.4 ? bloom : undefined,
        random,
      ),
    )
    .join('')
}

/** The pond below its surface; `air` is the strip above. */
const drawPond = (
  air: Colour,
  bank: Colour,
  { sky, far, near, glow }: Scheme,
  chance: Chance,
  occupied: readonly Box[],
) =>
  [
    rect(0, 0, 512, SURFACE, air),
    path(svg`M0 40Q90 14 190 36T380 30T512 36V${SURFACE}H0Z`, bank),
    drawWater(sky, far, chance, SURFACE),
    drawBeams(glow, chance, SURFACE),
    line(svg`M-6 ${SURFACE}H518`, '#fff', 5, opacity(0.6)),
    placeBlade(occupied, 30, 490, 170, 13, mix('#596', sky, 0.3), 1) +
      placeBlade(occupied, 65, 490, 110, 11, mix('#7b7', sky, 0.3), -1),
    placeBlade(occupied, 480, 490, 180, 13, mix('#596', sky, 0.3), -1) +
      placeBlade(occupied, 450, 490, 100, 11, mix('#7b7', sky, 0.3), 1),
    drawSand(near, chance, 460),
  ].join('')

export const pond: WaterScene = {
  phrase: 'in a lily pond',
  water: 'pond',
  tags: ['water-lily'],
  season: 'summer',
  top: SURFACE,
  schemes: pondSchemes,
  back: (scheme, { chance }, occupied) =>
    drawPond('#eef', '#ac8', scheme, chance, occupied) +
    reeds(chance.pick('reeds', [14, 480]), '#6a5', chance.sequence('reed')) +
    drawPads(scheme.detail, chance) +
    drawBubbles(scheme.glow, chance, 110, occupied),
}

export const springPond: WaterScene = {
  phrase: 'in a pond under cherry blossoms',
  water: 'pond',
  tags: ['pond', 'cherry-blossom'],
  season: 'spring',
  top: SURFACE,
  schemes: pondSchemes,
  back(scheme, { chance }, occupied) {
    const side = chance.pick('branch', [1, -1])
    return (
      drawPond('#fee', '#cd9', scheme, chance, occupied) +
      `<g${side < 0 ? ' transform="matrix(-1 0 0 1 512 0)"' : ''}>${line('M-6 12Q70 16 130 30T240 25M80 18Q100 2 140 2', '#865', 8)}${[
        [40, 14],
        [85, 28],
        [120, 12],
        [150, 38],
        [190, 22],
        [230, 34],
        [16, 34],
      ]
        .map(([x, y], i) => flower(x!, y!, 18 + (i % 3) * 2, '#fbc', '#e7a'))
        .join('')}</g>` +
      scatter(chance, 'petals', 10, [6, SURFACE - 2, 510, SURFACE + 4], (x, y, random) =>
        ellipse(x, y, 9, 4, random() < 0.5 ? '#fbc' : '#fdd'),
      ) +
      scatter(chance, 'sinking', 6, [20, 100, 490, 430], (x, y, random) =>
        ellipse(x, y, 8, 4.5, '#fcd', random() * 180, opacity(0.8)),
      ) +
      drawBubbles(scheme.glow, chance, 110, occupied)
    )
  },
}

const LEAVES = ['#d74', '#ea4', '#c54', '#d94']
const leaf = (x: number, y: number, scale: number, turn: number, fill: Colour) =>
  place({ x, y, scale, turn }, path('M-20 0Q-8-16 20 0Q-8 16-20 0Z', fill), line('M-16 0H25', darken(fill, 0.25), 2.5))

export const autumnPond: WaterScene = {
  phrase: 'in a pond with autumn leaves',
  water: 'pond',
  tags: ['pond', 'leaves'],
  season: 'autumn',
  top: SURFACE,
  schemes: pondSchemes,
  back: (scheme, { chance }, occupied) =>
    drawPond('#fed', '#db6', scheme, chance, occupied) +
    reeds(chance.pick('reeds', [14, 480]), '#b95', chance.sequence('reed')) +
    scatter(chance, 'leaves', 8, [6, SURFACE - 3, 500, SURFACE + 3], (x, y, random) =>
      leaf(x, y, 1.1, random() * 16 - 8, LEAVES[Math.floor(random() * 4)]!),
    ) +
    scatter(chance, 'sinking', 6, [16, 110, 500, 440], (x, y, random) =>
      findFreePlace(occupied, [[x, y]], 22)
        ? leaf(x, y, 0.9, random() * 180, mix(LEAVES[Math.floor(random() * 4)]!, scheme.sky, 0.3))
        : '',
    ),
}

export const winterPond: WaterScene = {
  phrase: 'under the ice of a frozen pond',
  water: 'pond',
  tags: ['pond', 'ice', 'snow'],
  season: 'winter',
  top: 95,
  schemes: pondSchemes,
  back: ({ sky, glow, far, near }, { chance }, occupied) =>
    [
      rect(0, 0, 512, 60, '#cde'),
      drawWater(sky, far, chance, 60),
      drawBeams(glow, chance, 70),
      path('M0 35Q60 20 130 30T280 30T420 30T512 25V65H0Z', '#fff'),
      path('M0 60H512V85q-30 8-60 2t-60 6-65-4-60 6-70-6-60 6-65-4-70 2Z', '#def', opacity(0.92)),
      line('M70 60l20 14-8 12M230 60l-14 12 20 12M390 60l-18 12 10 12', '#acd', 3.5),
      scatter(chance, 'flakes', 9, [10, 4, 500, 26], (x, y, random) => circle(x, y, 2 + random() * 2.5, '#fff')),
      scatter(chance, 'trapped', 7, [20, 95, 490, 120], (x, y, random) =>
        ellipse(x, y, 8 + random() * 12, 4, '#fff', 0, opacity(0.4)),
      ),
      placeBlade(occupied, 34, 490, 110, 11, mix('#786', sky, 0.35), 1) +
        placeBlade(occupied, 480, 490, 120, 11, mix('#786', sky, 0.35), -1),
      drawRock(110, 500, 110, 45, darken(near, 0.15)) + drawRock(410, 500, 130, 50, darken(near, 0.15)),
      drawSand(near, chance, 470),
    ].join(''),
}

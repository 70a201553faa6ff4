import { type Colour, darken, lighten, mix } from '../../colour.ts'
import type { Chance } from '../../random.ts'
import { circle, ellipse, line, opacity, path, place, rect, svg } from '../../svg.ts'
import { scatter } from '../parts.ts'
import { scheme } from '../scene.ts'
import { drawBeams, drawBlade, drawBubbles, drawRock, drawSand, drawShoal, drawWater } from './parts.ts'
import type { WaterScene } from './water-scene.ts'

/** The y of the surface: a strip of air is above it. */
const SURFACE = 66

const pondSchemes = [
  scheme('#bfe6d8', '#ffffff', '#96d0be', '#96d0be', '#d9c79a', '#f2789f'),
  scheme('#9fd6e6', '#ffffff', '#7cc0d6', '#7cc0d6', '#d6c496', '#ff9a8a'),
  scheme('#3f8f86', '#d6fff0', '#2f746d', '#2f746d', '#8f9a6c', '#ffb0c8'),
  scheme('#3a7896', '#d6f2ff', '#2b5f7a', '#2b5f7a', '#8f8f74', '#ffc48a'),
  scheme('#5a8a4f', '#f0ffd0', '#456f3f', '#456f3f', '#8a7f52', '#fff0f5'),
  scheme('#34507f', '#cfe0ff', '#263d66', '#263d66', '#6f7488', '#f5a8c8'),
  scheme('#d9f0c4', '#ffffff', '#b8dc9f', '#b8dc9f', '#cdb98a', '#f58ab0'),
]

const reeds = (x: number, fill: Colour, random: () => number) =>
  line(svg`M${x} 130Q${x - 2} 70 ${x - 8} -6M${x + 16} 130Q${x + 18} 70 ${x + 26} 6M${x + 8} 130V20`, fill, 6) +
  line(svg`M${x + 8} 24v-${20 + random() * 6}`, '#8a5a3c', 12)

const lilyPad = (x: number, r: number, stem: number, bloom: Colour | undefined, random: () => number) =>
  line(svg`M${x} ${SURFACE + 4}q${20 - random() * 40} ${stem * 0.5} 0 ${stem}`, '#5f9a68', 5, opacity(0.55)) +
  ellipse(x, SURFACE + 4, r, 11, '#4f9a62') +
  ellipse(x, SURFACE, r, 9, '#6db877') +
  (bloom
    ? place(
        { x, y: SURFACE - 4 },
        path('M-6 2Q-34-2-32-18Q-14-16-6 2ZM6 2Q34-2 32-18Q14-16 6 2Z', darken(bloom, 0.12)) +
          path('M-4 4Q-26-16-16-34Q0-22 0 4ZM4 4Q26-16 16-34Q0-22 0 4Z', bloom) +
          path('M0 4Q-14-20 0-38Q14-20 0 4Z', lighten(bloom, 0.5)),
      )
    : '')

const drawPads = (bloom: Colour, chance: Chance) => {
  const random = chance.sequence('pads')
  return [58, 168, 342, 456]
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
const drawPond = (air: Colour, bank: Colour, sky: Colour, far: Colour, near: Colour, glow: Colour, chance: Chance) =>
  [
    rect(0, 0, 512, SURFACE, air),
    path(svg`M0 40Q90 14 190 36T380 30T512 36V${SURFACE}H0Z`, bank),
    drawWater(sky, far, chance, SURFACE),
    drawBeams(glow, chance, SURFACE),
    line(svg`M-6 ${SURFACE}H518`, '#ffffff', 5, opacity(0.6)),
    drawBlade(30, 490, 170, 13, mix('#4f9a5f', sky, 0.3), 1) +
      drawBlade(64, 494, 110, 11, mix('#79bf6f', sky, 0.3), -1),
    drawBlade(480, 490, 180, 13, mix('#4f9a5f', sky, 0.3), -1) +
      drawBlade(446, 494, 100, 11, mix('#79bf6f', sky, 0.3), 1),
    drawSand(near, chance, 462),
  ].join('')

export const pond: WaterScene = {
  phrase: 'in a lily pond',
  water: 'pond',
  tags: ['water-lily'],
  season: 'summer',
  top: SURFACE,
  schemes: pondSchemes,
  back: ({ sky, glow, far, near, detail }, { chance }) =>
    drawPond('#e6f5fb', '#a5d08c', sky, far, near, glow, chance) +
    reeds(chance.pick('reeds', [14, 476]), '#6aa558', chance.sequence('reed')) +
    drawPads(detail, chance) +
    drawBubbles(glow, chance, 110),
}

export const springPond: WaterScene = {
  phrase: 'in a pond under cherry blossoms',
  water: 'pond',
  tags: ['pond', 'cherry-blossom'],
  season: 'spring',
  top: SURFACE,
  schemes: pondSchemes,
  back({ sky, glow, far, near }, { chance }) {
    const side = chance.pick('branch', [1, -1])
    const blossom = (x: number, y: number, r: number) =>
      circle(x, y, r, '#fbb8cc', svg`stroke="#fbb8cc" stroke-width="${r}" stroke-dasharray="0 ${r * 1.257}"`) +
      circle(x, y, r * 0.5, '#f27f9f')
    return (
      drawPond('#fdeef2', '#c9dfa0', sky, far, near, glow, chance) +
      `<g${side < 0 ? ' transform="matrix(-1 0 0 1 512 0)"' : ''}>${line('M-6 12Q70 16 130 30T236 24M80 18Q100 2 140 2', '#8a5f50', 8)}${[
        [40, 14],
        [84, 28],
        [120, 12],
        [150, 38],
        [188, 22],
        [226, 34],
        [16, 34],
      ]
        .map(([x, y], i) => blossom(x!, y!, 9 + (i % 3)))
        .join('')}</g>` +
      scatter(chance, 'petals', 10, [6, SURFACE - 2, 506, SURFACE + 4], (x, y, random) =>
        ellipse(x, y, 9, 4, random() < 0.5 ? '#fbb8cc' : '#fdd5e0'),
      ) +
      scatter(chance, 'sinking', 6, [20, 100, 492, 430], (x, y, random) =>
        ellipse(x, y, 8, 4.5, '#fbc6d6', random() * 180, opacity(0.8)),
      ) +
      drawBubbles(glow, chance, 110)
    )
  },
}

const LEAVES = ['#e2783c', '#f2b04a', '#c94f3c', '#d99a3c']
const leaf = (x: number, y: number, scale: number, turn: number, fill: Colour) =>
  place({ x, y, scale, turn }, path('M-20 0Q-8-16 20 0Q-8 16-20 0Z', fill), line('M-16 0H26', darken(fill, 0.25), 2.5))

export const autumnPond: WaterScene = {
  phrase: 'in a pond with autumn leaves',
  water: 'pond',
  tags: ['pond', 'leaves'],
  season: 'autumn',
  top: SURFACE,
  schemes: pondSchemes,
  back: ({ sky, glow, far, near }, { chance }) =>
    drawPond('#fdf0d6', '#e0b46a', sky, far, near, glow, chance) +
    reeds(chance.pick('reeds', [14, 476]), '#b5924f', chance.sequence('reed')) +
    scatter(chance, 'leaves', 8, [6, SURFACE - 3, 500, SURFACE + 3], (x, y, random) =>
      leaf(x, y, 1.1, random() * 16 - 8, LEAVES[Math.floor(random() * 4)]!),
    ) +
    scatter(chance, 'sinking', 6, [16, 110, 496, 440], (x, y, random) =>
      leaf(x, y, 0.9, random() * 180, mix(LEAVES[Math.floor(random() * 4)]!, sky, 0.3)),
    ),
}

export const winterPond: WaterScene = {
  phrase: 'under the ice of a frozen pond',
  water: 'pond',
  tags: ['pond', 'ice', 'snow'],
  season: 'winter',
  top: 96,
  schemes: [
    scheme('#b5dcea', '#ffffff', '#93c6da', '#93c6da', '#c9c4bc', '#ffffff'),
    scheme('#4f8fb5', '#e6f6ff', '#3b7699', '#3b7699', '#8f96a0', '#ffffff'),
    scheme('#3b5f94', '#dcecff', '#2b4874', '#2b4874', '#757d94', '#ffffff'),
    scheme('#3f8590', '#e0fff8', '#2f6a75', '#2f6a75', '#84928c', '#ffffff'),
    scheme('#cfeaf0', '#ffffff', '#aed6e0', '#aed6e0', '#d3cdc2', '#ffffff'),
  ],
  back: ({ sky, glow, far, near }, { chance }) =>
    [
      rect(0, 0, 512, 60, '#c6d6ea'),
      drawWater(sky, far, chance, 60),
      drawBeams(glow, chance, 70),
      path('M0 34Q60 20 130 30T280 28T420 32T512 26V66H0Z', '#ffffff'),
      path('M0 58H512V84q-30 8-58 2t-60 6-66-4-62 6-70-6-60 6-66-4-70 2Z', '#e3f3fa', opacity(0.92)),
      line('M70 60l22 14-8 12M230 60l-14 12 20 12M392 60l-18 12 10 12', '#a9cfe0', 3.5),
      scatter(chance, 'flakes', 9, [10, 4, 500, 26], (x, y, random) => circle(x, y, 2 + random() * 2.5, '#ffffff')),
      scatter(chance, 'trapped', 7, [20, 96, 490, 116], (x, y, random) =>
        ellipse(x, y, 8 + random() * 12, 4, '#ffffff', 0, opacity(0.4)),
      ),
      drawBlade(34, 490, 110, 11, mix('#7a8a5f', sky, 0.35), 1) +
        drawBlade(478, 490, 120, 11, mix('#7a8a5f', sky, 0.35), -1),
      drawRock(110, 496, 110, 44, darken(near, 0.15)) + drawRock(410, 498, 130, 50, darken(near, 0.15)),
      drawSand(near, chance, 470),
    ].join(''),
}

export const river: WaterScene = {
  phrase: 'in a clear river',
  water: 'river',
  tags: ['stream'],
  schemes: pondSchemes,
  back: ({ sky, glow, far, near }, { chance }) =>
    [
      drawWater(sky, far, chance),
      drawBeams(glow, chance),
      line(
        scatter(
          chance,
          'current',
          8,
          [-20, 30, 440, 400],
          (x, y, random) => svg`M${x} ${y}q30-12 60 0t${50 + random() * 40} 0`,
        ),
        '#ffffff',
        4,
        opacity(0.35),
      ),
      drawShoal(mix(sky, darken(far, 0.25), 0.45), chance, [20, 60, 480, 180], 4),
      drawRock(30, 486, 170, 150, mix('#8f95a0', far, 0.45)) + drawRock(486, 488, 170, 130, mix('#8f95a0', far, 0.45)),
      drawBlade(112, 488, 120, 11, mix('#5fa05a', sky, 0.3), 1) +
        drawBlade(400, 488, 130, 11, mix('#5fa05a', sky, 0.3), 1),
      drawSand(near, chance, 456),
      scatter(chance, 'stones', 7, [10, 488, 504, 504], (x, y, random) =>
        drawRock(
          x,
          y + 14,
          50 + random() * 34,
          24 + random() * 14,
          mix(['#9a9fae', '#b5a898', '#84909c'][Math.floor(random() * 3)]!, near, 0.2),
        ),
      ),
    ].join(''),
}

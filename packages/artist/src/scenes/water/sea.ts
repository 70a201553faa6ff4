import type { Box } from '../../boxes.ts'
import { type Colour, darken, mix } from '../../colour.ts'
import type { Chance } from '../../random.ts'
import { circle, line, opacity, path, place } from '../../svg.ts'
import { drawHill, findFreePlace, scatter } from '../parts.ts'
import { scheme } from '../scene.ts'
import {
  coralNames,
  drawBeams,
  drawBubbles,
  drawCoral,
  drawRock,
  drawSand,
  drawShoal,
  drawStarfish,
  drawWater,
  measureSpaceAbove,
} from './parts.ts'
import type { WaterScene } from './water-scene.ts'

const seaSchemes = [
  scheme('#cee', '#fff', '#ade', '#ade', '#edb', '#f87'),
  scheme('#9de', '#fff', '#7cd', '#7cd', '#eda', '#e79'),
  scheme('#49c', '#def', '#38a', '#38a', '#db8', '#f96'),
  scheme('#379', '#cef', '#267', '#267', '#b97', '#fc5'),
  scheme('#359', '#bdf', '#247', '#247', '#88a', '#e8a'),
  scheme('#ced', '#fff', '#adc', '#adc', '#edb', '#e76'),
  scheme('#398', '#cfe', '#277', '#277', '#cb8', '#fb6'),
  scheme('#ddf', '#fff', '#cbe', '#cbe', '#edc', '#e89'),
  scheme('#549', '#edf', '#437', '#437', '#a8b', '#fa9'),
] as const

const coralColours = ['#f87', '#ea5', '#b8d', '#e7a', '#fc6', '#7ba']

/**
 * Corals on both sides, low in the middle; muted, so that every fish stands out from them. They end below the fish if there
 * is space for a small coral.
 */
function drawReef(water: Colour, chance: Chance, occupied: readonly Box[]): string {
  const random = chance.sequence('corals')
  return [
    [40, 480, 1.05],
    [470, 480, 1.1],
    [130, 490, 0.72],
    [390, 490, 0.76],
    [200, 500, 0.56],
    [320, 500, 0.6],
  ]
    .map(([x, y, scale]) => {
      const colour = coralColours[Math.floor(random() * coralColours.length)]!
      const shape = coralNames[Math.floor(random() * coralNames.length)]!
      const space = measureSpaceAbove(occupied, x!, y!, 60) / 110
      const size = Math.min(scale! * (0.9 + random() * 0.15), Math.max(0.45, space))
      return drawCoral(x!, y!, size, mix(colour, water, 0.34), shape)
    })
    .join('')
}

export const reef: WaterScene = {
  phrase: 'over a coral reef',
  water: 'reef',
  tags: [],
  schemes: seaSchemes,
  back: ({ sky, glow, far, near, detail }, { chance }, occupied) =>
    [
      drawWater(sky, far, chance),
      drawBeams(glow, chance),
      drawShoal(mix(sky, darken(far, 0.2), 0.6), chance, [20, 60, 480, 200], 5, occupied),
      drawHill(chance, 'far', 400, 30, mix(far, darken(far, 0.25), 0.5)),
      drawReef(sky, chance, occupied),
      drawSand(near, chance, 460),
      drawStarfish(chance.between('starfish', 230, 290), 490, 13, mix(detail, near, 0.2), 0.1),
      drawBubbles(glow, chance, 40, occupied),
    ].join(''),
}

export const open: WaterScene = {
  phrase: 'in the open sea',
  water: 'sea',
  tags: [],
  schemes: seaSchemes,
  back: ({ sky, glow, far }, { chance }, occupied) =>
    [
      drawWater(sky, far, chance),
      path('M0 0H512V30q-30 20-65 0t-65 0-65 0-65 0-65 0-65 0-65 0-65 0Z', glow, opacity(0.45)),
      drawBeams(glow, chance),
      drawShoal(mix(sky, darken(far, 0.3), 0.5), chance, [20, 80, 480, 450], 9, occupied),
      drawBubbles(glow, chance, 40, occupied),
    ].join(''),
}

/** Draws nothing where a jellyfish would seem to hang from a fish. */
const drawJellyfish = (x: number, y: number, scale: number, fill: Colour, occupied: Box[]) =>
  findFreePlace(occupied, [[x, y + 15]], 60 * scale)
    ? place(
        { x, y, scale },
        `<g ${opacity(0.55)}>${line('M-18 0q-8 20 0 38t-2 34M-6 2q8 22 0 42t2 30M6 2q-6 20 2 40t-2 30M18 0q8 18 0 36t4 30', fill, 4)}${path('M-32 4C-34-46 34-46 32 4Q24-4 16 4Q8-4 0 4Q-8-4-16 4Q-24-4-32 4Z', fill)}</g>`,
      )
    : ''

export const deep: WaterScene = {
  phrase: 'in the deep sea',
  water: 'deep',
  tags: ['dark'],
  schemes: [
    scheme('#347', '#aef', '#235', '#235', '#457', '#7de'),
    scheme('#336', '#ebf', '#224', '#224', '#547', '#e9d'),
    scheme('#256', '#afd', '#144', '#144', '#466', '#8eb'),
  ],
  back({ sky, glow, far, near, detail }, { chance }, occupied) {
    const side = chance.pick('jellyfish side', [0, 1])
    return [
      drawWater(sky, far, chance),
      scatter(chance, 'plankton', 26, [6, 10, 510, 450], (x, y, random) =>
        circle(x, y, 1.5 + random() * 2.5, random() < 0.5 ? glow : detail, opacity(0.3 + random() * 0.5)),
      ),
      drawJellyfish(side ? 40 : 470, 330, 0.6, detail, occupied) +
        drawJellyfish(side ? 470 : 40, 380, 0.4, glow, occupied),
      drawHill(chance, 'far', 440, 24, darken(far, 0.3)),
      drawRock(40, 490, 130, 90, darken(near, 0.1)) + drawRock(480, 490, 120, 110, darken(near, 0.1)),
      drawSand(near, chance, 470),
    ].join('')
  },
}

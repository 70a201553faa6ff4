import { type Colour, darken, lighten, mix } from '../../colour.ts'
import type { Chance } from '../../random.ts'
import { circle, ellipse, line, opacity, path, place, rect, svg } from '../../svg.ts'
import { drawHill, scatter } from '../parts.ts'
import { scheme } from '../scene.ts'
import {
  coralNames,
  drawBeams,
  drawBlade,
  drawBubbles,
  drawCoral,
  drawKelp,
  drawRock,
  drawSand,
  drawShell,
  drawShoal,
  drawStarfish,
  drawWater,
} from './parts.ts'
import type { WaterScene } from './water-scene.ts'

const seaSchemes = [
  scheme('#c4edf0', '#ffffff', '#a8e0e6', '#a8e0e6', '#f6e4b8', '#ff8f7a'),
  scheme('#93d6ea', '#ffffff', '#78c6e0', '#78c6e0', '#f2dca6', '#f2709c'),
  scheme('#4a9dc4', '#d9f6ff', '#3585b0', '#3585b0', '#dcc28e', '#ff9f6b'),
  scheme('#34779a', '#c9f0ff', '#28617f', '#28617f', '#b79f7a', '#ffcf5c'),
  scheme('#31549a', '#bcd6ff', '#243f76', '#243f76', '#8a86a8', '#f58ab0'),
  scheme('#cdf0de', '#ffffff', '#aee0c9', '#aee0c9', '#f3e0b5', '#f2795f'),
  scheme('#36968e', '#c9fff0', '#28786f', '#28786f', '#cdbb86', '#ffb86b'),
  scheme('#e3dcf7', '#ffffff', '#c9bdec', '#c9bdec', '#f3dcc8', '#f2809f'),
  scheme('#594a96', '#e6d6ff', '#433778', '#433778', '#a58fb5', '#ffb0a0'),
] as const

const coralColours = ['#ff8f7a', '#f2a65a', '#b58ae0', '#f27fa8', '#ffd166', '#6fc3b0']

/** Corals on both sides, low in the middle; muted, so that every fish stands out from them. */
function drawReef(water: Colour, chance: Chance): string {
  const random = chance.sequence('corals')
  return [
    [42, 480, 1.05],
    [474, 482, 1.1],
    [128, 492, 0.72],
    [392, 494, 0.76],
    [204, 500, 0.56],
    [318, 500, 0.6],
  ]
    .map(([x, y, scale]) => {
      const colour = coralColours[Math.floor(random() * coralColours.length)]!
      const shape = coralNames[Math.floor(random() * coralNames.length)]!
      return drawCoral(x!, y!, scale! * (0.9 + random() * 0.15), mix(colour, water, 0.34), shape)
    })
    .join('')
}

export const reef: WaterScene = {
  phrase: 'over a coral reef',
  water: 'reef',
  tags: [],
  schemes: seaSchemes,
  back: ({ sky, glow, far, near, detail }, { chance }) =>
    [
      drawWater(sky, far, chance),
      drawBeams(glow, chance),
      drawShoal(mix(sky, darken(far, 0.2), 0.6), chance, [20, 60, 480, 200], 5),
      drawHill(chance, 'far', 400, 30, mix(far, darken(far, 0.25), 0.5)),
      drawReef(sky, chance),
      drawSand(near, chance, 462),
      drawStarfish(chance.between('starfish', 230, 290), 494, 13, mix(detail, near, 0.2), 0.1),
      drawBubbles(glow, chance),
    ].join(''),
}

export const lagoon: WaterScene = {
  phrase: 'in a sunny lagoon',
  water: 'reef',
  tags: [],
  season: 'summer',
  schemes: seaSchemes.filter((_, i) => ![3, 4, 8].includes(i)),
  back: ({ sky, glow, far, near, detail }, { chance }) =>
    [
      drawWater(sky, far, chance),
      line(
        scatter(chance, 'glints', 9, [0, 20, 500, 110], (x, y) => svg`M${x} ${y}q20-14 44 0t40 0`),
        '#ffffff',
        4,
        opacity(0.45),
      ),
      drawBeams(glow, chance),
      drawSand(near, chance, 424),
      line(
        scatter(chance, 'ripples', 6, [10, 452, 470, 500], (x, y) => svg`M${x} ${y}q16-8 32 0t32 0`),
        darken(near, 0.14),
        4,
      ),
      scatter(chance, 'shells', 5, [20, 466, 500, 492], (x, y, random) =>
        random() < 0.5
          ? drawShell(x, y, 0.7, random() < 0.5 ? mix(detail, near, 0.3) : lighten(near, 0.5))
          : drawStarfish(x, y, 13, mix(detail, near, 0.15), random()),
      ),
      drawBubbles(glow, chance),
    ].join(''),
}

export const kelp: WaterScene = {
  phrase: 'in a kelp forest',
  water: 'sea',
  tags: ['seaweed'],
  schemes: seaSchemes,
  back({ sky, glow, far, near }, { chance }) {
    const random = chance.sequence('kelp')
    const plant = (x: number, share: number, height: number) =>
      drawKelp(x + random() * 14, 486, height, mix('#4f9a5f', sky, share), random() < 0.5 ? -1 : 1)
    return [
      drawWater(sky, far, chance),
      drawBeams(glow, chance),
      ...[90, 180, 262, 344, 430].map((x) => plant(x, 0.78, 420 + random() * 60)),
      drawHill(chance, 'far', 440, 14, darken(far, 0.1)),
      plant(18, 0.2, 400 + random() * 40) + plant(486, 0.2, 380 + random() * 50),
      plant(62, 0.36, 220 + random() * 60) + plant(444, 0.36, 230 + random() * 60),
      drawSand(near, chance, 462),
      drawBubbles(glow, chance),
    ].join('')
  },
}

export const open: WaterScene = {
  phrase: 'in the open sea',
  water: 'sea',
  tags: [],
  schemes: seaSchemes,
  back: ({ sky, glow, far }, { chance }) =>
    [
      drawWater(sky, far, chance),
      path('M0 0H512V30q-32 20-64 0t-64 0-64 0-64 0-64 0-64 0-64 0-64 0Z', glow, opacity(0.45)),
      drawBeams(glow, chance),
      drawShoal(mix(sky, darken(far, 0.3), 0.5), chance, [20, 80, 480, 450], 9),
      place(
        { x: chance.between('whale', 130, 370), y: 462, scale: 0.9 },
        path(
          'M-90 6C-90-26-40-36 0-30C40-26 66-10 92-10Q112-14 118-30Q134-24 128-6Q140 0 136 14Q118 16 106 4C70 26-80 36-90 6Z',
          mix(far, darken(far, 0.3), 0.4),
        ),
      ),
      drawBubbles(glow, chance),
    ].join(''),
}

export const moonlit: WaterScene = {
  phrase: 'in the moonlit sea',
  water: 'sea',
  tags: ['night', 'moon'],
  schemes: [
    scheme('#33508f', '#fff3c4', '#243a70', '#243a70', '#6a6f9c', '#f5d58a'),
    scheme('#45408a', '#fff0d0', '#332e6b', '#332e6b', '#7a6f9f', '#f5c58a'),
    scheme('#276a80', '#f0ffe0', '#1d5164', '#1d5164', '#5f8a94', '#f5e08a'),
  ],
  back({ sky, glow, far, near }, { chance }) {
    const x = chance.pick('moon x', [120, 390])
    return [
      drawWater(sky, far, chance),
      circle(x, 6, 150, glow, opacity(0.1)) +
        circle(x, 2, 100, glow, opacity(0.14)) +
        circle(x, -4, 58, glow, opacity(0.9)),
      path(
        svg`M${x - 40} 40L${x - 150} 512H${x - 10}L${x + 6} 40ZM${x + 12} 40L${x + 30} 512H${x + 130}L${x + 44} 40Z`,
        glow,
        opacity(0.09),
      ),
      scatter(chance, 'sparks', 16, [10, 70, 502, 440], (px, y, random) =>
        circle(px, y, 1.5 + random() * 2, glow, opacity(0.6)),
      ),
      drawHill(chance, 'far', 430, 20, darken(far, 0.2)),
      drawBlade(40, 486, 130, 12, darken(far, 0.35), 1) + drawBlade(74, 490, 90, 10, darken(far, 0.35), -1),
      drawBlade(468, 486, 140, 12, darken(far, 0.35), -1) + drawBlade(436, 490, 84, 10, darken(far, 0.35), 1),
      drawSand(near, chance, 466),
      drawBubbles(glow, chance),
    ].join('')
  },
}

const jellyfish = (x: number, y: number, scale: number, fill: Colour) =>
  place(
    { x, y, scale },
    `<g ${opacity(0.55)}>${line('M-18 0q-8 20 0 38t-2 34M-6 2q8 22 0 42t2 30M6 2q-6 20 2 40t-2 30M18 0q8 18 0 36t4 30', fill, 4)}${path('M-32 4C-34-46 34-46 32 4Q24-4 16 4Q8-4 0 4Q-8-4-16 4Q-24-4-32 4Z', fill)}</g>`,
  )

export const deep: WaterScene = {
  phrase: 'in the deep sea',
  water: 'deep',
  tags: ['dark'],
  schemes: [
    scheme('#2b3f72', '#a8f0ff', '#1d2b54', '#1d2b54', '#2a2f52', '#7fe0e6'),
    scheme('#3a3268', '#f0b8ff', '#27214c', '#27214c', '#352c50', '#f09fe0'),
    scheme('#1f5563', '#b0ffe0', '#153f4c', '#153f4c', '#203f48', '#8ff0c0'),
  ],
  back({ sky, glow, far, near, detail }, { chance }) {
    const side = chance.pick('jellyfish side', [0, 1])
    return [
      drawWater(sky, far, chance),
      scatter(chance, 'plankton', 26, [6, 10, 506, 450], (x, y, random) =>
        circle(x, y, 1.5 + random() * 2.5, random() < 0.5 ? glow : detail, opacity(0.3 + random() * 0.5)),
      ),
      jellyfish(side ? 40 : 472, 330, 0.6, detail) + jellyfish(side ? 470 : 42, 384, 0.4, glow),
      drawHill(chance, 'far', 440, 24, darken(far, 0.3)),
      drawRock(40, 492, 130, 90, darken(near, 0.1)) + drawRock(480, 492, 120, 110, darken(near, 0.1)),
      line('M108 490q-8-26 4-44t-4-30M402 490q8-20-4-38t6-28M424 490q-4-18 4-30', mix(detail, near, 0.35), 6),
      drawSand(near, chance, 470),
    ].join('')
  },
}

export const wreck: WaterScene = {
  phrase: 'by a sunken ship',
  water: 'sea',
  tags: ['shipwreck'],
  schemes: seaSchemes,
  back({ sky, glow, far, near, detail }, { chance }) {
    const wood = mix('#8a5f4a', sky, 0.66)
    const dark = darken(wood, 0.2)
    return [
      drawWater(sky, far, chance),
      drawBeams(glow, chance),
      place(
        { x: 256, y: 448, turn: chance.pick('heel', [-7, 7]) },
        line('M-150-60V-270M170-60V-240', dark, 12),
        line('M-200-216H-100M130-190H212', dark, 8),
        path('M-196-212Q-150-180-104-212L-112-150Q-150-124-190-154Z', lighten(wood, 0.35), opacity(0.55)),
        path('M-220-92Q-180-62-90-60H120Q190-66 232-112Q228 0 170 60H-150Q-210 0-220-92Z', wood),
        line('M-206-44Q0-14 222-60M-194-6Q0 22 208-18M-172 28Q0 50 186 20', dark, 5),
        [-110, -40, 30, 100].map((x) => circle(x, 0, 15, dark)).join(''),
      ),
      drawSand(near, chance, 446),
      place(
        { x: chance.pick('chest x', [70, 440]), y: 486 },
        rect(-34, -34, 68, 36, '#a8693c', 4) + path('M-34-32Q-34-58 0-58T34-32Z', '#8f5530'),
        ellipse(0, -34, 26, 8, '#ffcf4a') + rect(-6, -36, 12, 16, '#ffcf4a', 3) + line('M-34-30H34', '#5f3a28', 4),
      ),
      drawStarfish(256, 492, 12, mix(detail, near, 0.2), 0.12),
      drawBubbles(glow, chance),
    ].join('')
  },
}

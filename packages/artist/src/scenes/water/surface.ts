import { darken, lighten, mix } from '../../colour.ts'
import { circle, ellipse, line, opacity, path, svg } from '../../svg.ts'
import { drawBackdrop, drawCloud, drawHill, drawPine, drawSun, drawTree, scatter } from '../parts.ts'
import { scheme } from '../scene.ts'
import type { WaterScene } from './water-scene.ts'

/** The y of the surface in scenes for fish that jump out of the water. */
export const SEA_LEVEL = 372

const waves = (y: number, fill: string) => path(svg`M0 ${y}q32-16 64 0t64 0 64 0 64 0 64 0 64 0 64 0 64 0V512H0Z`, fill)

const drawSurface = (near: string, y = SEA_LEVEL) =>
  waves(y, mix(near, '#8fc4e0', 0.25)) + waves(y + 26, near) + waves(y + 70, darken(near, 0.1))

/** Waves before the splash. */
const drawFrontWaves = (near: string) =>
  waves(444, darken(near, 0.1)) +
  waves(480, darken(near, 0.2)) +
  line('M60 462q16-9 32 0M300 458q16-9 32 0M420 470q14-8 28 0M180 474q14-8 28 0', '#ffffff', 4, opacity(0.5))

export const bay: WaterScene = {
  phrase: 'out of the waves of a bay',
  water: 'sea',
  surface: true,
  tags: [],
  schemes: [
    scheme('#cdeefa', '#ffe08a', '#b8e0e8', '#b8e0e8', '#3f9ec4', '#f2795f'),
    scheme('#ffd9bd', '#fff0c8', '#f5b8a0', '#f5b8a0', '#4f7fb0', '#7d4a7d'),
    scheme('#fff0cf', '#ffc15e', '#f2dcae', '#f2dcae', '#3fa8a0', '#e2725b'),
    scheme('#3f7fb5', '#ffe9a8', '#366f9f', '#366f9f', '#2b5784', '#ff9f7f'),
    scheme('#6a5aa5', '#ffd9b0', '#594a90', '#594a90', '#3d3a7a', '#f5a09a'),
  ],
  back({ sky, glow, far, near }, { chance }) {
    const x = chance.pick('sun x', [66, 446])
    return [
      drawBackdrop(sky),
      drawSun(x, SEA_LEVEL - 34, 46, glow),
      drawCloud(512 - x, 56, 44, '#ffffff', 0.6),
      path(svg`M${512 - x - 90} ${SEA_LEVEL}q30-70 80-66t100 66Z`, mix(far, darken(far, 0.3), 0.5)),
      line('M40 200q10-12 18 0q8-12 18 0M440 230q8-10 15 0q7-10 15 0', mix(sky, '#33243d', 0.45), 4),
      drawSurface(near),
    ].join('')
  },
  front: ({ near }) => drawFrontWaves(near),
}

export const moonlitBay: WaterScene = {
  phrase: 'out of the sea under a full moon',
  water: 'sea',
  surface: true,
  tags: ['night', 'moon'],
  schemes: [
    scheme('#33427f', '#fff3c4', '#2a3669', '#2a3669', '#22325f', '#ffffff'),
    scheme('#453a80', '#ffe9cf', '#382e6b', '#382e6b', '#2d2760', '#ffffff'),
    scheme('#24566e', '#fff3d0', '#1d475c', '#1d475c', '#173f55', '#ffffff'),
  ],
  back: ({ sky, glow, near }, { chance }) =>
    [
      drawBackdrop(sky),
      scatter(chance, 'stars', 22, [6, 6, 506, 300], (x, y, random) =>
        circle(x, y, 1.5 + random() * 2, glow, opacity(0.7)),
      ),
      circle(256, 190, 168, glow, opacity(0.08)) + circle(256, 190, 140, glow, opacity(0.1)),
      drawSurface(near),
      line(
        scatter(chance, 'glitter', 10, [190, 386, 330, 440], (x, y) => svg`M${x - 14} ${y}h28`),
        glow,
        4,
        opacity(0.4),
      ),
    ].join(''),
  front: ({ near }) => drawFrontWaves(near),
}

export const lake: WaterScene = {
  phrase: 'out of a mountain lake',
  water: 'pond',
  surface: true,
  tags: ['mountains'],
  schemes: [
    scheme('#d9f0f7', '#ffffff', '#c2dfeb', '#c2dfeb', '#4a9cb5', '#5f9a6a'),
    scheme('#ffe6c9', '#fff6e0', '#f5cbb0', '#f5cbb0', '#5a86a8', '#b5744f'),
    scheme('#4f86b5', '#fff0d0', '#44779f', '#44779f', '#2f5f86', '#2f5f5a'),
    scheme('#655a9c', '#ffe0d0', '#57508a', '#57508a', '#3c3f76', '#34305f'),
    scheme('#cdebd2', '#ffffff', '#b5dcc0', '#b5dcc0', '#3f8f8a', '#4f8a5a'),
  ],
  back: ({ sky, glow, far, near, detail }, { chance }) =>
    [
      drawBackdrop(sky),
      drawSun(chance.pick('sun x', [40, 472]), 218, 26, glow),
      path(svg`M-20 ${SEA_LEVEL}L110 190L190 290L300 150L420 290L470 240L540 ${SEA_LEVEL}Z`, far),
      path(
        'M110 190L84 226L106 220L122 236L140 228ZM300 150L264 196L290 188L306 210L326 190L338 202Z',
        '#ffffff',
        opacity(0.8),
      ),
      [20, 62, 104, 410, 452, 494]
        .map((x, i) => drawPine(x, SEA_LEVEL - 2, 0.62 + (i % 3) * 0.14, detail, darken(detail, 0.3)))
        .join(''),
      drawSurface(near),
    ].join(''),
  front: ({ near }) => drawFrontWaves(near),
}

export const autumnRiver: WaterScene = {
  phrase: 'out of a river in autumn',
  water: 'river',
  surface: true,
  tags: ['river', 'leaves'],
  season: 'autumn',
  schemes: [
    scheme('#fdf0d9', '#ffffff', '#f7dfba', '#f7dfba', '#4f97a8', '#e2783c'),
    scheme('#d6ecf2', '#ffffff', '#c4dfe6', '#c4dfe6', '#3f86a3', '#e89a3c'),
    scheme('#54749f', '#ffe6b8', '#4a678f', '#4a678f', '#355678', '#d9673c'),
    scheme('#7a5f94', '#ffe0c0', '#6a5283', '#6a5283', '#4a4278', '#e2783c'),
  ],
  back: ({ sky, far, near, detail }, { chance }) =>
    [
      drawBackdrop(sky),
      drawHill(chance, 'far', 300, 20, far),
      drawTree(28, SEA_LEVEL - 4, 1.5, mix(detail, sky, 0.12), '#7a4f3c') +
        drawTree(486, SEA_LEVEL - 4, 1.4, mix('#c94f3c', sky, 0.12), '#7a4f3c'),
      drawTree(92, SEA_LEVEL - 2, 0.9, mix('#f2b04a', sky, 0.2), '#7a4f3c') +
        drawTree(424, SEA_LEVEL - 2, 0.95, mix('#f2b04a', sky, 0.2), '#7a4f3c'),
      drawSurface(near),
    ].join(''),
  front: ({ near }, { chance }) =>
    drawFrontWaves(near) +
    scatter(chance, 'leaves', 7, [10, 468, 500, 498], (x, y, random) =>
      ellipse(x, y, 13, 6, random() < 0.5 ? '#e2783c' : '#f2b04a', random() * 40 - 20),
    ),
}

export const waterfall: WaterScene = {
  phrase: 'up a waterfall',
  water: 'river',
  surface: true,
  tags: ['river'],
  schemes: [
    scheme('#bfe3ee', '#ffffff', '#a5d3e2', '#a5d3e2', '#4a9cb5', '#8a8f9c'),
    scheme('#5b93b8', '#e6f6ff', '#4d83a8', '#4d83a8', '#33688f', '#5f6678'),
    scheme('#3f7f86', '#e0fff5', '#357078', '#357078', '#285c66', '#54605f'),
    scheme('#4a5f9a', '#e3ecff', '#3f5288', '#3f5288', '#2d3f70', '#54587a'),
  ],
  back: ({ sky, glow, far, near, detail }, { chance }) => {
    const shift = chance.between('fall', -12, 12)
    return [
      drawBackdrop(sky),
      line(
        scatter(
          chance,
          'threads',
          12,
          [70, 0, 442, 60],
          (x, y, random) => svg`M${x + shift} ${y - 20}v${120 + random() * 220}`,
        ),
        glow,
        7,
        opacity(0.35),
      ),
      line(
        scatter(
          chance,
          'more threads',
          9,
          [80, 120, 432, 200],
          (x, y, random) => svg`M${x} ${y}v${60 + random() * 120}`,
        ),
        far,
        9,
        opacity(0.7),
      ),
      path(
        'M0-10H86Q98 30 84 66Q112 84 100 130Q92 156 76 164Q104 190 92 236Q84 262 66 270Q94 300 80 346Q72 376 60 400H0Z',
        detail,
      ) +
        path(
          'M0-10H52Q66 30 54 62Q24 76 0 70ZM0 176Q40 160 62 178Q72 210 56 244Q28 262 0 254ZM0 300Q34 284 54 300Q62 330 50 356Q28 366 0 360Z',
          lighten(detail, 0.14),
        ),
      path(
        'M512-10H430Q416 34 432 76Q400 96 414 146Q424 170 440 178Q410 204 424 252Q432 276 450 284Q424 316 440 360Q446 384 456 400H512Z',
        detail,
      ) +
        path(
          'M512 90Q466 70 448 100Q442 130 456 154Q486 168 512 158ZM512 200Q474 184 458 204Q450 232 464 256Q490 268 512 260ZM512 316Q482 300 466 316Q460 340 472 362Q492 372 512 366Z',
          lighten(detail, 0.14),
        ),
      [30, 70, 448, 488].map((x, i) => ellipse(x, 20 + (i % 2) * 14, 40, 20, '#6aa86a')).join(''),
      drawSurface(near),
      [60, 130, 200, 320, 390, 452]
        .map((x, i) => ellipse(x, SEA_LEVEL + 10, 50 + (i % 3) * 10, 13, '#ffffff', 0, opacity(0.45)))
        .join(''),
    ].join('')
  },
  front: ({ near }) => drawFrontWaves(near),
}

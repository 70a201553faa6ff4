import { darken, mix } from '../../colour.ts'
import { line, opacity, path, svg } from '../../svg.ts'
import { drawBackdrop, drawPine, placeCloud, placeSun } from '../parts.ts'
import { scheme } from '../scene.ts'
import type { WaterScene } from './water-scene.ts'

/** The y of the surface in scenes for fish that jump out of the water. */
export const SEA_LEVEL = 370

const waves = (y: number, fill: string) => path(svg`M0 ${y}q32-16 64 0t64 0 64 0 64 0 64 0 64 0 64 0 64 0V512H0Z`, fill)

const drawSurface = (near: string, y = SEA_LEVEL) =>
  waves(y, mix(near, '#8cd', 0.25)) + waves(y + 26, near) + waves(y + 70, darken(near, 0.1))

/** Waves in front of the splash. */
const drawFrontWaves = (near: string) =>
  waves(440, darken(near, 0.1)) +
  waves(480, darken(near, 0.2)) +
  line('M60 460q16-9 30 0M300 460q16-9 30 0M420 470q14-8 30 0M180 470q14-8 30 0', '#fff', 4, opacity(0.5))

export const bay: WaterScene = {
  phrase: 'out of the waves of a bay',
  water: 'sea',
  surface: true,
  tags: [],
  schemes: [
    scheme('#cef', '#fd8', '#bde', '#bde', '#49c', '#e76'),
    scheme('#fdb', '#fec', '#eb9', '#eb9', '#57a', '#747'),
    scheme('#fec', '#fb6', '#eda', '#eda', '#4a9', '#d75'),
    scheme('#47b', '#fea', '#379', '#379', '#358', '#f97'),
    scheme('#65a', '#fda', '#548', '#548', '#437', '#e99'),
  ],
  back({ sky, glow, far, near }, { chance }, occupied) {
    const x = chance.pick('sun x', [80, 432])
    return [
      drawBackdrop(sky),
      placeSun(occupied, [x, 80], 36, glow),
      placeCloud(occupied, [512 - x, 55], 45, 0.6),
      path(svg`M${512 - x - 90} ${SEA_LEVEL}q30-70 80-66t100 66Z`, mix(far, darken(far, 0.3), 0.5)),
      drawSurface(near),
    ].join('')
  },
  front: ({ near }) => drawFrontWaves(near),
}

export const lake: WaterScene = {
  phrase: 'out of a mountain lake',
  water: 'pond',
  surface: true,
  tags: ['mountains'],
  schemes: [
    scheme('#def', '#fff', '#bde', '#bde', '#49b', '#696'),
    scheme('#fec', '#fed', '#eca', '#eca', '#58a', '#b75'),
    scheme('#58b', '#fec', '#479', '#479', '#368', '#365'),
    scheme('#659', '#fdc', '#558', '#558', '#447', '#336'),
    scheme('#cec', '#fff', '#bdb', '#bdb', '#488', '#585'),
  ],
  back: ({ sky, glow, far, near, detail }, { chance }, occupied) =>
    [
      drawBackdrop(sky),
      placeSun(occupied, [chance.pick('sun x', [60, 452]), 70], 26, glow),
      path(svg`M-20 ${SEA_LEVEL}L110 190L190 290L300 150L420 290L470 240L540 ${SEA_LEVEL}Z`, far),
      [20, 60, 100, 410, 450, 490]
        .map((x, i) => drawPine(x, SEA_LEVEL - 2, 0.62 + (i % 3) * 0.14, detail, darken(detail, 0.3)))
        .join(''),
      drawSurface(near),
    ].join(''),
  front: ({ near }) => drawFrontWaves(near),
}

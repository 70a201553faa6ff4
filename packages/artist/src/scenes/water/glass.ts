import { darken, lighten, mix, SHADOW } from '../../colour.ts'
import { circle, ellipse, line, opacity, path, place, rect } from '../../svg.ts'
import { drawBackdrop, scatter } from '../parts.ts'
import { scheme } from '../scene.ts'
import { drawBubbles, drawWater, placeBlade } from './parts.ts'
import type { WaterScene } from './water-scene.ts'

/** Water, wall, deeper water, gravel and table. */
const glassSchemes = [
  scheme('#bee', '#fdc', '#add', '#add', '#e98', '#e97'),
  scheme('#9de', '#eef', '#7cd', '#7cd', '#ec6', '#b8c'),
  scheme('#48b', '#fec', '#37a', '#37a', '#eda', '#d96'),
  scheme('#378', '#fcb', '#267', '#267', '#db9', '#c76'),
  scheme('#358', '#edd', '#247', '#247', '#a9c', '#c79'),
  scheme('#ced', '#fed', '#adc', '#adc', '#fcb', '#e98'),
  scheme('#388', '#fda', '#277', '#277', '#ed9', '#d95'),
  scheme('#549', '#eed', '#438', '#438', '#dac', '#8a7'),
] as const

export const bowl: WaterScene = {
  phrase: 'in a glass bowl',
  water: 'bowl',
  tags: ['fishbowl'],
  stage: [84, 130, 428, 400],
  schemes: glassSchemes,
  back: ({ sky, glow, far, near, detail }, sketch, occupied) => {
    const { chance } = sketch
    return [
      drawBackdrop(glow),
      rect(0, 436, 512, 76, detail) + rect(0, 436, 512, 8, lighten(detail, 0.3)),
      ellipse(256, 484, 180, 15, SHADOW, 0, opacity(0.22)),
      circle(256, 262, 226, '#fff', opacity(0.5)),
      sketch.clip(
        'M256 48A214 214 0 1 0 256.1 48Z',
        rect(0, 48, 512, 60, mix(sky, '#fff', 0.7)),
        drawWater(sky, far, chance, 108),
        ellipse(256, 108, 190, 14, lighten(sky, 0.45)),
        placeBlade(occupied, 98, 440, 170, 12, mix('#5a7', sky, 0.25), 1),
        placeBlade(occupied, 416, 440, 150, 12, mix('#7b7', sky, 0.25), -1),
        ellipse(256, 482, 210, 66, near),
        scatter(chance, 'gravel', 14, [110, 424, 402, 466], (x, y, random) =>
          circle(x, y, 5 + random() * 4, random() < 0.5 ? darken(near, 0.16) : lighten(near, 0.45)),
        ),
      ),
      ellipse(256, 54, 118, 14, 'none', 0, `stroke="#fff" stroke-width="9" ${opacity(0.9)}`),
    ].join('')
  },
  front: () => line('M84 200Q100 140 148 104M76 236v6', '#fff', 12, opacity(0.6)),
}

export const aquarium: WaterScene = {
  phrase: 'in an aquarium',
  water: 'tank',
  tags: [],
  stage: [50, 106, 462, 384],
  schemes: glassSchemes,
  back({ sky, glow, far, near, detail }, { chance }, occupied) {
    // The lid would cut sparkles.
    occupied.push([0, 0, 512, 72])
    const x = chance.pick('plant x', [140, 398])
    return [
      drawBackdrop(glow),
      rect(0, 468, 512, 44, detail) + rect(0, 468, 512, 7, lighten(detail, 0.3)),
      rect(24, 58, 464, 414, mix(sky, '#fff', 0.75), 14),
      `<g transform="translate(31 0) scale(.88 .92)">${drawWater(sky, far, chance, 98)}</g>`,
      placeBlade(occupied, x, 452, 190, 12, mix('#5a7', sky, 0.3), 1),
      placeBlade(occupied, x - 36, 452, 130, 11, mix('#7b7', sky, 0.3), -1),
      placeBlade(occupied, 520 - x, 452, 100, 11, mix('#7b7', sky, 0.3), 1),
      path('M31 440Q140 420 256 434T481 428V466H31Z', near),
      scatter(chance, 'gravel', 22, [40, 440, 474, 460], (px, y, random) =>
        circle(px, y, 4 + random() * 4, random() < 0.5 ? darken(near, 0.16) : lighten(near, 0.45)),
      ),
      place({ x: 46, y: 30, scale: 0.82 }, drawBubbles('#fff', chance, 90)),
    ].join('')
  },
  front: ({ detail }) =>
    rect(27, 58, 458, 411, 'none', 14, 'stroke="#fff" stroke-width="8" stroke-opacity=".75"') +
    rect(18, 40, 476, 26, darken(detail, 0.35), 10) +
    line('M52 330V150M52 128v-8', '#fff', 9, opacity(0.5)),
}

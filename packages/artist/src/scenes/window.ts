import { CREAM, INK } from '../colour.ts'
import { circle, opacity, path, rect } from '../svg.ts'
import { drawBackdrop, drawCloud, drawHill } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

export const window: Scene = {
  phrase: 'at a window',
  tags: ['indoors', 'home'],
  schemes: [
    scheme('#cdeaf3', '#ffe08a', '#b7dfb3', '#9ccf9a', '#c98f62', '#f58aa7'),
    scheme('#ffdcc4', '#fff3d6', '#f3b59f', '#e59b8d', '#8a5a5f', '#7fb7a6'),
    scheme('#2f3b6b', '#ffeeb8', '#3b4a80', '#2a3560', '#7c5a78', '#f2a65a'),
    scheme('#3f8b98', '#fff0c0', '#35788a', '#2d6878', '#b57a58', '#ffcf5c'),
    scheme('#e6dcf7', '#ffffff', '#cbbcec', '#b5a3e0', '#8d6f9e', '#f0997f'),
  ],
  back({ sky, glow, far, mid, near, detail }, { chance }) {
    const curtain = 'M-10-10H150Q140 90 96 180Q70 250 84 330Q40 350-10 340Z'
    return [
      drawBackdrop(sky),
      circle(chance.pick('disc x', [180, 340]), 110, 36, glow),
      drawCloud(chance.between('cloud x', 190, 330), 170, 40, '#ffffff', 0.6),
      drawHill(chance, 'far', 290, 22, far),
      drawHill(chance, 'mid', 350, 14, mid),
      rect(249, 0, 14, 430, CREAM),
      rect(0, 196, 512, 12, CREAM),
      `<g fill="${detail}">${path(curtain, detail)}<g transform="matrix(-1 0 0 1 512 0)">${path(curtain, detail)}</g></g>`,
      path(
        'M84 330Q70 250 96 180Q140 90 150-10M428 330Q442 250 416 180Q372 90 362-10',
        'none',
        `stroke="${INK}" stroke-width="5" ${opacity(0.12)}`,
      ),
      rect(-10, 420, 532, 102, near),
      rect(-10, 420, 532, 16, '#ffffff', 0, opacity(0.25)),
    ].join('')
  },
}

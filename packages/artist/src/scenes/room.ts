import { CREAM } from '../colour.ts'
import { circle, ellipse, line, opacity, path, place, rect, svg } from '../svg.ts'
import { drawBackdrop, drawGround } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

const plant = (x: number, leaf: string, pot: string) =>
  place(
    { x, y: 420 },
    path(
      'M0-60C-10-120-60-130-64-100C-50-70-20-60 0-60ZM0-60C0-140 40-170 54-140C56-100 30-70 0-60ZM0-60C20-100 70-96 70-72C50-50 20-50 0-60Z',
      leaf,
    ),
    path('M-34-64H34L26-4Q24 2 18 2H-18Q-24 2-26-4Z', pot),
  )

export const room: Scene = {
  phrase: 'in a cosy room',
  tags: ['indoors', 'home'],
  schemes: [
    scheme('#fbe3d0', '#fff3df', '#f7d3ba', '#f7d3ba', '#d99a7a', '#5fa08a'),
    scheme('#d5e8e0', '#eef7f0', '#bfdccf', '#bfdccf', '#8fb09a', '#e8836a'),
    scheme('#e3dcf2', '#f3effa', '#d0c5e8', '#d0c5e8', '#a58fc4', '#f0b65a'),
    scheme('#3f7f86', '#5a9aa0', '#37737a', '#37737a', '#b98a66', '#ffd166'),
    scheme('#38557d', '#537099', '#324d72', '#324d72', '#9a7a6a', '#f0b45f'),
    scheme('#e3b04f', '#f3cd85', '#d9a440', '#d9a440', '#a86f45', '#3f8a80'),
    scheme('#6f9a6a', '#93b98a', '#65905f', '#65905f', '#a87a56', '#f2a07f'),
    scheme('#c9605a', '#d97a70', '#bb554f', '#bb554f', '#7a4450', '#8fd0c0'),
  ],
  back({ sky, glow, far, near, detail }, { chance }) {
    const stripes = Array.from({ length: 8 }, (_, i) => rect(i * 66 + 8, 0, 30, 512, far)).join('')
    const dots = Array.from({ length: 30 }, (_, i) =>
      circle((i % 6) * 92 + (Math.floor(i / 6) % 2) * 46 + 6, Math.floor(i / 6) * 84 + 30, 9, far),
    ).join('')
    const side = chance.pick('plant side', [70, 442])
    const frame = side === 70 ? 456 : 56
    return [
      drawBackdrop(sky),
      chance.choose('wallpaper', { stripes: 1, dots: 1 }) === 'dots' ? dots : stripes,
      rect(frame - 40, 28, 80, 66, CREAM, 6),
      rect(frame - 31, 37, 62, 48, glow, 3),
      path(svg`M${frame - 31} 85l21-29 15 17 12-12 14 24z`, detail),
      drawGround(410, near),
      rect(0, 400, 512, 12, glow),
      ellipse(256, 462, 216, 40, detail),
      ellipse(256, 462, 180, 31, glow, 0),
      line('M92 462a164 28 0 0 0 328 0', detail, 5, opacity(0.6)),
      plant(side, '#4f9a72', detail),
    ].join('')
  },
}

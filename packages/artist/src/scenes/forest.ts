import { CREAM } from '../colour.ts'
import { circle, ellipse, opacity, path, place, svg } from '../svg.ts'
import { drawBackdrop, drawGrass, drawHill, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

const trunk = (x: number, width: number, fill: string) =>
  path(
    svg`M${x}-10C${x + 6} 150 ${x + 4} 300 ${x - 12} 430H${x + width + 12}C${x + width - 4} 300 ${x + width - 6} 150 ${x + width}-10Z`,
    fill,
  )

const mushroom = (x: number, y: number, scale: number, cap: string) =>
  place(
    { x, y, scale },
    path('M-9-26H9Q8-6 13 0H-13Q-8-6-9-26Z', '#fff3df'),
    path('M-30-24Q-28-60 0-60T30-24Q0-14-30-24Z', cap),
    circle(-10, -40, 5, CREAM),
    circle(9, -46, 4, CREAM),
    circle(14, -32, 4, CREAM),
  )

export const forest: Scene = {
  phrase: 'in a forest with mushrooms',
  tags: ['mushrooms', 'trees', 'outdoors'],
  schemes: [
    scheme('#dcefd4', '#fff6d0', '#c2dfba', '#a8d0a4', '#79ae7e', '#e8694f'),
    scheme('#fbe9cb', '#fff9e6', '#efd3a6', '#e2bd8a', '#b58a5f', '#d9534f'),
    scheme('#2f6b62', '#8fd0b0', '#286057', '#225249', '#1a433c', '#ff9f7f'),
    scheme('#37517f', '#9fc0f0', '#2f4771', '#283d62', '#203150', '#f58aa7'),
    scheme('#cfe5ee', '#ffffff', '#b3d2dd', '#98c0ca', '#6d9fa8', '#c9679a'),
  ],
  back: ({ sky, glow, far, mid, near }, { chance }) =>
    [
      drawBackdrop(sky),
      ellipse(256, 210, 210, 230, glow, 0, opacity(0.22)),
      scatter(chance, 'far trunks', 6, [0, 0, 512, 1], (x, _, random) => trunk(x, 18 + random() * 12, far)),
      scatter(chance, 'trunks', 4, [-30, 0, 500, 1], (x, _, random) =>
        x > 120 && x < 340 ? '' : trunk(x, 38 + random() * 16, mid),
      ),
      path(
        'M-10-10H522V50Q490 92 440 60Q400 96 350 56Q300 88 256 50Q200 90 150 56Q100 98 60 60Q20 90-10 50Z',
        near,
        opacity(0.9),
      ),
      drawHill(chance, 'near', 412, 8, near),
    ].join(''),
  front: ({ mid, detail }, { chance }) =>
    drawGrass(chance, mid) +
    mushroom(chance.between('mushroom x', 40, 110), 492, chance.between('mushroom size', 0.8, 1.2), detail) +
    mushroom(chance.between('mushroom 2 x', 400, 470), 500, chance.between('mushroom 2 size', 0.6, 1.1), detail),
}

import { darken } from '../colour.ts'
import { opacity, path, svg } from '../svg.ts'
import { drawBackdrop, drawHill, drawTree, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

const LEAVES = ['#e8694f', '#f2a65a', '#ffcf5c', '#c94f4f']

const leaf = (x: number, y: number, size: number, random: () => number) =>
  path(
    'M0-10C9-8 9 5 0 11C-9 5-9-8 0-10Z',
    LEAVES[Math.floor(random() * LEAVES.length)]!,
    svg`transform="translate(${x} ${y}) rotate(${random() * 360}) scale(${size})"`,
  )

export const autumn: Scene = {
  phrase: 'among falling leaves',
  tags: ['autumn', 'leaves', 'outdoors'],
  prominent: ['detail'],
  schemes: [
    scheme('#fdebc8', '#ffffff', '#f6d49a', '#eabf7e', '#c9915a', '#d9773f'),
    scheme('#cfe4e4', '#ffffff', '#e3d3a3', '#d6bd84', '#a98756', '#d9653f'),
    scheme('#5f8f96', '#ffffff', '#4f7b80', '#42696c', '#6b4f45', '#e39a4f'),
    scheme('#5d4a78', '#ffffff', '#4e3d68', '#43345a', '#6a3f4a', '#f0894f'),
    scheme('#e9d5e3', '#ffffff', '#dab6c4', '#c99aaa', '#9a6a78', '#e07a4f'),
    scheme('#cfe4e4', '#ffffff', '#e3d3a3', '#d6bd84', '#a98756', '#8f3f45'),
    scheme('#4f7f88', '#ffffff', '#456f77', '#3b6067', '#5f463f', '#ffd66b'),
    scheme('#5d4a78', '#ffffff', '#4e3d68', '#43345a', '#6a3f4a', '#a3405a'),
  ],
  back: ({ sky, far, mid, near, detail }, { chance }) =>
    [
      drawBackdrop(sky),
      drawHill(chance, 'far', 300, 20, far),
      scatter(chance, 'trees', 6, [0, 350, 512, 392], (x, y, random) =>
        x > 170 && x < 340
          ? ''
          : drawTree(x, y, 1.1 + random() * 0.6, random() < 0.6 ? detail : darken(detail, 0.12), near),
      ),
      drawHill(chance, 'mid', 375, 12, mid),
      drawHill(chance, 'near', 425, 8, near),
      `<g ${opacity(0.9)}>${scatter(chance, 'leaves', 14, [10, 20, 500, 380], (x, y, random) => leaf(x, y, 0.9 + random() * 0.5, random))}</g>`,
    ].join(''),
  front: (_, { chance }) =>
    scatter(chance, 'near leaves', 12, [10, 462, 500, 504], (x, y, random) => leaf(x, y, 1.2 + random() * 0.6, random)),
}

import { darken } from '../colour.ts'
import type { Chance } from '../random.ts'
import { path, svg } from '../svg.ts'
import { drawBackdrop, drawHill, drawTree, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

const LEAVES = ['#e8694f', '#f2a65a', '#ffcf5c', '#c94f4f']

const LEAF_SHAPES = [
  'c10-6 20-4 25 4c-9 7-20 6-25-4Z',
  'c4-10 13-15 22-13c0 11-10 17-22 13Z',
  'c8 6 9 16 5 24c-10-3-12-15-5-24Z',
]

/** Leaves of all colours; one path per colour. */
function drawLeaves(chance: Chance, name: string, count: number, area: readonly [number, number, number, number]) {
  const outlines = LEAVES.map(() => '')
  scatter(chance, name, count, area, (x, y, random) => {
    const shape = LEAF_SHAPES[Math.floor(random() * LEAF_SHAPES.length)]!
    outlines[Math.floor(random() * LEAVES.length)] += svg`M${x} ${y}${shape}`
    return ''
  })
  return outlines.map((outline, i) => outline && path(outline, LEAVES[i]!)).join('')
}

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
      drawLeaves(chance, 'leaves', 14, [10, 20, 500, 380]),
    ].join(''),
  front: (_, { chance }) => drawLeaves(chance, 'near leaves', 12, [10, 458, 500, 500]),
}

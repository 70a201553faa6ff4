import type { Box } from '../boxes.ts'
import { darken } from '../colour.ts'
import type { Chance } from '../random.ts'
import { path, svg } from '../svg.ts'
import { drawBackdrop, drawHill, drawTree, findFreePlace, scatter } from './parts.ts'
import { type Scene, scheme } from './scene.ts'

const LEAVES = ['#e65', '#ea5', '#fc5', '#c55']

const LEAF_SHAPES = [
  'c10-6 20-4 25 4c-9 7-20 6-25-4Z',
  'c4-10 13-15 22-13c0 11-10 17-22 13Z',
  'c8 6 9 16 5 24c-10-3-12-15-5-24Z',
]

/** Leaves of all colours; one path per colour. */
function drawLeaves(
  chance: Chance,
  name: string,
  count: number,
  area: readonly [number, number, number, number],
  occupied: Box[] = [],
) {
  const outlines = LEAVES.map(() => '')
  scatter(chance, name, count, area, (x, y, random) => {
    const shape = LEAF_SHAPES[Math.floor(random() * LEAF_SHAPES.length)]!
    const colour = Math.floor(random() * LEAVES.length)
    // A leaf that touches the animal would look like a part of it.
    if (findFreePlace(occupied, [[x + 10, y + 5]], 25)) outlines[colour] += svg`M${x} ${y}${shape}`
    return ''
  })
  return outlines.map((outline, i) => outline && path(outline, LEAVES[i]!)).join('')
}

export const autumn: Scene = {
  phrase: 'among falling leaves',
  tags: ['autumn', 'leaves', 'outdoors'],
  prominent: ['detail'],
  schemes: [
    scheme('#fec', '#fff', '#ec9', '#eb7', '#c95', '#d74'),
    scheme('#cdd', '#fff', '#dca', '#db8', '#a85', '#d64'),
    scheme('#689', '#fff', '#578', '#466', '#654', '#d95'),
    scheme('#547', '#fff', '#546', '#435', '#644', '#e85'),
    scheme('#edd', '#fff', '#dbc', '#c9a', '#967', '#d75'),
    scheme('#cdd', '#fff', '#dca', '#db8', '#a85', '#844'),
    scheme('#578', '#fff', '#477', '#366', '#644', '#fd6'),
    scheme('#547', '#fff', '#546', '#435', '#644', '#a45'),
  ],
  back: ({ sky, far, mid, near, detail }, { chance }, occupied) =>
    [
      drawBackdrop(sky),
      drawHill(chance, 'far', 300, 20, far),
      scatter(chance, 'trees', 6, [0, 350, 512, 390], (x, y, random) =>
        x > 170 && x < 340
          ? ''
          : drawTree(x, y, 1.1 + random() * 0.6, random() < 0.6 ? detail : darken(detail, 0.12), near),
      ),
      drawHill(chance, 'mid', 380, 12, mid),
      drawHill(chance, 'near', 430, 8, near),
      drawLeaves(chance, 'leaves', 14, [10, 20, 500, 380], occupied),
    ].join(''),
  front: (_, { chance }) => drawLeaves(chance, 'near leaves', 12, [10, 460, 500, 500]),
}

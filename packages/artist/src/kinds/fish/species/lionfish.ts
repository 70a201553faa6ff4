import { darken } from '../../../colour.ts'
import { line } from '../../../svg.ts'
import { bands } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const lionfish = defineSpecies({
  name: 'lionfish',
  water: ['sea', 'reef'],
  varieties: {
    red: ['#d9534a', '#fff0dc', '#ea7a5e', '#fff0dc', '#f2a08a'],
    orange: ['#ef8f45', '#fff4e0', '#f7ad63', '#8f3f30', '#ffc890'],
    maroon: ['#9c3f55', '#ffe9d2', '#bd5f66', '#ffe9d2', '#c9788a'],
    white: ['#fbf3ea', '#c4504a', '#f2b3a0', '#b04540', '#ffffff'],
    brown: ['#8f5f4c', '#ffeacc', '#b58264', '#ffeacc', '#b58a70'],
    purple: ['#7d5aa8', '#ffe6f2', '#a583cf', '#ffe6f2', '#a88aca'],
  },
  markings: [
    [
      'zebra bands',
      ({ marks }) =>
        bands(
          [
            [-100, 10],
            [-34, 13],
            [-8, 7],
            [14, 14],
            [42, 7],
            [64, 14],
            [92, 8],
          ],
          marks,
          undefined,
          14,
        ),
    ],
    [
      'fine bands',
      ({ marks }) =>
        bands(
          [
            [-36, 7],
            [-16, 7],
            [4, 7],
            [24, 7],
            [44, 7],
            [64, 7],
            [84, 7],
          ],
          marks,
          undefined,
          14,
        ),
    ],
    [
      'pairs of bands',
      ({ marks }) =>
        bands(
          [
            [-34, 16],
            [-12, 6],
            [26, 16],
            [48, 6],
            [84, 14],
          ],
          marks,
          undefined,
          14,
        ),
    ],
  ],
  shape: {
    body: '-126,12 -108,-26 -64,-58 0,-66 62,-46 106,-16 108,18 62,46 0,64 -64,64 -108,42',
    tail: ['94,-14 130,-44 168,-52 178,0 168,52 130,46 94,18'],
    fins: [
      '30,-48 46,-86 78,-102 102,-84 104,-40 70,-30',
      '26,46 40,84 72,102 100,84 104,44 70,30',
      '-40,50 -30,104 -6,130 12,126 14,84 6,52',
    ],
    behind: ({ colours: { fins, marks } }) => {
      const spines = 'M-62-46L-92-112M-44-54L-62-134M-24-56L-28-146M-2-58L8-146M18-54L40-132'
      return line(spines, fins, 15) + line(spines, marks, 15, 'stroke-dasharray="9 20" stroke-linecap="butt"')
    },
    front: ({ colours: { fins, marks } }) => {
      const rays = 'M-2 18L72-12M-2 22L92 22M-2 26L82 58M-4 32L56 88'
      return line(rays, darken(fins, 0.12), 15) + line(rays, marks, 15, 'stroke-dasharray="8 18" stroke-linecap="butt"')
    },
    pectoral: [-6, 24, 0.5],
    eye: [-70, -12, 23],
    mouth: [-122, 20],
    gill: -36,
    throat: [-70, 66],
  },
  reach: [0, -156, 0, 0],
})

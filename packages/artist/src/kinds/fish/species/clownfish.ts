import { bands } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const clownfish = defineSpecies({
  name: 'clownfish',
  water: ['sea', 'reef', 'tank'],
  varieties: {
    orange: ['#f9823a', '#fffaf0', '#fb9d4e', '#3d2c42'],
    black: ['#4a4668', '#fffaf0', '#5d5884', '#f7a94a'],
    red: ['#dd4b42', '#fffaf0', '#ea6a4e', '#3d2c42'],
    yellow: ['#ffc640', '#fffaf0', '#ffb02e', '#5a3b46'],
    pink: ['#f58ea3', '#fffaf0', '#f9a9b4', '#9c4a72'],
    maroon: ['#a83c50', '#ffe6b8', '#bd4f5a', '#4f1f38'],
  },
  markings: [
    [
      'three pale bands',
      ({ marks, trim }) =>
        bands(
          [
            [-28, 24],
            [36, 26],
            [90, 22],
          ],
          marks,
          trim,
        ),
    ],
    [
      'two pale bands',
      ({ marks, trim }) =>
        bands(
          [
            [-26, 26],
            [44, 28],
          ],
          marks,
          trim,
        ),
    ],
    ['one pale band', ({ marks, trim }) => bands([[-24, 30]], marks, trim)],
  ],
  shape: {
    body: '-122,10 -106,-32 -64,-66 0,-80 62,-60 104,-24 108,20 66,58 0,82 -62,72 -106,44',
    tail: ['92,-16 126,-46 164,-50 178,-2 164,48 126,46 92,18'],
    fins: [
      '-44,-62 -34,-96 0,-110 28,-96 46,-84 68,-98 94,-80 98,-46 62,-44 0,-60',
      '26,62 44,56 84,40 98,74 72,104 42,96',
      '-46,58 -14,66 -4,100 -30,116 -50,94',
    ],
    pectoral: [2, 24, 1],
    eye: [-70, -16, 25],
    mouth: [-118, 20],
    gill: -34,
    hat: [-52, -68, -22],
    throat: [-66, 72],
    edge: 6,
  },
})

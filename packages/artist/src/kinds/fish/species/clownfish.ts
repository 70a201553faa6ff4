import { bands } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const clownfish = defineSpecies({
  water: ['sea', 'reef', 'tank'],
  varieties: {
    orange: ['#f83', '#fffaf2', '#f95', '#434'],
    black: ['#446', '#fffaf2', '#558', '#fa4'],
    red: ['#d44', '#fffaf2', '#e65', '#434'],
    pink: ['#e8a', '#fffaf2', '#fab', '#947'],
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
            [45, 28],
          ],
          marks,
          trim,
        ),
    ],
    ['one pale band', ({ marks, trim }) => bands([[-24, 30]], marks, trim)],
  ],
  shape: {
    body: '-120,10 -105,-30 -65,-65 0,-80 60,-60 105,-25 110,20 65,60 0,80 -60,70 -105,45',
    tail: ['90,-16 125,-45 165,-50 180,-2 165,50 125,45 90,18'],
    fins: [
      '-45,-60 -35,-95 0,-110 30,-95 45,-85 70,-98 95,-80 98,-45 60,-45 0,-60',
      '25,60 45,55 85,40 98,75 70,105 40,95',
      '-45,60 -14,65 -4,100 -30,115 -50,95',
    ],
    pectoral: [2, 24, 1],
    eye: [-70, -16, 25],
    mouth: [-110, 20],
    gill: -34,
    hat: [-50, -70, -22],
    edge: 6,
  },
})

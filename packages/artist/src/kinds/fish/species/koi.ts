import { ellipse } from '../../../svg.ts'
import { patch, scales, spots } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const koi = defineSpecies({
  name: 'koi',
  water: ['pond', 'river'],
  varieties: {
    'white and orange': ['#fdf6ea', '#f4743b', '#ffe9d6', '#4a3c50'],
    'white and red': ['#fdf6ea', '#dd4538', '#fbe3da', '#4a3c50'],
    gold: ['#ffc849', '#fff1b8', '#ffdb80', '#e89a34'],
    orange: ['#f78a3c', '#fff3e0', '#ffae66', '#4a3c50'],
    'black and white': ['#fbf7f0', '#4a465e', '#e6e0e6', '#4a465e'],
    'blue-grey': ['#8ea6c2', '#f47f45', '#b3c4d8', '#4f6282'],
  },
  markings: [
    [
      'large patches',
      ({ marks }, random) =>
        patch(-92, -40, 46, 34, marks, random) +
        patch(-4, -34, 46, 34, marks, random) +
        patch(84, -8, 34, 28, marks, random),
    ],
    [
      'dark-spotted patches',
      ({ marks, trim }, random) =>
        patch(-20, -40, 56, 32, marks, random) +
        patch(74, -10, 34, 28, marks, random) +
        spots([-30, -44, 110, 34], 4, 2, 9, trim, random),
    ],
    [
      'a round spot on its head',
      ({ marks, trim }) => ellipse(-74, -54, 34, 20, marks) + scales([-24, -46, 130, 50], 24, trim),
    ],
  ],
  shape: {
    body: '-148,10 -126,-26 -72,-52 0,-58 72,-40 124,-16 126,12 74,40 0,60 -74,60 -128,42',
    tail: ['112,-10 148,-44 198,-70 200,-36 174,-2 198,32 196,68 148,46 112,14'],
    fins: [
      '-44,-48 -34,-88 6,-96 50,-80 78,-52 74,-32 0,-44',
      '46,38 62,72 90,84 98,58 88,28',
      '-26,46 -8,92 20,104 30,74 14,46',
    ],
    threads: 'M-138 26Q-150 44-142 60M-126 36Q-132 54-120 66',
    pectoral: [-22, 30, 0.95],
    eye: [-92, -10, 21],
    mouth: [-143, 18],
    mouthScale: 0.9,
    gill: -54,
    hat: [-80, -48, -16],
    throat: [-84, 58],
  },
})

import { circle, opacity, path } from '../../../svg.ts'
import { patch, scales } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const betta = defineSpecies({
  name: 'betta',
  water: ['tank', 'bowl', 'pond'],
  varieties: {
    red: ['#c9404a', '#f7a08a', '#ea5f58', '#ffd9c4', '#e07a76'],
    blue: ['#3f6fd0', '#8fd0f5', '#5b96ea', '#cfe9ff', '#6f9ae6'],
    purple: ['#7a50b8', '#e0a8f0', '#a070d6', '#f2d9fa', '#9f7ad0'],
    teal: ['#2f9a9a', '#b8f0d8', '#58c2b6', '#dff7ea', '#5fb8b0'],
    'white and pink': ['#fdf3f0', '#f590a8', '#fbc3cf', '#e86f94', '#ffffff'],
    'yellow and orange': ['#ffc83f', '#ff9448', '#ff9f4a', '#fff0c4', '#ffde80'],
  },
  markings: [
    ['a shimmer of scales', ({ marks }) => scales([-26, -40, 96, 44], 22, marks)],
    ['a pale face', ({ belly: pale }) => path('M-200-100H-40Q-22 0-44 100H-200Z', pale)],
    [
      'bright patches',
      ({ marks }, random) => patch(-4, -30, 30, 20, marks, random) + patch(54, 4, 26, 20, marks, random),
    ],
  ],
  tailMarkings: ({ trim }) => circle(66, 4, 94, 'none', `stroke="${trim}" stroke-width="12" ${opacity(0.4)}`),
  shape: {
    body: '-124,8 -104,-26 -52,-48 14,-48 72,-30 98,-8 98,16 70,38 14,52 -52,54 -104,36',
    tail: [
      '80,-14 98,-72 140,-126 172,-132 178,-96 212,-92 204,-50 230,-18 208,14 226,58 190,66 184,106 150,98 132,126 102,70',
    ],
    fins: [
      '-14,-40 -10,-96 18,-140 46,-126 66,-148 92,-122 104,-86 92,-30 40,-36',
      '-30,44 -30,92 0,136 22,122 46,148 70,124 96,132 104,78 92,32 30,42',
      '-56,46 -60,92 -42,128 -34,86 -36,50',
    ],
    pectoral: [-16, 16, 0.7],
    eye: [-76, -8, 22],
    mouth: [-121, 14],
    mouthScale: 0.85,
    gill: -44,
    hat: [-58, -48, -14],
    throat: [-80, 48],
    edge: 5,
    skin: ({ body, belly: pale }, marking) => (marking === 1 ? pale : body),
  },
})

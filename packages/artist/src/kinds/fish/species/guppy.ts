import { circle } from '../../../svg.ts'
import { belly, spots, stripes } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const guppy = defineSpecies({
  name: 'guppy',
  water: ['tank', 'bowl', 'river', 'pond'],
  varieties: {
    'silver and orange': ['#c9d3dc', '#5f6f8c', '#ff9a48', '#e2573f', '#eef2f5'],
    'blue and yellow': ['#5f96dc', '#ffe27a', '#ffd24f', '#3a66b5', '#a8ccf5'],
    'green and pink': ['#7fc48a', '#f7f0a8', '#f58ab0', '#b5487f', '#c4ebc4'],
    'purple and teal': ['#9a7ad6', '#ffd9f5', '#5cc4bc', '#2f7f86', '#c9b5f0'],
    'yellow and red': ['#ffd45a', '#f2953f', '#ea5a4e', '#9c2f40', '#fff0b0'],
    'pink and blue': ['#f7a3b5', '#fff0f0', '#6aa8ee', '#3a66b5', '#ffd5dc'],
  },
  markings: [
    ['a plain body', ({ belly: pale }) => belly(pale, 8)],
    [
      'little spots',
      ({ marks, belly: pale }, random) => belly(pale, 12) + spots([-34, -36, 84, 24], 4, 2, 8, marks, random),
    ],
    ['slim stripes', ({ marks, belly: pale }) => belly(pale, 14) + stripes([-26, -8, 10], -40, marks, 7)],
  ],
  tailMarkings: ({ trim }) =>
    [
      [118, -44],
      [150, -66],
      [160, -14],
      [128, 4],
      [156, 40],
      [118, 52],
      [186, -46],
      [190, 14],
      [188, 62],
    ]
      .map(([x, y], i) => circle(x!, y!, 7 + (i % 3) * 2, trim))
      .join(''),
  shape: {
    body: '-128,6 -108,-24 -58,-48 0,-52 56,-34 92,-14 92,16 54,38 -4,56 -62,54 -108,34',
    tail: ['76,-12 108,-66 160,-106 200,-104 206,-56 196,0 206,58 198,104 158,102 108,66 76,16'],
    fins: ['-6,-44 12,-92 54,-108 82,-86 66,-58 50,-30', '-10,46 8,84 34,96 44,66 34,38'],
    pectoral: [-14, 18, 0.8],
    eye: [-76, -8, 23],
    mouth: [-125, 12],
    mouthScale: 0.85,
    gill: -42,
    hat: [-60, -46, -14],
    throat: [-78, 48],
  },
})

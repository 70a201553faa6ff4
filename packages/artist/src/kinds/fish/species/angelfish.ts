import { bands, belly, patch, scales } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const angelfish = defineSpecies({
  name: 'angelfish',
  water: ['river', 'tank', 'bowl'],
  varieties: {
    silver: ['#ccd6e2', '#4a4a6a', '#dfe6ee', '#8f9cb5', '#f2f5f9'],
    gold: ['#ffd35a', '#f08f38', '#ffe28f', '#e8a03a', '#fff0bd'],
    black: ['#4f4a68', '#8f88b0', '#625c80', '#34304c', '#6f6a8c'],
    'white and orange': ['#fbf6ee', '#f58a3f', '#fff0e0', '#f7b07a', '#ffffff'],
    blue: ['#6fa5dc', '#2f4a86', '#94c0ea', '#3f6fb5', '#a8cdf0'],
    pink: ['#f5a3b8', '#b5527e', '#fbc6d2', '#e07a9c', '#ffd9e0'],
  },
  markings: [
    [
      'three bands',
      ({ marks, belly: pale }) =>
        belly(pale, 46) +
        bands(
          [
            [-30, 15],
            [18, 18],
            [68, 16],
          ],
          marks,
        ),
    ],
    [
      'marbled patches',
      ({ marks, belly: pale }, random) =>
        belly(pale, 46) +
        patch(0, -60, 26, 32, marks, random) +
        patch(44, 10, 28, 30, marks, random) +
        patch(-14, 62, 30, 24, marks, random),
    ],
    ['a pearly shimmer', ({ trim, belly: pale }) => belly(pale, 46) + scales([-20, -80, 96, 84], 24, trim)],
  ],
  shape: {
    body: '-116,12 -88,-30 -44,-80 14,-98 62,-56 92,-16 92,18 62,58 14,100 -44,88 -90,50',
    tail: ['80,-14 116,-46 156,-66 146,-20 146,20 156,68 116,50 80,18'],
    fins: [
      '-26,-80 -2,-118 42,-152 108,-178 92,-130 82,-86 86,-40 40,-60',
      '-26,84 -2,122 44,156 110,180 92,132 82,88 86,42 40,62',
    ],
    threads: 'M-44 80Q-54 124-34 158M-32 84Q-34 126-14 152',
    pectoral: [2, 24, 0.8],
    eye: [-62, -12, 24],
    mouth: [-112, 20],
    mouthScale: 0.8,
    gill: -26,
    throat: [-66, 74],
  },
})

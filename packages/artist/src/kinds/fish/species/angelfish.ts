import { drawPatch } from '../../../patch.ts'
import { bands, belly, scales } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const angelfish = defineSpecies({
  water: ['pond', 'tank', 'bowl'],
  varieties: {
    silver: ['#ccd', '#446', '#dde', '#89b', '#eee'],
    gold: ['#fc5', '#e83', '#fd8', '#e93', '#feb'],
    black: ['#546', '#88a', '#658', '#335', '#768'],
    'white and orange': ['#fffaf2', '#e84', '#fed', '#fa7', '#fff'],
  },
  markings: [
    [
      'bold bands',
      ({ marks, belly: pale }) =>
        belly(pale, 45) +
        bands(
          [
            [-30, 15],
            [18, 18],
            [70, 16],
          ],
          marks,
        ),
    ],
    [
      'marbled patches',
      ({ marks, belly: pale }, random) =>
        belly(pale, 45) +
        drawPatch(0, -60, 26, 32, marks, random) +
        drawPatch(45, 10, 28, 30, marks, random) +
        drawPatch(-14, 60, 30, 24, marks, random),
    ],
    ['a pearly shimmer', ({ marks, belly: pale }) => belly(pale, 45) + scales([-20, -80, 95, 85], 24, marks)],
  ],
  shape: {
    body: '-115,12 -90,-30 -45,-80 14,-98 60,-55 90,-16 90,18 60,60 14,100 -45,90 -90,50',
    tail: ['80,-14 115,-45 155,-65 145,-20 145,20 155,70 115,50 80,18'],
    fins: [
      '-25,-80 -2,-120 40,-150 110,-180 90,-130 80,-85 85,-40 40,-60',
      '-25,85 -2,120 45,155 110,180 90,130 80,90 85,40 40,60',
    ],
    threads: 'M-45 80Q-55 125-35 160M-30 85Q-35 125-14 150',
    pectoral: [2, 24, 0.8],
    eye: [-60, -12, 24],
    mouth: [-110, 20],
    mouthScale: 0.8,
    gill: -26,
  },
})

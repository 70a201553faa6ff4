import { line, opacity } from '../../../svg.ts'
import { bands, belly, spots } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const discus = defineSpecies({
  name: 'discus',
  water: ['river', 'tank'],
  varieties: {
    turquoise: ['#4fb8b8', '#d94f4a', '#f2b35a', '#2f7f86', '#8ad8cf'],
    red: ['#e2574a', '#ffe3c0', '#f28a5c', '#9c2f40', '#f7927a'],
    yellow: ['#ffd04a', '#f28a3c', '#ffe38a', '#d9822c', '#ffe99c'],
    blue: ['#4f8ae0', '#b8f0f0', '#7fb5f2', '#2f4f9c', '#8ab8f2'],
    white: ['#faf3ec', '#f0704c', '#f7c9b0', '#e07a5c', '#ffffff'],
    brown: ['#a8704c', '#7fd0d6', '#c9925c', '#6b4530', '#c99a78'],
  },
  markings: [
    [
      'wavy lines',
      ({ marks }) =>
        line(
          [-84, -60, -36, -12, 12, 36, 60, 84]
            .map((y, i) => `M${-24 - (i % 3) * 8} ${y}q18-16 36 0t36 0 36 0 36 0`)
            .join(''),
          marks,
          7,
        ),
    ],
    [
      'small spots',
      ({ marks, belly: pale }, random) => belly(pale, 60) + spots([-24, -88, 104, 90], 5, 6, 7, marks, random),
    ],
    [
      'soft bands',
      ({ trim }) =>
        `<g ${opacity(0.35)}>${bands(
          [
            [-22, 14],
            [16, 15],
            [54, 15],
            [86, 12],
          ],
          trim,
        )}</g>`,
    ],
  ],
  shape: {
    body: '-118,12 -104,-40 -64,-88 0,-106 62,-84 98,-28 98,30 62,86 0,108 -64,92 -106,56',
    tail: ['84,-18 116,-34 142,-40 150,0 142,42 116,36 84,20'],
    fins: ['-42,-90 0,-128 58,-128 100,-92 112,-40 90,-24 40,-70', '-42,92 0,130 58,130 100,94 112,42 90,26 40,72'],
    pectoral: [0, 24, 0.85],
    eye: [-64, -18, 25],
    mouth: [-116, 20],
    mouthScale: 0.85,
    gill: -28,
    throat: [-72, 84],
  },
})

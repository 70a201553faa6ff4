import { path } from '../../../svg.ts'
import { bands, belly, spots } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const sailfish = defineSpecies({
  name: 'sailfish',
  water: ['sea'],
  varieties: {
    blue: ['#4a78c9', '#b8dcf7', '#3a5fb0', '#2a4488', '#e2eef8'],
    teal: ['#3f9aa8', '#c4f0e6', '#2f7f94', '#205f74', '#e0f4f0'],
    silver: ['#a9b8ca', '#5f7698', '#6f86a8', '#4a5f80', '#f0f4f8'],
    purple: ['#7a64b8', '#d6c4f2', '#65509f', '#4a387a', '#ece6f7'],
    bronze: ['#b5854f', '#f7dca0', '#946838', '#6b4726', '#fbefd6'],
    coral: ['#f0806f', '#ffe0c4', '#d9604f', '#a84238', '#fff0e6'],
  },
  markings: [
    ['a pale belly', ({ belly: pale }) => belly(pale, 6)],
    [
      'pale bars',
      ({ marks, belly: pale }) =>
        bands(
          [
            [-30, 7],
            [-4, 7],
            [22, 7],
            [48, 7],
            [74, 7],
            [100, 6],
          ],
          marks,
          undefined,
          10,
        ) + belly(pale, 14),
    ],
    [
      'rows of dots',
      ({ marks, belly: pale }, random) => spots([-40, -34, 120, 12], 9, 2, 4.5, marks, random) + belly(pale, 12),
    ],
  ],
  tailMarkings: () => '',
  shape: {
    body: '-140,8 -114,-26 -60,-50 0,-54 70,-34 120,-12 122,10 70,34 0,52 -60,54 -116,38',
    tail: ['112,-8 142,-54 176,-96 182,-90 164,-40 152,0 164,42 182,92 176,98 142,58 112,12'],
    fins: [
      '-70,-34 -66,-96 -40,-124 -12,-116 14,-138 44,-124 66,-112 88,-72 92,-20 0,-30',
      '34,32 52,58 76,62 78,26',
      '-40,34 -24,84 -10,112 -4,108 -12,74 -14,38',
    ],
    behind: ({ colours: { fins } }) =>
      path('M-110-10Q-170-8-216 0Q-170 14-116 26Z', fins, `stroke="${fins}" stroke-width="5"`),
    pectoral: [-26, 22, 0.7],
    eye: [-84, -8, 22],
    mouth: [-134, 20],
    mouthScale: 0.9,
    gill: -54,
    throat: [-84, 50],
  },
  reach: [-222, 0, 0, 0],
})

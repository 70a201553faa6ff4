import { path } from '../../../svg.ts'
import { belly, patch, scales } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const goldfish = defineSpecies({
  name: 'goldfish',
  water: ['pond', 'tank', 'bowl'],
  varieties: {
    orange: ['#fb8b34', '#ffd08a', '#ffab5c', '#f7953f', '#ffc074'],
    gold: ['#ffc53a', '#fff0b0', '#ffd873', '#f2a52e', '#ffe596'],
    red: ['#e8513f', '#fff3e6', '#f7806a', '#e8513f', '#ff9c80'],
    white: ['#fdf7ef', '#f2603c', '#ffe3d2', '#f7b89c', '#ffffff'],
    black: ['#4c4963', '#f2a650', '#63607e', '#33314a', '#77748f'],
    bronze: ['#b5773c', '#f7d08a', '#cf9655', '#8f5a2c', '#d9a868'],
  },
  markings: [
    ['shiny scales', ({ trim, belly: pale }) => belly(pale, 36) + scales([-16, -70, 110, 60], 26, trim)],
    [
      'bright patches',
      ({ marks, belly: pale }, random) =>
        belly(pale, 40) +
        patch(-10, -66, 46, 34, marks, random) +
        patch(58, 0, 34, 32, marks, random) +
        patch(0, 66, 40, 24, marks, random),
    ],
    [
      'a bright cap',
      ({ marks, belly: pale }) =>
        belly(pale, 40) + path('M-130-100H-6Q0-72-34-54Q-62-44-96-46Q-120-60-130-100Z', marks),
    ],
  ],
  shape: {
    body: '-114,10 -98,-38 -50,-80 12,-90 64,-62 94,-24 94,16 64,58 10,88 -50,84 -98,48',
    tail: [
      '80,-14 108,-58 158,-102 204,-108 214,-72 190,-44 206,-14 170,6 118,14',
      '80,6 122,0 174,14 208,36 212,82 192,114 158,108 130,88 104,48',
    ],
    fins: [
      '-34,-70 -18,-122 28,-142 66,-120 84,-84 78,-46 20,-74',
      '28,70 46,110 74,126 90,96 84,46',
      '-40,66 -34,112 -12,132 6,104 -4,72',
    ],
    pectoral: [0, 26, 0.9],
    eye: [-66, -16, 26],
    mouth: [-112, 22],
    gill: -30,
    hat: [-48, -80, -24],
    throat: [-62, 82],
  },
})

import { line, opacity } from '../../../svg.ts'
import { back, belly, spots } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const trout = defineSpecies({
  name: 'trout',
  water: ['river', 'pond'],
  varieties: {
    silver: ['#b9c6d2', '#5f7088', '#9fb0c2', '#f28f94', '#f0f4f7'],
    brown: ['#b08050', '#6b4630', '#c79a64', '#e2573f', '#f2dcae'],
    gold: ['#f2b544', '#c97a2c', '#f7cc70', '#f2795f', '#fff0c0'],
    green: ['#8faf6a', '#4f6a42', '#a8c482', '#f5948a', '#edf2cc'],
    'pink and silver': ['#eaa0a6', '#8a5f78', '#f2bcbc', '#d9606e', '#fbe6e2'],
    'blue-grey': ['#7d97b5', '#44587a', '#98afc8', '#f59f9a', '#dfe8f0'],
  },
  markings: [
    [
      'a rosy side',
      ({ marks, trim, belly: pale }, random) =>
        belly(pale, 14) +
        line('M-60 2Q30-8 150-2', trim, 17, opacity(0.75)) +
        spots([-50, -46, 120, -12], 7, 2, 5, marks, random),
    ],
    [
      'red spots',
      ({ trim, belly: pale }, random) => belly(pale, 18) + spots([-52, -40, 120, 26], 6, 3, 8, trim, random),
    ],
    ['a dark back', ({ marks, belly: pale }) => belly(pale, 12) + back(marks, -24)],
  ],
  shape: {
    body: '-150,14 -130,-20 -80,-52 0,-62 76,-42 126,-16 128,14 78,42 0,62 -80,64 -132,44',
    tail: ['112,-12 146,-46 184,-68 176,-24 172,0 176,26 184,66 146,46 112,14'],
    fins: [
      '-24,-52 -14,-96 22,-104 52,-80 56,-40',
      '80,-32 92,-58 110,-54 110,-20',
      '58,42 70,76 94,84 104,56 94,26',
      '-12,54 4,88 28,94 36,70 26,48',
    ],
    pectoral: [-32, 26, 0.8],
    eye: [-92, -10, 23],
    mouth: [-146, 22],
    mouthScale: 0.95,
    gill: -54,
    hat: [-76, -50, -14],
    throat: [-92, 62],
  },
})

import { belly, patch, spots } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const sunfish = defineSpecies({
  name: 'sunfish',
  water: ['sea'],
  varieties: {
    silver: ['#b5c2d0', '#7f90a8', '#97a8bb', '#6f819a', '#e9eff4'],
    blue: ['#7fa5d4', '#4f78b0', '#658fc4', '#456da6', '#d3e3f5'],
    brown: ['#b3957c', '#86694f', '#997b62', '#6f543f', '#ece0d2'],
    pink: ['#f2b0b8', '#d67f90', '#e5939f', '#c2687f', '#fdeceb'],
    lilac: ['#b0a0d6', '#8470b5', '#9684c4', '#7460a6', '#e8e2f5'],
    sage: ['#a5c2a0', '#769a74', '#8aab86', '#668a66', '#e3efdd'],
  },
  markings: [
    ['a pale belly', ({ belly: pale }) => belly(pale, 34)],
    [
      'freckles',
      ({ marks, belly: pale }, random) => belly(pale, 44) + spots([-30, -92, 96, 40], 5, 4, 7, marks, random),
    ],
    [
      'cloudy patches',
      ({ marks, belly: pale }, random) =>
        belly(pale, 50) + patch(14, -56, 42, 26, marks, random) + patch(56, 12, 30, 28, marks, random),
    ],
  ],
  shape: {
    body: '-126,14 -110,-36 -64,-86 0,-102 62,-88 92,-48 98,0 92,50 62,88 0,104 -64,90 -110,58',
    tail: ['72,-66 104,-66 116,-46 112,-22 120,0 112,24 116,48 104,68 72,68'],
    fins: ['26,-84 34,-146 58,-190 76,-188 86,-130 82,-62', '26,84 34,148 58,192 76,190 86,132 82,64'],
    pectoral: [0, 8, 0.85],
    eye: [-70, -24, 24],
    mouth: [-121, 16],
    mouthScale: 0.8,
    gill: -30,
    hat: [-36, -96, -18],
    throat: [-78, 80],
  },
})

import { belly, honeycomb, spots } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const boxfish = defineSpecies({
  name: 'boxfish',
  water: ['sea', 'reef', 'tank'],
  varieties: {
    yellow: ['#ffd23f', '#4a4060', '#ffb52e', '#e8952c', '#ffe680'],
    blue: ['#4f86dc', '#ffd75e', '#7fb0f0', '#2f5aa8', '#86b4f2'],
    white: ['#fbf6ea', '#5a86c9', '#f5b860', '#c9b090', '#ffffff'],
    brown: ['#a87452', '#fff0d0', '#d99a5c', '#7a5038', '#c99a76'],
    green: ['#8cc466', '#4a5a3a', '#f2cf5a', '#5f9a4a', '#b8e08c'],
    purple: ['#8f70cf', '#ffe0f0', '#f2a0c8', '#6a4aa8', '#b59ae6'],
  },
  markings: [
    [
      'small dots',
      ({ marks, belly: pale }, random) => belly(pale, 44) + spots([-24, -84, 110, 40], 5, 4, 8, marks, random),
    ],
    [
      'big dots',
      ({ marks, belly: pale }, random) => belly(pale, 44) + spots([-26, -80, 110, 46], 3, 3, 14, marks, random),
    ],
    ['a honeycomb pattern', ({ trim, belly: pale }) => belly(pale, 50) + honeycomb([-24, -90, 110, 60], 17, trim)],
  ],
  shape: {
    body: '-116,20 -112,-14 -92,-66 -40,-84 30,-86 84,-70 104,-28 104,26 88,64 36,80 -40,82 -94,64 -112,44',
    tail: ['94,-12 122,-32 152,-38 160,0 152,40 122,34 94,16'],
    fins: ['38,-74 54,-106 86,-108 98,-84 92,-58', '40,70 56,98 84,100 94,78 90,52'],
    pectoral: [2, 20, 0.8],
    eye: [-66, -18, 27],
    mouth: [-114, 24],
    mouthScale: 0.9,
    gill: -30,
    hat: [-40, -82, -6],
    throat: [-58, 80],
  },
})

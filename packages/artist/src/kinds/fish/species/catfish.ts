import { line } from '../../../svg.ts'
import { back, belly, spots } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const catfish = defineSpecies({
  name: 'catfish',
  water: ['river', 'pond', 'tank'],
  varieties: {
    grey: ['#8f97a8', '#5f6678', '#a8b0c0', '#d9dde6', '#dfe3ea'],
    brown: ['#a07656', '#6b4a38', '#b58c68', '#e6cfae', '#ecd9b8'],
    black: ['#625e7a', '#423e58', '#757190', '#a8a4c0', '#b0acc6'],
    albino: ['#fbe9e0', '#f2b0a0', '#fbd0c4', '#f09a94', '#ffffff'],
    olive: ['#94a060', '#5f6a3c', '#abb578', '#e6e8c0', '#e9ecc6'],
    blue: ['#6a8fc4', '#3f5f94', '#86a8d8', '#d9e6f7', '#d5e3f5'],
  },
  markings: [
    ['a pale belly', ({ belly: pale }) => belly(pale, 18)],
    ['spots', ({ marks, belly: pale }, random) => belly(pale, 26) + spots([-46, -46, 130, 20], 6, 3, 8, marks, random)],
    ['a two-tone back', ({ marks, belly: pale }) => belly(pale, 22) + back(marks, -22)],
  ],
  shape: {
    body: '-140,22 -134,-12 -96,-44 -36,-56 40,-44 116,-18 140,-6 140,16 108,30 40,46 -36,62 -100,62 -134,46',
    tail: ['124,-6 156,-36 184,-46 180,-4 186,44 156,38 124,14'],
    fins: ['-40,-46 -38,-96 -10,-104 6,-78 2,-42', '14,42 30,74 84,72 112,52 116,22 60,32'],
    pectoral: [-30, 42, 0.8],
    eye: [-86, -14, 20],
    mouth: [-138, 24],
    mouthScale: 1.05,
    mouthSkin: ({ belly: pale }) => pale,
    gill: -46,
    throat: [-84, 64],
    front: ({ colours: { marks } }) =>
      line('M-132 14Q-166-6-172-38M-126 44Q-150 64-148 94M-108 54Q-116 78-102 100', marks, 5.5),
  },
  reach: [-180, 0, 0, 108],
})

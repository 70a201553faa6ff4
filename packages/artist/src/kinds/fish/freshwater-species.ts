import { circle, ellipse, line, opacity, path } from '../../svg.ts'
import { back, bands, belly, patch, scales, spots, stripes } from './markings.ts'
import { defineSpecies } from './species.ts'

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

export const koi = defineSpecies({
  name: 'koi',
  water: ['pond', 'river'],
  varieties: {
    'white and orange': ['#fdf6ea', '#f4743b', '#ffe9d6', '#4a3c50'],
    'white and red': ['#fdf6ea', '#dd4538', '#fbe3da', '#4a3c50'],
    gold: ['#ffc849', '#fff1b8', '#ffdb80', '#e89a34'],
    orange: ['#f78a3c', '#fff3e0', '#ffae66', '#4a3c50'],
    'black and white': ['#fbf7f0', '#4a465e', '#e6e0e6', '#4a465e'],
    'blue-grey': ['#8ea6c2', '#f47f45', '#b3c4d8', '#4f6282'],
  },
  markings: [
    [
      'large patches',
      ({ marks }, random) =>
        patch(-92, -40, 46, 34, marks, random) +
        patch(-4, -34, 46, 34, marks, random) +
        patch(84, -8, 34, 28, marks, random),
    ],
    [
      'patches and small dark spots',
      ({ marks, trim }, random) =>
        patch(-20, -40, 56, 32, marks, random) +
        patch(74, -10, 34, 28, marks, random) +
        spots([-30, -44, 110, 34], 4, 2, 9, trim, random),
    ],
    [
      'a round spot on its head',
      ({ marks, trim }) => ellipse(-74, -54, 34, 20, marks) + scales([-24, -46, 130, 50], 24, trim),
    ],
  ],
  shape: {
    body: '-148,10 -126,-26 -72,-52 0,-58 72,-40 124,-16 126,12 74,40 0,60 -74,60 -128,42',
    tail: ['112,-10 148,-44 198,-70 200,-36 174,-2 198,32 196,68 148,46 112,14'],
    fins: [
      '-44,-48 -34,-88 6,-96 50,-80 78,-52 74,-32 0,-44',
      '46,38 62,72 90,84 98,58 88,28',
      '-26,46 -8,92 20,104 30,74 14,46',
    ],
    threads: 'M-138 26Q-150 44-142 60M-126 36Q-132 54-120 66',
    pectoral: [-22, 30, 0.95],
    eye: [-92, -10, 21],
    mouth: [-143, 18],
    mouthScale: 0.9,
    gill: -54,
    hat: [-80, -48, -16],
    throat: [-84, 58],
  },
})

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

export const betta = defineSpecies({
  name: 'betta',
  water: ['tank', 'bowl', 'pond'],
  varieties: {
    red: ['#c9404a', '#f7a08a', '#ea5f58', '#ffd9c4', '#e07a76'],
    blue: ['#3f6fd0', '#8fd0f5', '#5b96ea', '#cfe9ff', '#6f9ae6'],
    purple: ['#7a50b8', '#e0a8f0', '#a070d6', '#f2d9fa', '#9f7ad0'],
    teal: ['#2f9a9a', '#b8f0d8', '#58c2b6', '#dff7ea', '#5fb8b0'],
    'white and pink': ['#fdf3f0', '#f590a8', '#fbc3cf', '#e86f94', '#ffffff'],
    'yellow and orange': ['#ffc83f', '#ff9448', '#ff9f4a', '#fff0c4', '#ffde80'],
  },
  markings: [
    ['a shimmer of scales', ({ marks }) => scales([-26, -40, 96, 44], 22, marks)],
    ['a pale face', ({ belly: pale }) => path('M-200-100H-40Q-22 0-44 100H-200Z', pale)],
    [
      'bright patches',
      ({ marks }, random) => patch(-4, -30, 30, 20, marks, random) + patch(54, 4, 26, 20, marks, random),
    ],
  ],
  tailMarkings: ({ trim }) => circle(66, 4, 94, 'none', `stroke="${trim}" stroke-width="12" ${opacity(0.4)}`),
  shape: {
    body: '-124,8 -104,-26 -52,-48 14,-48 72,-30 98,-8 98,16 70,38 14,52 -52,54 -104,36',
    tail: [
      '80,-14 98,-72 140,-126 172,-132 178,-96 212,-92 204,-50 230,-18 208,14 226,58 190,66 184,106 150,98 132,126 102,70',
    ],
    fins: [
      '-14,-40 -10,-96 18,-140 46,-126 66,-148 92,-122 104,-86 92,-30 40,-36',
      '-30,44 -30,92 0,136 22,122 46,148 70,124 96,132 104,78 92,32 30,42',
      '-56,46 -60,92 -42,128 -34,86 -36,50',
    ],
    pectoral: [-16, 16, 0.7],
    eye: [-76, -8, 22],
    mouth: [-121, 14],
    mouthScale: 0.85,
    gill: -44,
    hat: [-58, -48, -14],
    throat: [-80, 48],
    edge: 5,
    skin: ({ body, belly: pale }, marking) => (marking === 1 ? pale : body),
  },
})

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

import { darken } from '../../colour.ts'
import { circle, ellipse, line, path } from '../../svg.ts'
import { back, bands, belly, honeycomb, spots, stripes } from './markings.ts'
import { defineSpecies } from './species.ts'

export const clownfish = defineSpecies({
  name: 'clownfish',
  water: ['sea', 'reef', 'tank'],
  varieties: {
    orange: ['#f9823a', '#fffaf0', '#fb9d4e', '#3d2c42'],
    black: ['#4a4668', '#fffaf0', '#5d5884', '#f7a94a'],
    red: ['#dd4b42', '#fffaf0', '#ea6a4e', '#3d2c42'],
    yellow: ['#ffc640', '#fffaf0', '#ffb02e', '#5a3b46'],
    pink: ['#f58ea3', '#fffaf0', '#f9a9b4', '#9c4a72'],
    maroon: ['#a83c50', '#ffe6b8', '#bd4f5a', '#4f1f38'],
  },
  markings: [
    [
      'three pale bands',
      ({ marks, trim }) =>
        bands(
          [
            [-28, 24],
            [36, 26],
            [90, 22],
          ],
          marks,
          trim,
        ),
    ],
    [
      'two pale bands',
      ({ marks, trim }) =>
        bands(
          [
            [-26, 26],
            [44, 28],
          ],
          marks,
          trim,
        ),
    ],
    ['one pale band', ({ marks, trim }) => bands([[-24, 30]], marks, trim)],
  ],
  shape: {
    body: '-122,10 -106,-32 -64,-66 0,-80 62,-60 104,-24 108,20 66,58 0,82 -62,72 -106,44',
    tail: ['92,-16 126,-46 164,-50 178,-2 164,48 126,46 92,18'],
    fins: [
      '-44,-62 -34,-96 0,-110 28,-96 46,-84 68,-98 94,-80 98,-46 62,-44 0,-60',
      '26,62 44,56 84,40 98,74 72,104 42,96',
      '-46,58 -14,66 -4,100 -30,116 -50,94',
    ],
    pectoral: [2, 24, 1],
    eye: [-70, -16, 25],
    mouth: [-118, 20],
    gill: -34,
    hat: [-52, -68, -22],
    throat: [-66, 72],
    edge: 6,
  },
})

export const tang = defineSpecies({
  name: 'surgeonfish',
  water: ['sea', 'reef', 'tank'],
  varieties: {
    'blue and yellow': ['#3f7fe0', '#2b2f5e', '#ffd147', '#2b2f5e', '#6aa6f0'],
    yellow: ['#ffd23f', '#fff3c0', '#ffbf2e', '#e8952c', '#ffe88a'],
    purple: ['#7f57c9', '#5b3a9c', '#ffcf4a', '#4a2f80', '#a583e0'],
    'powder blue': ['#8cc3f2', '#34406e', '#ffd95c', '#fffaf0', '#c3e2fa'],
    brown: ['#9a6a52', '#6b4538', '#f7a35c', '#fff0d6', '#bf8f70'],
    white: ['#fbf6ee', '#2f2f50', '#ffc93f', '#2f2f50', '#ffffff'],
  },
  markings: [
    [
      'a curved marking',
      ({ marks, belly: pale }) =>
        belly(pale, 30) +
        path('M-64-60Q0-104 130-60V-8Q96-26 70-30Q40 10-12 4Q-40-4-44-26Q-20-16 2-24Q24-34 10-46Q-26-56-64-36Z', marks),
    ],
    ['fine lines', ({ marks, belly: pale }) => belly(pale, 34) + stripes([-58, -40, -22, -4, 14, 32], -34, marks, 4.5)],
    ['a two-tone back', ({ marks, belly: pale }) => belly(pale, 28) + back(marks, -42)],
  ],
  shape: {
    body: '-122,10 -104,-30 -62,-72 4,-92 66,-68 108,-18 108,16 66,66 4,90 -62,76 -102,44',
    tail: ['96,-14 124,-48 168,-68 156,-24 152,0 156,26 168,68 124,48 96,16'],
    fins: [
      '-52,-64 -40,-92 10,-116 70,-104 104,-66 110,-28 60,-44 0,-74',
      '-34,66 -14,98 30,114 78,98 108,60 108,26 60,44 10,70',
    ],
    pectoral: [-6, 18, 0.9],
    eye: [-68, -20, 24],
    mouth: [-118, 18],
    mouthScale: 0.9,
    gill: -32,
    throat: [-64, 76],
  },
})

export const butterflyfish = defineSpecies({
  name: 'butterflyfish',
  water: ['sea', 'reef', 'tank'],
  varieties: {
    yellow: ['#ffd447', '#44406a', '#ffbe2f', '#fff6da', '#ffe890'],
    white: ['#fdf8ef', '#4a4670', '#ffc83d', '#f59a3c', '#ffffff'],
    orange: ['#f9a04a', '#fff6e6', '#f27f3a', '#8a4a3a', '#ffc88a'],
    blue: ['#5f9fe8', '#fff2b8', '#ffd04a', '#2f5fae', '#9cc8f8'],
    silver: ['#c3cfde', '#f08a3c', '#f2b04a', '#5f6f90', '#e8eef5'],
    lilac: ['#b795e6', '#fff0fa', '#8a63c9', '#ffd25c', '#d8c2f5'],
  },
  markings: [
    [
      'two bands',
      ({ marks, belly: pale }) =>
        belly(pale, 40) +
        bands(
          [
            [-2, 20],
            [52, 20],
          ],
          marks,
        ),
    ],
    [
      'an eyespot near its tail',
      ({ marks, trim, belly: pale }) =>
        belly(pale, 30) + circle(62, -34, 25, trim) + circle(62, -34, 18, marks) + circle(57, -39, 5, '#ffffff'),
    ],
    [
      'fine slanted lines',
      ({ marks, belly: pale }) =>
        belly(pale, 44) + line('M-14-90L40 90M14-100L64 70M42-100L84 40M-36-70L14 94', marks, 5),
    ],
  ],
  shape: {
    body: '-140,18 -112,-8 -76,-52 -16,-94 44,-92 86,-46 104,-14 104,18 86,54 42,94 -16,98 -74,62 -112,34',
    tail: ['92,-14 124,-38 152,-44 158,0 152,46 124,40 92,18'],
    fins: ['-30,-80 -6,-118 56,-134 98,-104 110,-50 92,-22 40,-66', '-14,86 20,122 66,128 100,98 108,54 92,26 40,66'],
    pectoral: [4, 26, 0.9],
    eye: [-66, -10, 23],
    mouth: [-134, 22],
    mouthScale: 0.7,
    gill: -30,
    throat: [-66, 70],
    front: ({ colours: { trim } }) => ellipse(-66, -10, 31, 31, trim),
    skin: ({ trim }) => trim,
  },
})

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

export const lionfish = defineSpecies({
  name: 'lionfish',
  water: ['sea', 'reef'],
  varieties: {
    red: ['#d9534a', '#fff0dc', '#ea7a5e', '#fff0dc', '#f2a08a'],
    orange: ['#ef8f45', '#fff4e0', '#f7ad63', '#8f3f30', '#ffc890'],
    maroon: ['#9c3f55', '#ffe9d2', '#bd5f66', '#ffe9d2', '#c9788a'],
    white: ['#fbf3ea', '#c4504a', '#f2b3a0', '#b04540', '#ffffff'],
    brown: ['#8f5f4c', '#ffeacc', '#b58264', '#ffeacc', '#b58a70'],
    purple: ['#7d5aa8', '#ffe6f2', '#a583cf', '#ffe6f2', '#a88aca'],
  },
  markings: [
    [
      'zebra bands',
      ({ marks }) =>
        bands(
          [
            [-100, 10],
            [-34, 13],
            [-8, 7],
            [14, 14],
            [42, 7],
            [64, 14],
            [92, 8],
          ],
          marks,
          undefined,
          14,
        ),
    ],
    [
      'fine bands',
      ({ marks }) =>
        bands(
          [
            [-36, 7],
            [-16, 7],
            [4, 7],
            [24, 7],
            [44, 7],
            [64, 7],
            [84, 7],
          ],
          marks,
          undefined,
          14,
        ),
    ],
    [
      'pairs of bands',
      ({ marks }) =>
        bands(
          [
            [-34, 16],
            [-12, 6],
            [26, 16],
            [48, 6],
            [84, 14],
          ],
          marks,
          undefined,
          14,
        ),
    ],
  ],
  shape: {
    body: '-126,12 -108,-26 -64,-58 0,-66 62,-46 106,-16 108,18 62,46 0,64 -64,64 -108,42',
    tail: ['94,-14 130,-44 168,-52 178,0 168,52 130,46 94,18'],
    fins: [
      '30,-48 46,-86 78,-102 102,-84 104,-40 70,-30',
      '26,46 40,84 72,102 100,84 104,44 70,30',
      '-40,50 -30,104 -6,130 12,126 14,84 6,52',
    ],
    behind: ({ colours: { fins, marks } }) => {
      const spines = 'M-62-46L-92-112M-44-54L-62-134M-24-56L-28-146M-2-58L8-146M18-54L40-132'
      return line(spines, fins, 15) + line(spines, marks, 15, 'stroke-dasharray="9 20" stroke-linecap="butt"')
    },
    front: ({ colours: { fins, marks } }) => {
      const rays = 'M-2 18L72-12M-2 22L92 22M-2 26L82 58M-4 32L56 88'
      return line(rays, darken(fins, 0.12), 15) + line(rays, marks, 15, 'stroke-dasharray="8 18" stroke-linecap="butt"')
    },
    pectoral: [-6, 24, 0.5],
    eye: [-70, -12, 23],
    mouth: [-122, 20],
    gill: -36,
    throat: [-70, 66],
  },
  reach: [0, -156, 0, 0],
})

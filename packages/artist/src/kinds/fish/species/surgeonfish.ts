import { path } from '../../../svg.ts'
import { back, belly, stripes } from '../markings.ts'
import { defineSpecies } from './define.ts'

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

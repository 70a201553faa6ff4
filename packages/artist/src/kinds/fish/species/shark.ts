import { darken } from '../../../colour.ts'
import { line, opacity, path } from '../../../svg.ts'
import { belly, spots } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const shark = defineSpecies({
  name: 'shark',
  water: ['sea', 'reef', 'deep'],
  varieties: {
    grey: ['#8796ab', '#5f6f88', '#75859c', '#5f6f88', '#f4f6f8'],
    blue: ['#5b8fd0', '#3a66a8', '#4a7dc0', '#3a66a8', '#eef5fb'],
    sand: ['#d9b585', '#8f6a4a', '#c9a070', '#8f6a4a', '#fff6e6'],
    slate: ['#5f6480', '#8f95b0', '#51566f', '#3f4460', '#dfe2ec'],
    teal: ['#4f9f9f', '#2f7478', '#418c8e', '#2f7478', '#e6f5f0'],
    pink: ['#ef9aa8', '#c4607f', '#e5828f', '#c4607f', '#fff0f0'],
  },
  markings: [
    ['a white belly', ({ belly: pale }) => belly(pale, 8)],
    [
      'leopard spots',
      ({ marks, belly: pale }, random) => spots([-56, -50, 130, 16], 6, 3, 9, marks, random) + belly(pale, 14),
    ],
    [
      'tiger stripes',
      ({ marks, belly: pale }) =>
        path('M-34-70l10 56 10-56zM-4-70l11 62 11-62zM30-70l11 60 11-60zM66-60l9 48 9-48zM100-50l7 38 7-38z', marks) +
        belly(pale, 14),
    ],
  ],
  shape: {
    body: '-160,8 -136,-26 -78,-54 0,-60 80,-40 138,-14 140,10 84,36 0,58 -78,62 -138,40',
    tail: ['122,-8 152,-46 192,-96 204,-94 196,-50 180,-6 196,40 186,52 152,34 122,14'],
    fins: [
      '-14,-48 -4,-100 34,-134 46,-130 46,-90 66,-38',
      '62,34 76,64 100,72 104,50 100,22',
      '-50,48 -34,96 2,124 16,120 14,84 6,46',
    ],
    pectoral: [10, 24, 0.01],
    eye: [-98, -10, 20],
    mouth: [-146, 26],
    mouthScale: 1.1,
    mouthSkin: ({ belly: pale }) => pale,
    gill: -40,
    hat: [-76, -54, -12],
    throat: [-96, 60],
    front: ({ colours: { body } }) =>
      line('M-52-16q10 16 2 36M-38-16q10 16 2 36', darken(body, 0.35), 4, opacity(0.5)) +
      path('M-138 29l4 10 7-6zM-122 36l6 9 6-8z', '#ffffff'),
  },
})

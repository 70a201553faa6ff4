import { circle, ellipse, line } from '../../../svg.ts'
import { bands, belly } from '../markings.ts'
import { defineSpecies } from './define.ts'

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

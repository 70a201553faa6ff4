import { darken } from '../../../colour.ts'
import { line, opacity, path } from '../../../svg.ts'
import { belly, spots } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const shark = defineSpecies({
  water: ['sea', 'reef', 'deep'],
  varieties: {
    grey: ['#89a', '#678', '#789', '#678', '#eef'],
    blue: ['#58c', '#36a', '#47b', '#36a', '#eef'],
    sand: ['#db8', '#864', '#c97', '#864', '#fee'],
    pink: ['#e9a', '#c67', '#d88', '#c67', '#fee'],
  },
  markings: [
    ['a white belly', ({ belly: pale }) => belly(pale, 8)],
    [
      'leopard spots',
      ({ marks, belly: pale }, random) => spots([-55, -50, 130, 16], 6, 3, 9, marks, random) + belly(pale, 14),
    ],
    [
      'tiger stripes',
      ({ marks, belly: pale }) =>
        path('M-35-70l10 55 10-55zM-4-70l11 60 11-60zM30-70l11 60 11-60zM65-60l9 50 9-50zM100-50l7 40 7-40z', marks) +
        belly(pale, 14),
    ],
  ],
  shape: {
    body: '-160,8 -135,-25 -80,-55 0,-60 80,-40 140,-14 140,10 85,35 0,60 -80,60 -140,40',
    tail: ['120,-8 150,-45 190,-95 205,-95 196,-50 180,-6 196,40 185,50 150,35 120,14'],
    fins: [
      '-14,-50 -4,-100 35,-135 45,-130 45,-90 65,-40',
      '60,35 75,65 100,70 105,50 100,20',
      '-50,50 -35,95 2,125 16,120 14,85 6,45',
    ],
    pectoral: [10, 24, 0.01],
    eye: [-98, -10, 20],
    mouth: [-145, 26],
    mouthScale: 1.1,
    mouthSkin: ({ belly: pale }) => pale,
    gill: -40,
    hat: [-75, -55, -12],
    front: ({ colours: { body } }) =>
      line('M-50-16q10 16 2 35M-40-16q10 16 2 35', darken(body, 0.35), 4, opacity(0.5)) +
      path('M-140 30l4 10 7-6zM-120 35l6 9 6-8z', '#fff'),
  },
})

import { INK, lineColourOn } from '../../../colour.ts'
import { circle, line, opacity, path } from '../../../svg.ts'
import { belly, spots, stripes } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const anglerfish = defineSpecies({
  water: ['deep'],
  varieties: {
    purple: ['#86c', '#b9e', '#a8d', '#65a', '#bae'],
    teal: ['#5a9', '#9dc', '#6ba', '#377', '#9dc'],
    red: ['#d65', '#fa9', '#e77', '#a44', '#ea9'],
    orange: ['#e85', '#fc8', '#ea6', '#b63', '#fc9'],
  },
  markings: [
    ['a glowing lantern', ({ belly: pale }) => belly(pale, 55)],
    [
      'spots below a glowing lantern',
      ({ marks, belly: pale }, random) => belly(pale, 60) + spots([-20, -85, 105, 10], 5, 3, 9, marks, random),
    ],
    [
      'stripes below a glowing lantern',
      ({ marks, belly: pale }) => stripes([-55, -34, -12], -10, marks, 8) + belly(pale, 60),
    ],
  ],
  shape: {
    body: '-120,30 -120,-16 -85,-70 -20,-95 45,-85 90,-40 105,0 90,45 45,85 -25,100 -90,85 -125,60',
    tail: ['90,-18 115,-45 155,-60 160,0 155,60 115,50 90,20'],
    fins: ['30,-75 40,-110 70,-110 90,-85 90,-40', '30,75 50,105 75,105 90,80 90,45'],
    threads: 'M-35-85Q-45-150-90-155Q-125-160-130-130',
    pectoral: [10, 30, 0.9],
    eye: [-60, -24, 25],
    mouth: [-100, 0],
    mouthScale: 0,
    gill: -2,
    behind: () =>
      circle(-130, -115, 40, '#fea', opacity(0.18)) +
      circle(-130, -115, 27, '#fea', opacity(0.35)) +
      circle(-130, -115, 15, '#fec'),
    front({ colours: { body }, mood }) {
      const stroke = lineColourOn(body)
      return mood === 'grumpy'
        ? line('M-120 55Q-70 16-20 50', stroke, 6) +
            path('M-100 45l7-15 8 6zM-70 30l8-14 7 14zM-45 35l10-12 3 17z', '#fff')
        : path('M-120 25Q-70 45-20 20Q-30 65-75 70Q-110 70-120 25Z', INK) +
            path('M-110 50l9-14 8 20zM-90 65l9-16 9 17zM-60 65l9-17 8 12zM-40 55l6-16 7 6z', '#fff') +
            path('M-105 30l7 12 7-10zM-60 35l7 11 7-14z', '#fff')
    },
  },
  reach: [-175, -160, 0, 0],
})

import { INK, lineColourOn } from '../../../colour.ts'
import { circle, line, opacity, path } from '../../../svg.ts'
import { belly, spots, stripes } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const anglerfish = defineSpecies({
  name: 'anglerfish',
  water: ['deep'],
  varieties: {
    purple: ['#8a6cc9', '#b89aea', '#a586dd', '#6a4fa8', '#c3aaf0'],
    brown: ['#a8755c', '#d9a888', '#c08a6c', '#7f5544', '#d6ae94'],
    teal: ['#4fa8a0', '#94e0cf', '#66bdb2', '#2f7f7c', '#9fe0d4'],
    red: ['#d65f5c', '#f7a392', '#e67a70', '#a83f48', '#f5ab9c'],
    orange: ['#ee8f4e', '#ffcf8f', '#f5a768', '#bd6232', '#ffcd9c'],
    pink: ['#e88fb5', '#ffd0e0', '#f0a5c4', '#b95f8c', '#ffd5e2'],
  },
  markings: [
    ['a glowing lantern', ({ belly: pale }) => belly(pale, 56)],
    [
      'spots below a glowing lantern',
      ({ marks, belly: pale }, random) => belly(pale, 60) + spots([-20, -84, 104, 10], 5, 3, 9, marks, random),
    ],
    [
      'stripes below a glowing lantern',
      ({ marks, belly: pale }) => stripes([-56, -34, -12], -10, marks, 8) + belly(pale, 60),
    ],
  ],
  shape: {
    body: '-122,30 -118,-16 -84,-68 -20,-96 44,-84 90,-38 104,0 90,44 44,84 -24,100 -90,84 -124,58',
    tail: ['88,-18 116,-46 154,-58 160,0 154,58 116,48 88,22'],
    fins: ['30,-74 40,-110 68,-112 92,-84 92,-42', '32,74 48,104 74,104 92,80 90,44'],
    threads: 'M-34-84Q-44-150-92-156Q-124-158-132-128',
    pectoral: [10, 30, 0.9],
    eye: [-62, -24, 25],
    mouth: [-100, 0],
    mouthScale: 0.001,
    gill: -2,
    throat: [-70, 88],
    behind: () =>
      circle(-132, -114, 42, '#fff3b0', opacity(0.18)) +
      circle(-132, -114, 27, '#fff3b0', opacity(0.35)) +
      circle(-132, -114, 15, '#fff6c4'),
    front({ colours: { body }, mood }) {
      const stroke = lineColourOn(body)
      return mood === 'grumpy'
        ? line('M-118 56Q-70 16-22 50', stroke, 6) +
            path('M-100 43l7-15 8 6zM-72 32l8-14 7 14zM-46 36l10-12 3 17z', '#ffffff')
        : path('M-120 26Q-70 44-20 20Q-30 66-74 70Q-112 68-120 26Z', INK) +
            path('M-110 50l9-14 8 22zM-88 63l9-16 9 17zM-62 66l9-17 8 12zM-40 54l6-16 7 6z', '#ffffff') +
            path('M-104 31l7 12 7-10zM-58 36l7 11 7-14z', '#ffffff')
    },
  },
  reach: [-176, -160, 0, 0],
})

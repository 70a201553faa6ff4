import { drawPatch } from '../../../patch.ts'
import { circle, opacity, path } from '../../../svg.ts'
import { scales } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const betta = defineSpecies({
  water: ['tank', 'bowl', 'pond'],
  varieties: {
    red: ['#c44', '#f98', '#e65', '#fdc', '#d77'],
    blue: ['#47c', '#8ce', '#59e', '#cef', '#79e'],
    purple: ['#75b', '#dae', '#97d', '#edf', '#97c'],
    'yellow and orange': ['#fc4', '#f94', '#f94', '#fec', '#fd8'],
  },
  markings: [
    ['a shimmer of scales', ({ marks }) => scales([-26, -40, 95, 45], 22, marks)],
    ['a pale face', ({ belly: pale }) => path('M-200-100H-40Q-20 0-45 100H-200Z', pale)],
    [
      'bright patches',
      ({ marks }, random) => drawPatch(-4, -30, 30, 20, marks, random) + drawPatch(55, 4, 26, 20, marks, random),
    ],
  ],
  tailMarkings: ({ trim }) => circle(65, 4, 95, 'none', `stroke="${trim}" stroke-width="12" ${opacity(0.4)}`),
  shape: {
    body: '-125,8 -105,-25 -50,-50 14,-50 70,-30 98,-8 98,16 70,40 14,50 -50,55 -105,35',
    tail: [
      '80,-14 98,-70 140,-125 170,-130 180,-95 210,-90 205,-50 230,-18 210,14 225,60 190,65 185,105 150,98 130,125 100,70',
    ],
    fins: [
      '-14,-40 -10,-95 18,-140 45,-125 65,-150 90,-120 105,-85 90,-30 40,-35',
      '-30,45 -30,90 0,135 20,120 45,150 70,125 95,130 105,80 90,30 30,40',
      '-55,45 -60,90 -40,130 -35,85 -35,50',
    ],
    pectoral: [-16, 16, 0.7],
    eye: [-75, -8, 22],
    mouth: [-120, 14],
    mouthScale: 0.85,
    gill: -45,
    hat: [-60, -50, -14],
    edge: 5,
    skin: ({ body, belly: pale }, marking) => (marking === 1 ? pale : body),
  },
})

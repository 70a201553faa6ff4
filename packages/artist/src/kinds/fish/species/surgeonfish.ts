import { path } from '../../../svg.ts'
import { back, belly, stripes } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const tang = defineSpecies({
  water: ['sea', 'reef', 'tank'],
  varieties: {
    'blue and yellow': ['#47d', '#336', '#fc4', '#336', '#6ae'],
    yellow: ['#fc4', '#feb', '#fb3', '#e93', '#fe8'],
    purple: ['#75c', '#539', '#fc4', '#438', '#a8d'],
    white: ['#fffaf2', '#335', '#fc4', '#335', '#fff'],
  },
  markings: [
    [
      'a curved marking',
      ({ marks, belly: pale }) =>
        belly(pale, 30) +
        path('M-65-60Q0-105 130-60V-8Q95-25 70-30Q40 10-12 4Q-40-4-45-25Q-20-16 2-25Q25-35 10-45Q-25-55-65-35Z', marks),
    ],
    ['fine lines', ({ marks, belly: pale }) => belly(pale, 34) + stripes([-60, -40, -22, -4, 14, 32], -34, marks, 4.5)],
    ['a two-tone back', ({ marks, belly: pale }) => belly(pale, 28) + back(marks, -40)],
  ],
  shape: {
    body: '-120,10 -105,-30 -60,-70 4,-90 65,-70 110,-18 110,16 65,65 4,90 -60,75 -100,45',
    tail: ['95,-14 125,-50 170,-70 155,-25 150,0 155,25 170,70 125,50 95,16'],
    fins: [
      '-50,-65 -40,-90 10,-115 70,-105 105,-65 110,-30 60,-45 0,-75',
      '-35,65 -14,98 30,115 80,98 110,60 110,25 60,45 10,70',
    ],
    pectoral: [-6, 18, 0.9],
    eye: [-70, -20, 24],
    mouth: [-110, 18],
    mouthScale: 0.9,
    gill: -32,
  },
})

import { drawPatch } from '../../../patch.ts'
import { ellipse } from '../../../svg.ts'
import { scales, spots } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const koi = defineSpecies({
  water: ['pond'],
  varieties: {
    'white and orange': ['#fffaf2', '#e73', '#fed', '#545'],
    gold: ['#fc4', '#f84', '#fd8', '#545'],
    orange: ['#f84', '#fed', '#fa6', '#545'],
    'black and white': ['#fffaf2', '#445', '#ddd', '#445'],
  },
  markings: [
    [
      'large patches',
      ({ marks }, random) =>
        drawPatch(-90, -40, 45, 34, marks, random) +
        drawPatch(-4, -34, 45, 34, marks, random) +
        drawPatch(85, -8, 34, 28, marks, random),
    ],
    [
      'dark-spotted patches',
      ({ marks, trim }, random) =>
        drawPatch(-20, -40, 55, 32, marks, random) +
        drawPatch(75, -10, 34, 28, marks, random) +
        spots([-30, -45, 110, 34], 4, 2, 9, trim, random),
    ],
    [
      'a patch on its head',
      ({ marks, trim }) => ellipse(-75, -50, 40, 24, marks) + scales([-24, -45, 130, 50], 24, trim),
    ],
  ],
  shape: {
    body: '-150,10 -125,-25 -70,-50 0,-60 70,-40 125,-16 125,12 75,40 0,60 -75,60 -130,40',
    tail: ['110,-10 150,-45 200,-70 200,-35 175,-2 200,30 196,70 150,45 110,14'],
    fins: [
      '-45,-50 -35,-90 6,-95 50,-80 80,-50 75,-30 0,-45',
      '45,40 60,70 90,85 98,60 90,30',
      '-25,45 -8,90 20,105 30,75 14,45',
    ],
    threads: 'M-140 25Q-150 45-140 60M-125 35Q-130 55-120 65',
    pectoral: [-22, 30, 0.95],
    eye: [-90, -10, 21],
    mouth: [-145, 18],
    mouthScale: 0.9,
    gill: -55,
    hat: [-76, -56, -14],
  },
})

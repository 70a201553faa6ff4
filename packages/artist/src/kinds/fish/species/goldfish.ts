import { drawPatch } from '../../../patch.ts'
import { path } from '../../../svg.ts'
import { belly, scales } from '../markings.ts'
import { defineSpecies } from './define.ts'

export const goldfish = defineSpecies({
  water: ['pond', 'tank', 'bowl'],
  varieties: {
    orange: ['#f83', '#fc8', '#fa5', '#f94', '#fb7'],
    gold: ['#fc3', '#e63', '#fd7', '#ea3', '#fd9'],
    white: ['#fffaf2', '#e64', '#fdc', '#fb9', '#fff'],
    black: ['#446', '#ea5', '#667', '#334', '#778'],
  },
  markings: [
    ['shiny scales', ({ trim, belly: pale }) => belly(pale, 36) + scales([-16, -70, 110, 60], 26, trim)],
    [
      'bright patches',
      ({ marks, belly: pale }, random) =>
        belly(pale, 40) +
        drawPatch(-10, -65, 45, 34, marks, random) +
        drawPatch(60, 0, 34, 32, marks, random) +
        drawPatch(0, 65, 40, 24, marks, random),
    ],
    [
      'a bright forehead',
      ({ marks, belly: pale }) =>
        belly(pale, 40) + path('M-130-100H-6Q0-70-35-55Q-60-45-95-45Q-120-60-130-100Z', marks),
    ],
  ],
  shape: {
    body: '-115,10 -98,-40 -50,-80 12,-90 65,-60 95,-25 95,16 65,60 10,90 -50,85 -98,50',
    tail: [
      '80,-14 110,-60 160,-100 205,-110 215,-70 190,-45 205,-14 170,6 120,14',
      '80,6 120,0 175,14 210,35 210,80 190,115 160,110 130,90 105,50',
    ],
    fins: [
      '-35,-70 -18,-120 30,-140 65,-120 85,-85 80,-45 20,-75',
      '30,70 45,110 75,125 90,95 85,45',
      '-40,65 -35,110 -12,130 6,105 -4,70',
    ],
    pectoral: [0, 26, 0.9],
    eye: [-65, -16, 26],
    mouth: [-110, 22],
    gill: -30,
    hat: [-50, -80, -24],
  },
})

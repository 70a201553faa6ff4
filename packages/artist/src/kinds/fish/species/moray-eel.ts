import { parseCurve, ribbon } from '../../../curves.ts'
import { line, path, place } from '../../../svg.ts'
import { drawBowTie, drawHat } from '../accessories.ts'
import { drawCheek, drawSideEye, drawSideMouth } from '../face.ts'
import { bands, spots } from '../markings.ts'
import { defineFigure } from './define.ts'

const EEL = parseCurve('-112,-16 -10,-190 44,170 188,-30')

export const eel = defineFigure({
  name: 'moray eel',
  water: ['reef', 'sea', 'deep'],
  wears: ['none', 'head', 'throat'],
  varieties: {
    green: ['#8fb85a', '#4f7a3c', '#a8cf70', '#5f8f44', '#e3efb5'],
    yellow: ['#ffd04f', '#a8662f', '#ffbe3a', '#e89a30', '#fff0b5'],
    blue: ['#4f86d9', '#ffd95c', '#ffd04a', '#34609f', '#a3c8f5'],
    brown: ['#a87a58', '#5f3f30', '#bf9068', '#7f563c', '#ead2b0'],
    white: ['#faf5ec', '#4f4a68', '#e0d8dc', '#a89fb0', '#ffffff'],
    violet: ['#8f6fc9', '#f0d0f7', '#a989de', '#684a9f', '#d9c4f2'],
  },
  markings: [
    ['spots', ({ marks }, random) => spots([-50, -100, 190, 70], 9, 6, 8, marks, random)],
    [
      'bands',
      ({ marks }) =>
        bands(
          [
            [-50, 12],
            [-18, 12],
            [14, 12],
            [46, 12],
            [78, 12],
            [110, 12],
            [142, 10],
          ],
          marks,
          undefined,
          6,
        ),
    ],
    ['smooth skin', ({ belly: pale }) => line('M-112 18C-10-156 44 204 188 4', pale, 22)],
  ],
  draw({ colours, mood, iris, worn, sketch }, drawMarkings) {
    const { body, fins } = colours
    const head = 'M-176-6C-176-50-136-74-98-62C-64-50-58-8-78 18C-98 44-172 42-176-6Z'
    return {
      art: [
        path(
          ribbon(EEL, (t) => 41 - 28 * t + 15 * Math.min(1, 7 * t - 1.12), 0.16, 1, 9),
          fins,
        ),
        sketch.shadedShape(
          ribbon(EEL, (t) => 41 - 28 * t, 0.02, 1, 9),
          body,
          drawMarkings(colours, sketch.chance.sequence('markings')),
          8,
        ),
        sketch.shadedShape(head, body, '', 7),
        drawCheek(-100, 8, 14, body),
        drawSideMouth(mood, -170, 6, body, 1.05),
        drawSideEye(-114, -26, 24, mood, { skin: body, iris }, sketch),
        place({ x: -92, y: 34, turn: 24 }, drawBowTie(worn, body)),
        place({ x: -100, y: -60, turn: -4 }, drawHat(worn, body)),
      ].join(''),
      box: [-182, worn.accessory === 'none' || worn.accessory === 'bow tie' ? -104 : -126, 212, 74],
    }
  },
})

import { darken } from '../../../colour.ts'
import { ellipsePath, star } from '../../../curves.ts'
import { drawPatch } from '../../../patch.ts'
import { line, opacity, path, place } from '../../../svg.ts'
import { drawHat } from '../accessories.ts'
import { drawCheek, drawFrontEyes, drawMouth } from '../face.ts'
import { spots } from '../markings.ts'
import { defineFigure } from './define.ts'

export const pufferfish = defineFigure({
  water: ['sea', 'reef', 'tank'],
  wears: ['none', 'head'],
  varieties: {
    yellow: ['#fc4', '#a73', '#fa4', '#ea3', '#fed'],
    blue: ['#6ad', '#369', '#58c', '#48c', '#eff'],
    green: ['#9b6', '#574', '#7a5', '#795', '#ffd'],
    pink: ['#f9a', '#b57', '#e79', '#d79', '#fee'],
  },
  markings: [
    ['dark spots', ({ marks }, random) => spots([-105, -100, 105, -45], 6, 2, 9, marks, random)],
    [
      'dark stripes',
      ({ marks }) =>
        line(
          'M-85-90Q-70-75-80-50M-45-110Q-40-85-45-65M-6-115Q0-90-6-70M30-110Q30-85 30-65M70-95Q65-75 70-55',
          marks,
          10,
        ),
    ],
    ['a dark patch on its back', ({ marks }, random) => drawPatch(0, -95, 60, 34, marks, random)],
  ],
  draw({ colours, mood, iris, worn, bend, sketch }, drawMarkings) {
    const { body, fins, trim, belly: pale } = colours
    const [fin, finReference] = sketch.reusable(
      sketch.shadedShape(
        'M0-16C20-45 55-40 60-14C70 14 45 35 0 16Z',
        fins,
        line('M16-8L45-20M18 0H50M16 8L45 16', darken(fins, 0.3), 4, opacity(0.5)),
        4,
      ),
    )
    const outline = ellipsePath(0, 0, 115, 110)
    return {
      art: [
        place(
          { x: 105, y: -12, turn: -14 + bend * 0.4, scale: 0.95 },
          sketch.shadedShape('M-10-14C20-45 55-50 60-35C55-10 55 12 60 35C50 50 20 40-10 16Z', fins, '', 5),
        ),
        path(star(0, 0, 135, 100, 24), trim, `stroke="${trim}" stroke-width="4"`),
        place({ x: 90, y: 40, turn: 22 }, fin),
        sketch.shadedShape(
          outline,
          body,
          drawMarkings(colours, sketch.chance.sequence('markings')) +
            path('M-140 8Q-70 35-14 25T140 4V140H-140Z', pale) +
            line('M-65 65l6 10 6-10M-14 75l6 10 6-10M40 65l6 10 6-10', darken(pale, 0.2), 4),
          12,
        ),
        place({ x: -90, y: 40, turn: 150 }, finReference),
        drawCheek(-80, 22, 16, body) + drawCheek(60, 22, 16, body),
        drawMouth(mood, -14, 28, pale, 0.95),
        drawFrontEyes(-14, -18, 27, 45, mood, { skin: body, iris }, sketch),
        place({ x: -6, y: -105, turn: -3 }, drawHat(worn, body)),
      ].join(''),
      box: [-150, worn.accessory === 'none' ? -135 : -170, 170, 135],
    }
  },
})

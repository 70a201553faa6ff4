import { darken } from '../../../colour.ts'
import { mirrorPoints, parsePoints, ribbon, smoothOutline } from '../../../curves.ts'
import { bothSides, ellipse, line, opacity, path } from '../../../svg.ts'
import { drawCheek, drawFrontEyes, drawMouth } from '../face.ts'
import { spots } from '../markings.ts'
import { defineFigure } from './define.ts'

const RAY = mirrorPoints(parsePoints('0,-50 30,-65 50,-55 90,-45 150,-75 220,-90 205,-40 150,14 85,55 30,80 0,90'))

export const ray = defineFigure({
  name: 'stingray',
  water: ['sea', 'reef', 'deep'],
  wears: ['none'],
  varieties: {
    blue: ['#68c', '#cef', '#47b', '#359', '#eef'],
    grey: ['#89a', '#dde', '#789', '#568', '#eef'],
    brown: ['#b86', '#edb', '#975', '#753', '#fed'],
    purple: ['#87c', '#edf', '#76b', '#548', '#eef'],
  },
  markings: [
    ['pale spots', ({ marks }, random) => bothSides(spots([75, -70, 200, 20], 5, 3, 8, marks, random))],
    ['broad wings', () => ''],
    ['dark wing tips', ({ trim }) => bothSides(path('M150-120H260V60H150Q190-20 150-120Z', trim, opacity(0.7)))],
  ],
  draw({ colours, mood, iris, bend, sketch }, drawMarkings) {
    const { body, fins, belly: pale } = colours
    const outline = smoothOutline(RAY, 0.9)
    return {
      art: [
        path(
          ribbon(
            [
              [10, 70],
              [40, 130],
              [100 + bend, 130],
              [150 + bend, 170],
            ],
            (t) => 9 - 6 * t,
          ),
          fins,
        ),
        bothSides(path('M18-50Q14-90 35-100Q50-105 45-85Q45-65 55-50Z', fins)),
        sketch.shadedShape(
          outline,
          body,
          drawMarkings(colours, sketch.chance.sequence('markings')) + ellipse(0, 85, 85, 60, pale),
          9,
        ),
        line('M-30 60q-8 6-4 14M30 60q8 6 4 14M-18 70q-5 6-2 12M18 70q5 6 2 12', darken(pale, 0.35), 3.5),
        drawCheek(-60, 18, 15, body) + drawCheek(60, 18, 15, body),
        drawMouth(mood, 0, 26, pale, 0.95),
        drawFrontEyes(0, -20, 24, 36, mood, { skin: body, iris }, sketch),
      ].join(''),
      box: [-230, -110, 230, 180],
      hasCorners: true,
    }
  },
})

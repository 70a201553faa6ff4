import { darken } from '../../../colour.ts'
import { mirrorPoints, parsePoints, ribbon, smoothOutline } from '../../../curves.ts'
import { bothSides, ellipse, line, opacity, path } from '../../../svg.ts'
import { drawCheek, drawFrontEyes, drawFrontMouth } from '../face.ts'
import { spots } from '../markings.ts'
import { defineFigure } from './define.ts'

const RAY = mirrorPoints(parsePoints('0,-50 30,-66 52,-56 92,-44 150,-76 222,-92 204,-40 150,14 84,56 30,82 0,90'))

export const ray = defineFigure({
  name: 'stingray',
  water: ['sea', 'reef', 'deep'],
  wears: ['none'],
  varieties: {
    blue: ['#5f8fd4', '#cfe6fb', '#4a78bf', '#34589c', '#eef5fc'],
    grey: ['#8f9bb0', '#e3e9f2', '#7a869c', '#5a6680', '#f4f6f9'],
    brown: ['#b58a66', '#f5dfbe', '#9f7552', '#755238', '#fff5e4'],
    purple: ['#8f78c9', '#e6d9fa', '#7a62b5', '#5a4590', '#f6f1fd'],
    teal: ['#4fa5a5', '#cdf2e6', '#3f8f90', '#2c6a70', '#ecf9f5'],
    pink: ['#f0a0b4', '#ffe3e8', '#e0849c', '#b85f7f', '#fff4f4'],
  },
  markings: [
    ['pale spots', ({ marks }, random) => bothSides(spots([74, -70, 200, 20], 5, 3, 8, marks, random))],
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
              [150 + bend, 172],
            ],
            (t) => 9 - 6 * t,
          ),
          fins,
        ),
        bothSides(path('M18-48Q14-88 34-100Q48-104 46-84Q44-64 56-52Z', fins)),
        sketch.shadedShape(
          outline,
          body,
          drawMarkings(colours, sketch.chance.sequence('markings')) + ellipse(0, 84, 84, 62, pale),
          9,
        ),
        line('M-30 62q-8 6-4 14M30 62q8 6 4 14M-18 68q-5 6-2 12M18 68q5 6 2 12', darken(pale, 0.35), 3.5),
        drawCheek(-58, 18, 15, body) + drawCheek(58, 18, 15, body),
        drawFrontMouth(mood, 0, 26, pale, 0.95),
        drawFrontEyes(0, -20, 24, 36, mood, { skin: body, iris }, sketch),
      ].join(''),
      box: [-228, -108, 228, 182],
      hasCorners: true,
    }
  },
})
